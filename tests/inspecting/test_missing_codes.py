from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.inspecting.columns import Columns
from swapmeet.inspecting.missing_codes import find_codes_of, find_missing_codes
from swapmeet.tables.frame import Table

RNG = np.random.default_rng(3)


def codes(values, **roles):
    table = Table(pd.DataFrame({"x": values}))
    return find_codes_of(Columns(table, sm.Schema.guess(table, {}).assign(**roles)), "x")


def draw(low, high, *extra, times=5, rows=400):
    return np.append(RNG.integers(low, high + 1, rows), np.repeat(extra, times))


@pytest.mark.parametrize(
    ("values", "found"),
    [
        (draw(1, 5, -9), {-9: 5}),
        (draw(0, 90_000, -9, -8), {-9: 5, -8: 5}),
        (draw(1, 5, 9), {9: 5}),
        (draw(1, 5, 8, 9), {8: 5, 9: 5}),
        (draw(1, 2, 9), {9: 5}),
        (draw(0, 60, 97, 98, 99), {97: 5, 98: 5, 99: 5}),
        (draw(0, 60, 999), {999: 5}),
        (draw(1920, 2005, 9999), {9999: 5}),
        (draw(0, 60, -1, 999), {999: 5}),
        (draw(-5_000, 60_000, -999, times=50), {-999: 50}),
        (draw(0, 60, -9).astype(float), {-9: 5}),
    ],
)
def test_well_known_codes_far_from_the_rest(values, found):
    assert codes(values) == found


@pytest.mark.parametrize(
    "values",
    [
        draw(0, 99),
        draw(18, 95, 99),
        draw(-9, 30),
        draw(-3, 3),
        draw(1, 7, 9),
        draw(0, 100_000, 9999, times=1),
        draw(0, 60, 150),
        draw(0, 60, 999, times=2),
        draw(1, 1, 9),
        draw(2, 3, 9),
        draw(1, 5, 9, times=200),
        np.append(RNG.normal(size=300), [-9.0] * 5),
    ],
)
def test_values_that_people_may_have_are_no_codes(values):
    assert codes(values) == {}


def test_words_for_missing_are_codes():
    jobs = ["cook", "baker"] * 20 + ["Refused"] * 4 + ["keine Angabe"] * 3 + ["?"] * 2
    assert codes(jobs) == {"Refused": 4, "keine Angabe": 3}


def test_small_numbers_among_those_with_thousands_separators_are_no_codes():
    amounts = [f"{number:,}" for number in draw(0, 1_100, 9, 99)]
    assert codes(amounts) == {}
    assert codes([*amounts, *["n/a"] * 3]) == {"n/a": 3}


def test_labels_of_the_file_tell_codes_that_stand_among_the_values():
    frame = pd.DataFrame({"x": draw(0, 7)})
    labels = {"x": {0: "never", 6: "Don't know", 7: "refused"}}
    found = sm.inspect(frame, labels=labels).findings
    rows = int((frame.x >= 6).sum())
    assert [(one.command, one.rows) for one in found] == [("--missing x:6,7", rows)]
    assert "judging by labels" in found[0].reason


def test_declared_codes_are_not_found_again():
    assert codes(draw(1, 5, -9), missing=-9) == {}


def test_the_option_names_the_column():
    table = Table(pd.DataFrame({"a b": draw(1, 5, -9, -8)}))
    (found,) = find_missing_codes(Columns(table, sm.Schema.guess(table, {})))
    assert found.command == "--missing 'a b:-9,-8'"
    assert found.rows == 10
