from __future__ import annotations

import math
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swapmeet.app.formatting import FILTERS, clock, duration, in_100, label_setting, number

SHARES = st.floats(0.0, 1.0)


@pytest.mark.parametrize(
    ("share", "words"),
    [
        (0.0, "0 of 100"),
        (0.00001, "0.001 of 100"),
        (0.0123, "1.2 of 100"),
        (0.374, "37 of 100"),
        (0.9949, "99 of 100"),
        (0.999, "more than 99 of 100"),
        (1.0, "100 of 100"),
        (None, "–"),
    ],
)
def test_a_share_is_so_many_of_100(share, words):
    assert in_100(share) == words


@given(SHARES)
def test_a_share_never_has_a_power_of_ten(share):
    assert "e" not in in_100(share).replace("more", "").replace("less", "")


@given(SHARES)
def test_only_everybody_is_100_of_100(share):
    assert (in_100(share) == "100 of 100") == (100.0 * share == 100.0)


@given(st.floats())
def test_numbers_have_no_power_of_ten(value):
    assert "e+" not in number(value)
    assert (number(value) == "–") == (not math.isfinite(value))


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "a second"),
        (1.6, "2 seconds"),
        (89, "89 seconds"),
        (120, "2 minutes"),
        (3599, "60 minutes"),
        (3600, "1.0 hours"),
        (360_000, "100.0 hours"),
    ],
)
def test_times_are_in_the_unit_that_fits(seconds, words):
    assert duration(seconds) == words


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="the zone cannot be set here")
def test_the_clock_is_that_of_this_place(monkeypatch):
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    assert clock(13 * 3600 + 5 * 60) == "1 Jan 1970, 13:05"
    now = time.time()
    assert clock(now) == time.strftime("%H:%M", time.gmtime(now))
    monkeypatch.undo()
    time.tzset()


def test_a_setting_is_named_with_what_was_chosen():
    facts = {"method": "rwn", "chosen": {"k": "7", "weights": {"age": 0.5}}}
    assert label_setting(facts) == "Randomization within neighbourhoods (k 7, weights age: 0.5)"


def test_a_setting_without_choices_is_the_method():
    assert label_setting({"method": "rwn", "chosen": {}}) == "Randomization within neighbourhoods"


def test_templates_find_every_filter():
    assert all(map(callable, FILTERS.values()))
