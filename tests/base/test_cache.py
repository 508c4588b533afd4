from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from swapmeet.base.cache import Cache, count_bytes


def test_work_is_done_once_per_key():
    cache, done = Cache(), []
    for key in ("a", "b", "a", "a"):
        assert cache.once(key, lambda key=key: done.append(key) or key * 2) == key * 2
    assert done == ["a", "b"]


def test_a_result_of_none_is_a_result():
    cache, done = Cache(), []
    for _ in range(2):
        assert cache.once("a", lambda: done.append(1)) is None
    assert done == [1]


def test_other_threads_wait_for_the_first():
    cache, done, begun, go_on = Cache(), [], threading.Event(), threading.Event()

    def work():
        begun.set()
        assert go_on.wait(10)
        done.append(1)
        return "made"

    with ThreadPoolExecutor(4) as pool:
        first = pool.submit(cache.once, "a", work)
        assert begun.wait(10)
        others = [pool.submit(cache.once, "a", work) for _ in range(3)]
        assert not any(other.done() for other in others)
        go_on.set()
        assert {future.result(10) for future in (first, *others)} == {"made"}
    assert done == [1]


def test_threads_with_other_keys_do_not_wait():
    cache, meeting = Cache(), threading.Barrier(2, timeout=10)
    with ThreadPoolExecutor(2) as pool:
        both = [pool.submit(cache.once, key, lambda: meeting.wait() >= 0) for key in "ab"]
        assert all(future.result() for future in both)


def test_work_may_ask_for_other_work():
    cache = Cache()
    assert cache.once("outer", lambda: cache.once("inner", lambda: 2) + 1) == 3
    assert cache.once("inner", lambda: 7) == 2


def test_work_that_failed_is_tried_again():
    cache = Cache()
    with pytest.raises(ZeroDivisionError):
        cache.once("a", lambda: 1 // 0)
    assert cache.once("a", lambda: "made") == "made"


def test_what_was_not_asked_for_the_longest_makes_room():
    """Three arrays of 800 bytes where two have room."""
    cache, made = Cache(memory=1600), []

    def ask(key):
        return cache.once(key, lambda: made.append(key) or np.full(100, float(ord(key))))

    for key in "abac":
        assert ask(key)[0] == ord(key)
    assert made == ["a", "b", "c"]
    ask("a")
    assert made == ["a", "b", "c"]
    ask("b")
    assert made == ["a", "b", "c", "b"]


def test_what_has_no_room_at_all_is_made_each_time_and_small_results_stay():
    cache, made = Cache(memory=100), []
    cache.once("small", lambda: made.append("small"))
    for _ in range(2):
        assert len(cache.once("large", lambda: made.append("large") or np.zeros(100))) == 100
    cache.once("small", lambda: made.append("small"))
    assert made == ["small", "large", "large"]


def test_bytes_are_those_of_all_arrays():
    assert count_bytes((np.zeros(3), (np.zeros(2, np.int32), 7), "x")) == 32


def test_text_shows_counts_only():
    cache = Cache()
    cache.once("CANARY", lambda: np.full(3, 7316540298.0))
    assert repr(cache) == "<Cache: 1 results of 24 bytes>"
