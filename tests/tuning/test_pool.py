from __future__ import annotations

import os
import signal
import sys
import time
from dataclasses import fields

import pytest

import swapmeet as sm
from swapmeet.tuning.pool import PROCESS_ENDED, InProcess, ProcessPool
from swapmeet.tuning.trial import Setting

DEADLY = """
import os
from swapmeet.tuning.trial_runner import TrialRunner

class Deadly(TrialRunner):
    "A runner in which some settings end the process, as if memory ran out."

    def with_shared_work(self):
        return self

    def trial(self, setting, repeat):
        if setting.settings["bins"] == 13:
            os._exit(9)
        print("methods may print", flush=True)
        return super().trial(setting, repeat)
"""


@pytest.fixture(scope="module")
def runner(prepare, numbers):
    return prepare(numbers)[0]


@pytest.fixture(scope="module")
def pool(runner):
    processes = ProcessPool(runner, 2)
    yield processes
    processes.close()


@pytest.fixture
def start_pool():
    """Start a pool of its own, closed at the end, whatever happened."""
    started = []

    def start(runner, size):
        started.append(ProcessPool(runner, size))
        return started[-1]

    yield start
    for processes in started:
        processes.close()


@pytest.fixture
def deadly(runner, tmp_path, monkeypatch):
    (tmp_path / "deadly_runner.py").write_text(DEADLY)
    monkeypatch.syspath_prepend(tmp_path)
    from deadly_runner import Deadly

    yield Deadly(**{f.name: getattr(runner, f.name) for f in fields(runner)})
    sys.modules.pop("deadly_runner")


def is_alive(process):
    return process.poll() is None


@pytest.mark.slow
def test_processes_make_the_trials_that_this_process_makes(runner, pool, bins):
    jobs = [(bins(n), repeat) for n in (3, 5, 8) for repeat in range(2)]
    here = [InProcess(runner).submit(*job).result() for job in jobs]
    there = [future.result() for future in [pool.submit(*job) for job in jobs]]
    assert [t.values for t in there] == [t.values for t in here]
    assert [(t.setting, t.repeat) for t in there] == jobs
    assert len(pool._started) == 2


@pytest.mark.slow
def test_processes_have_sessions_of_their_own_so_that_ctrl_c_does_not_reach_them(pool, bins):
    pool.submit(bins(3), 0).result()
    assert len(pool._started) <= 2
    assert os.getsid(pool._started[0].pid) != os.getsid(0)


def test_no_process_is_started_before_there_is_work(start_pool, runner):
    pool = start_pool(runner, 2)
    assert pool._started == []
    pool.close()


@pytest.mark.slow
def test_a_process_that_is_killed_loses_its_trial_and_is_replaced(start_pool, runner, bins):
    pool = start_pool(runner, 1)
    assert pool.submit(bins(3), 0).result().failure == ""
    os.kill(pool._started[0].pid, signal.SIGKILL)
    lost, next_one = pool.submit(bins(3), 1).result(), pool.submit(bins(5), 0).result()
    pool.close()
    assert lost.failure == PROCESS_ENDED
    assert (lost.setting, lost.repeat, lost.values) == (bins(3), 1, {})
    assert next_one.failure == ""
    assert len(pool._started) == 2


@pytest.mark.slow
def test_a_process_that_ends_itself_in_a_trial_is_replaced_too(start_pool, deadly, bins):
    pool = start_pool(deadly, 2)
    found = [pool.submit(bins(n), 0) for n in (3, 13, 5, 13, 8)]
    failures = [future.result().failure for future in found]
    pool.close()
    assert failures == ["", PROCESS_ENDED, "", PROCESS_ENDED, ""]


@pytest.mark.slow
def test_closing_ends_all_processes_at_once_and_drops_what_waits(start_pool, runner, bins):
    pool = start_pool(runner, 2)
    pool.submit(bins(3), 0).result()
    futures = [pool.submit(bins(n), r) for n in range(2, 40) for r in range(200)]
    begin = time.monotonic()
    pool.close()
    assert time.monotonic() - begin < 10
    assert not any(map(is_alive, pool._started))
    assert all(process.stdin.closed and process.stdout.closed for process in pool._started)
    assert all(future.done() for future in futures)
    assert any(future.cancelled() for future in futures)


def test_failures_come_back_as_such(pool):
    assert "`k` = 1000" in pool.submit(Setting.of(sm.RWN(k=1000)), 0).result().failure


@pytest.mark.slow
def test_its_processes_run_nothing_that_lies_in_the_current_folder(
    runner, start_pool, tmp_path, monkeypatch
):
    for name in ("bisect", "heapq", "pickle", "random"):
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [path for path in sys.path if path])
    trial = start_pool(runner, 1).submit(Setting.of(sm.SJPPDS(bins=5)), 0).result()
    assert not trial.failure
    assert not (tmp_path / "ran").exists()
