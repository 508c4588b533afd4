from __future__ import annotations

from collections import OrderedDict
from types import SimpleNamespace

import pytest
from schedule import FromBothEnds, name_unit

FILES = {
    "tests/app/test_run.py": 2,
    "tests/cli/test_mask.py": 3,
    "tests/engines/spark/test_scan.py": 1,
    "tests/methods/test_rwn.py": 2,
    "tests/methods/test_sjppds.py": 4,
    "tests/plots/test_ticks.py": 2,
}


class Worker:
    def __init__(self):
        self.files = []

    def send_runtest_some(self, places):
        tests = [f"{file}::{n}" for file, count in FILES.items() for n in range(count)]
        self.files += [tests[place].split("::")[0] for place in places[:1]]


@pytest.fixture
def deal():
    """Give files to two workers in turn, and return what each of them got."""

    def deal(*, reorder=True):
        scheduler = FromBothEnds.__new__(FromBothEnds)
        scheduler.config = SimpleNamespace(option=SimpleNamespace(loadscopereorder=reorder))
        workers = Worker(), Worker()
        tests = [f"{file}::{n}" for file, count in FILES.items() for n in range(count)]
        scheduler.registered_collections = dict.fromkeys(workers, tests)
        scheduler.assigned_work = {worker: {} for worker in workers}
        scheduler.workqueue = OrderedDict()
        for test in tests:
            scheduler.workqueue.setdefault(name_unit(test), {})[test] = False
        while scheduler.workqueue:
            for worker in workers[: len(scheduler.workqueue)]:
                scheduler._assign_work_unit(worker)
        return [worker.files for worker in workers]

    return deal


def test_one_worker_begins_with_what_compiles_and_the_other_with_what_does_not(deal):
    one, other = deal()
    assert one == [
        "tests/engines/spark/test_scan.py",
        "tests/methods/test_sjppds.py",
        "tests/methods/test_rwn.py",
    ]
    assert other == ["tests/plots/test_ticks.py", "tests/app/test_run.py", "tests/cli/test_mask.py"]


def test_files_are_dealt_as_they_come_where_their_order_counts(deal):
    one, other = deal(reorder=False)
    assert [file for pair in zip(one, other, strict=True) for file in pair] == [*FILES]


def test_what_shares_a_server_shares_a_worker():
    assert name_unit("tests/engines/spark/test_scan.py::test_x[a::b]") == "spark"
    assert name_unit("tests/cli/test_mask_spark.py::test_y") == "spark"
    assert name_unit("tests/cli/test_mask.py::test_z") == "tests/cli/test_mask.py"
