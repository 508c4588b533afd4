"""A test that is not marked `slow` may use one CPU second, so that everyday tests stay quick."""

from __future__ import annotations

import os
import threading
import time

import pytest
from _pytest.runner import runtestprotocol
from numba.core import event

LIMIT = 1.0
"""CPU seconds of a test and its processes."""
MESSAGE = (
    "{name}: a test that is not marked slow may use {limit:g} CPU second besides compiling; used "
    "{spent:.2f}. Mark it slow (only CI runs it), make its table smaller, or share a fixture."
)


def measure_load():
    """How many processes want to run on each core, in the last minute."""
    return os.getloadavg()[0] / (os.cpu_count() or 1) if hasattr(os, "getloadavg") else 1.0


class CompileClock(event.Listener):
    """Adds up the CPU seconds that numba compiles, in any thread."""

    def __init__(self):
        self.spent = 0.0
        self._depth, self._began = {}, {}
        event.register("numba:compile", self)

    def on_start(self, event):
        thread = threading.get_ident()
        self._depth[thread] = self._depth.get(thread, 0) + 1
        if self._depth[thread] == 1:
            self._began[thread] = time.thread_time()

    def on_end(self, event):
        thread = threading.get_ident()
        self._depth[thread] -= 1
        if self._depth[thread] == 0:
            self.spent += time.thread_time() - self._began[thread]


class CpuLimit:
    """Fails an everyday test that uses more than the limit, twice in a row.

    What counts is the test and its own fixtures, not fixtures that others share, nor compiling. A
    test beyond the limit is run again, as the first one pays for imports. Where more processes
    want to run than there are cores, the same work takes more CPU seconds, and so may a test. Run
    pytest with `-p no:cpu-limit` where tests are slower than usual, as with `NUMBA_BOUNDSCHECK`.
    """

    def __init__(self, limit=LIMIT):
        self._limit = limit
        self._compiling = CompileClock()
        self._spent = 0.0
        self._shared = 0

    def _read_clock(self):
        return sum(os.times()[:4]) - self._compiling.spent

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item, nextitem):
        if item.get_closest_marker("slow"):
            return None
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        doctest = getattr(item, "dtest", None)
        names = {} if doctest is None else {**doctest.globs}
        reports = self._run(item, nextitem)
        if self._is_beyond(reports):
            item._initrequest()
            if doctest is not None:
                doctest.globs.update(names)  # which a run empties
            reports = self._run(item, nextitem)
            if self._is_beyond(reports):
                call = next(report for report in reports if report.when == "call")
                call.outcome = "failed"
                call.longrepr = MESSAGE.format(name=item.name, limit=self._limit, spent=self._spent)
        for report in reports:
            item.ihook.pytest_runtest_logreport(report=report)
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True

    def _run(self, item, nextitem):
        self._spent = 0.0
        return runtestprotocol(item, log=False, nextitem=nextitem)

    def _is_beyond(self, reports):
        passed = all(report.passed for report in reports)
        return passed and self._spent > self._limit * max(1.0, measure_load())

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_setup(self, item):
        return (yield from self._count(1.0))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item):
        return (yield from self._count(1.0))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_fixture_setup(self, fixturedef, request):
        if fixturedef.scope == "function" or self._shared:
            return (yield)
        self._shared += 1
        try:
            return (yield from self._count(-1.0))
        finally:
            self._shared -= 1

    def _count(self, share):
        began = self._read_clock()
        try:
            return (yield)
        finally:
            self._spent += share * (self._read_clock() - began)
