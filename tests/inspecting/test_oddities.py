from __future__ import annotations

import numpy as np
import pandas as pd

import swapmeet as sm
from swapmeet.inspecting.columns import Columns
from swapmeet.inspecting.oddities import (
    find_births,
    find_constants,
    find_copies,
    find_infinite,
    find_repeats,
    find_written_values,
)
from swapmeet.tables.frame import Table

RNG = np.random.default_rng(7)
NUMBERS = RNG.integers(0, 10**6, 200)


def see(**columns):
    table = Table(pd.DataFrame(columns))
    return Columns(table, sm.Schema.guess(table, {}))


def test_a_column_of_one_value():
    columns = see(
        a=[1] * 200, b=NUMBERS, c=[1] * 199 + [None], d=[2] * 200, e=[None] * 200, f=[np.nan] * 200
    )
    found, *empty = find_constants(columns, {"d"})
    assert [one.command for one in empty] == ["--keep e", "--keep f"]
    assert found.columns == ("a",)


def test_numbers_that_are_infinite_or_too_large():
    vast, infinite = NUMBERS * 1e300, np.append(NUMBERS[1:], -np.inf)
    found = list(find_infinite(see(a=vast, b=infinite, c=NUMBERS, d=[None] * 200)))
    assert [one.columns for one in found] == [("a",), ("b",)]
    assert [one.rows for one in found] == [(NUMBERS > 0).sum(), 1]
    assert found[1].options == ("--drop", "b")


def test_copies_of_identifiers_are_not_kept_together():
    mail = [f"p{number}@example.org" for number in range(200)]
    assert not list(find_copies(see(a=mail, b=mail)))


def test_copies_are_told_and_other_codes_of_the_same_are_not():
    (found,) = find_copies(see(a=NUMBERS, b=NUMBERS + 1, c=NUMBERS.astype(float)))
    assert found.columns == ("a", "c")


def test_rows_entered_twice():
    twice = np.append(NUMBERS, NUMBERS[:7])
    (found,) = find_repeats(see(a=twice, b=twice % 7), None)
    assert found.rows == 7
    assert not list(find_repeats(see(a=NUMBERS % 3, b=NUMBERS % 2), None))
    assert not list(find_repeats(see(a=twice), "a"))


def test_numbers_with_thousands_separators():
    texts = [f"{number:,}" for number in NUMBERS]
    swiss = [text.replace(",", "'") for text in texts]
    columns = see(a=texts, b=swiss, c=[f"x{n}" for n in NUMBERS])
    (found,) = find_written_values(columns, {"a"})
    assert found.columns == ("a", "b")


def test_dates_of_birth_by_name_and_values():
    days = pd.Timestamp("1950-01-01") + pd.to_timedelta(NUMBERS % 20_000, unit="D")
    found = find_births(
        see(dob=days, visit=days, born=days.strftime("%d.%m.%Y"), birth_order=NUMBERS % 5)
    )
    assert [one.columns for one in found] == [("dob",), ("born",)]
