from __future__ import annotations

import pickle
import threading
import time

import pytest

from swapmeet.base.parallel import Workers
from swapmeet.base.progress import INTERVAL, Beat, Pulse, Stoppable, quieten, silent, tell
from swapmeet.errors import Stopped, SwapmeetError


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def stop(*_):
    raise Stopped


def test_no_handler_of_errors_swallows_a_stop():
    assert not issubclass(Stopped, Exception)
    assert not issubclass(Stopped, SwapmeetError)


@pytest.mark.slow
def test_a_stop_button_works_from_another_thread():
    job = Stoppable()
    thread = threading.Timer(0.05, job.stop)
    thread.start()
    with pytest.raises(Stopped):
        Workers(2, Pulse.of(job)).each(lambda a, b: time.sleep(0.01), 10_000, size=1, label="x")
    thread.join()
    assert job.stopped


def test_news_reach_whoever_listens_and_nobody_else():
    class Listener(Stoppable):
        heard = ()

        def tell(self, news):
            self.heard += (news,)

    listener = Listener()
    tell(Pulse.of(Stoppable(listener)), "good")
    tell(silent, "good")
    assert listener.heard == ("good",)


def test_work_inside_work_repeats_the_last_step_now_and_then():
    told, clock = [], Clock()
    pulse = Pulse(lambda *step: told.append(step), clock)
    inner = quieten(pulse)
    pulse("measures", 1, 9)
    inner("links", 3, 100)
    assert told == [("measures", 1, 9)]
    clock.now += INTERVAL
    inner("links", 4, 100)
    inner("links", 5, 100)
    assert told == [("measures", 1, 9)] * 2


def test_the_user_is_called_in_one_thread_only():
    callers = set()
    pulse = Pulse(lambda *_: callers.add(threading.get_ident()))
    inside = Workers(1, quieten(pulse))

    def task(begin, end):
        inside.each(lambda a, b: time.sleep(INTERVAL / 4), 6, size=1, label="inner")

    Workers(3, pulse).each(task, 6, size=1, label="outer")
    assert callers == {threading.get_ident()}


def test_a_stop_ends_what_goes_on_inside_in_every_thread():
    """Each task alone would take a minute."""
    calls, steps = [], []

    def third(*_):
        calls.append(1)
        if len(calls) == 3:
            raise Stopped

    workers = Workers(2, Pulse.of(third))

    def task(begin, end):
        workers.inside(2).each(
            lambda a, b: steps.append(time.sleep(0.01)), 6_000, size=1, label="inner"
        )

    before, begin = threading.active_count(), time.monotonic()
    with pytest.raises(Stopped):
        workers.each(task, 4, size=1, label="outer")
    assert time.monotonic() - begin < 10.0
    assert threading.active_count() == before
    assert steps


def test_a_signal_ends_what_goes_on_inside_as_well():
    pulse = Pulse(silent)
    workers = Workers(2, pulse)

    def task(begin, end):
        if begin == 0:
            raise Stopped
        workers.inside().each(lambda a, b: time.sleep(0.01), 6_000, size=1, label="inner")

    begin = time.monotonic()
    with pytest.raises(Stopped):
        workers.each(task, 2, size=1, label="outer")
    assert time.monotonic() - begin < 10.0


def test_what_a_faulty_display_raises_is_raised():
    def faulty(*_):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        Workers(2, Pulse.of(faulty)).each(lambda a, b: None, 9, size=1, label="x")


def test_nothing_is_wrapped_twice():
    pulse = Pulse.of(silent)
    assert Pulse.of(pulse) is pulse
    assert quieten(pulse) == Beat(pulse)
    assert quieten(quieten(pulse)) == Beat(pulse)
    assert quieten(silent) is silent
    assert quieten(print) is silent


def test_workers_without_a_watcher_can_be_sent_to_another_process():
    workers = Workers(2).inside(1)
    assert pickle.loads(pickle.dumps(workers)) == workers
