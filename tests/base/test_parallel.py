from __future__ import annotations

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swapmeet.base.parallel import Workers, count_cores, ranges


@given(total=st.integers(0, 500), size=st.integers(1, 60))
def test_ranges_hold_every_row_exactly_once(total, size):
    found = list(ranges(total, size))
    assert [row for begin, end in found for row in range(begin, end)] == list(range(total))
    assert all(0 < end - begin <= size for begin, end in found)


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("total", [0, 1, 9, 10, 11, 100])
def test_each_row_is_worked_on_once_whatever_the_threads(threads, total):
    seen = [0] * total

    def task(begin, end):
        for row in range(begin, end):
            seen[row] += 1

    Workers(threads).each(task, total, size=10, label="x")
    assert seen == [1] * total


@pytest.mark.parametrize("threads", [1, 3])
def test_progress_ends_with_everything_done(threads):
    told = []
    workers = Workers(threads, lambda *facts: told.append(facts))
    workers.each(lambda begin, end: None, 95, size=10, label="neighbourhoods")
    assert told[-1] == ("neighbourhoods", 95, 95)
    assert [done for _, done, _ in told] == sorted(done for _, done, _ in told)


@pytest.mark.parametrize("threads", [1, 3])
def test_failure_of_a_block_is_raised_and_stops_the_rest(threads):
    begun = []

    def task(begin, end):
        begun.append(begin)
        if begin == 0:
            raise ZeroDivisionError
        threading.Event().wait(0.005)

    with pytest.raises(ZeroDivisionError):
        Workers(threads).each(task, 1000, size=1, label="x")
    assert len(begun) < 1000


def test_interruption_by_the_progress_display_stops_the_work():
    begun = []

    def task(begin, end):
        begun.append(begin)
        threading.Event().wait(0.01)

    def interrupted(label, done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Workers(2, interrupted).each(task, 1000, size=1, label="x")
    assert len(begun) < 1000


def test_several_threads_work_side_by_side():
    barrier = threading.Barrier(2, timeout=10)
    Workers(2).each(lambda begin, end: barrier.wait(), 2, size=1, label="x")


def test_cores_are_those_the_process_may_use():
    assert count_cores() >= 1
    assert Workers().threads == count_cores()
