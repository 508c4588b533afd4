"""Whatever takes long can be watched and stopped: nothing is written, nothing goes on."""

from __future__ import annotations

import subprocess
import threading
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import swapmeet as sm

METHOD = sm.RWN(k=5, weights=0.2)
MEASURES = ["linkage", "dbrl", "pscr", "correlations", "margins"]


class Watcher:
    """Counts its calls, and stops the work at one of them."""

    def __init__(self, at=None, label=None):
        self.at, self.label = at, label
        self.steps = []
        self.news = []

    def __call__(self, label, done, total):
        assert isinstance(label, str)
        assert label
        assert done >= 0
        assert done <= total or total == 0
        if self.label not in {None, label}:
            return
        self.steps.append(label)
        if len(self.steps) == self.at:
            raise sm.Stopped

    def tell(self, news):
        self.news.append(news)


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(1)
    return pa.table({name: rng.normal(size=400) for name in "abc"})


@pytest.fixture(scope="module")
def release(people):
    return sm.mask(people, METHOD, seed=1)


@pytest.fixture
def folder(tmp_path, people, release):
    pq.write_table(people, tmp_path / "people.parquet")
    pq.write_table(release.shuffled(), tmp_path / "release.parquet")
    return tmp_path


def files_in(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def mask(progress, people, **_):
    return sm.mask(people, METHOD, progress=progress)


def mask_in_blocks(progress, people, **_):
    return sm.mask(people, METHOD, engine=sm.Local(block_rows=100), progress=progress)


def mask_file(progress, folder, **_):
    return sm.mask_file(
        folder / "people.parquet", folder / "new.parquet", METHOD, block_rows=100,
        audit=folder / "new.audit", progress=progress,
    )  # fmt: skip


def assess(progress, people, release, **_):
    return sm.assess(people, release, measures=MEASURES, progress=progress)


def assess_in_one_thread(progress, people, release, **_):
    return sm.assess(people, release, measures=MEASURES, threads=1, progress=progress)


def assess_file(progress, folder, release, **_):
    return sm.assess_file(
        folder / "people.parquet", folder / "release.parquet", audit=release.audit,
        measures=MEASURES, progress=progress,
    )  # fmt: skip


def compare(progress, people, release, **_):
    return sm.compare(people, release, release, measures=["pscr", "margins"], progress=progress)


def inspect(progress, people, **_):
    return sm.inspect(people, progress=progress)


WORK = [mask, mask_in_blocks, mask_file, assess, assess_in_one_thread, assess_file, compare,
        inspect]  # fmt: skip


@pytest.mark.parametrize("work", WORK, ids=lambda work: work.__name__)
def test_long_work_stops_at_any_stage_and_leaves_nothing(work, people, release, folder):
    given = {"people": people, "release": release, "folder": folder}
    before, threads = files_in(folder), threading.active_count()
    watcher = Watcher()
    work(watcher, **given)
    labels = set(watcher.steps)
    assert len(labels) > 1
    for path in folder.glob("new.*"):
        path.unlink()
    for label in labels:
        with pytest.raises(sm.Stopped):
            work(Watcher(1, label), **given)
        assert files_in(folder) == before
        assert threading.active_count() == threads


def tune(progress, people, **options):
    return sm.tune(
        people, ["sjppds:bins=3|5|8"], limit={}, measures=["pscr"], seed=1, repeats=2,
        final_repeats=2, goal=sm.Goal({"pscr": 1.0}, {"margins": 1.0}), progress=progress,
        **options,
    )  # fmt: skip


def test_a_search_that_is_stopped_keeps_its_trials(people, tmp_path):
    journal = tmp_path / "study.jsonl"
    watcher = Watcher(at=4, label="searching")
    study = tune(watcher, people, workers=1, journal=journal)
    assert study.interrupted
    assert len(study.trials) == 4
    assert "trials; best so far" in watcher.news[-1]
    rest = tune(Watcher(), people, workers=1, journal=journal)
    assert not rest.interrupted
    assert len(rest.trials) == 6


def test_a_search_that_is_stopped_before_its_first_trial_writes_no_journal(people, tmp_path):
    with pytest.raises(sm.Stopped):
        tune(Watcher(at=1), people, workers=1, journal=tmp_path / "study.jsonl")
    assert files_in(tmp_path) == []


def test_a_search_is_counted_in_seconds_that_passed_of_those_expected(people):
    steps = []
    tune(lambda *step: steps.append(step), people, workers=1)
    seconds, expected = zip(*(step[1:] for step in steps if step[0] == "searching"), strict=True)
    assert len(seconds) >= 6
    assert list(seconds) == sorted(seconds)
    assert all(0 <= passed <= whole for passed, whole in zip(seconds, expected, strict=True))
    assert seconds[-1] == expected[-1] or expected[-1] == 1


@pytest.mark.slow
def test_no_process_of_a_stopped_search_goes_on(people):
    began = []
    real = subprocess.Popen.__init__

    def start(self, *args, **options):
        began.append(self)
        real(self, *args, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(subprocess.Popen, "__init__", start)
        threads = threading.active_count()
        job = sm.Stoppable()
        threading.Timer(0.3, job.stop).start()
        begin = time.monotonic()
        study = tune(job, people, workers=2, budget="60s")
    assert study.interrupted
    assert time.monotonic() - begin < 20.0
    assert began
    assert all(process.poll() is not None for process in began)
    assert threading.active_count() <= threads + 1
