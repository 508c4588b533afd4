"""Everything can be compiled beforehand, in as many processes as there are cores."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from swapmeet import warming
from swapmeet.cli.entry_point import LAST_NEEDED
from swapmeet.methods import METHODS
from swapmeet.warming import list_jobs, warm_up


class Finished:
    def wait(self):
        return 0


@pytest.fixture
def lots(monkeypatch):
    started = []
    monkeypatch.setattr(warming, "start_compiling", lambda jobs: started.append(jobs) or Finished())
    return started


def test_each_job_is_done_once_and_counted(lots):
    seen = []
    done = warm_up(workers=2, progress=lambda *news: seen.append(news))
    assert sorted(job for lot in lots for job in lot) == sorted(list_jobs())
    assert done == len(list_jobs())
    assert seen[-1] == ("compiling", done, done)


def test_every_method_is_compiled_and_so_are_its_variants():
    assert {*METHODS} <= {*list_jobs()}
    assert {"microaggregation:by=pca", "rank-swap:variant=distribution"} <= {*list_jobs()}


def test_jobs_that_commands_do_ahead_exist():
    assert {*LAST_NEEDED.values()} <= {*list_jobs()}


@pytest.mark.slow
def test_what_one_process_compiled_the_next_one_loads(tmp_path):
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    counts = []
    for _ in range(2):
        subprocess.run(
            [sys.executable, "-m", "swapmeet.warming", "trading"], env=environment, check=True
        )
        counts.append(len([*tmp_path.rglob("*.kernel")]))
    assert counts[0] == counts[1] > 10
