"""How far derivations hold in a table, and columns that are computed anew."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from swapmeet.errors import SchemaError
from swapmeet.tables.derivations import Derivation
from swapmeet.tables.derived_columns import FittedDerivation, TableFacts, check_derivation
from swapmeet.tables.frame import Table

RNG = np.random.default_rng(1)
N = 400
WEIGHT, HEIGHT = RNG.normal(75, 10, N).round(1), RNG.normal(1.7, 0.1, N).round(2)
AGE = RNG.integers(0, 100, N)
A, B = (RNG.integers(0, 10**7, N) / 100 for _ in "ab")
D = [Decimal(int(x)) / 100 for x in RNG.integers(0, 10**9, N)]
FRAME = pd.DataFrame(
    {
        "weight": WEIGHT, "height": HEIGHT, "bmi": (WEIGHT / HEIGHT**2).round(1),
        "a": A, "b": B, "total": (A + B).round(2), "noisy": A + B,
        "large": RNG.integers(2**60, 2**61, N), "d": D, "age": AGE,
        "group": np.digitize(AGE, [18, 65]),
        "words": np.array(["minor", "adult", "old"])[np.digitize(AGE, [18, 65])],
        "born": [dt.date(2020, 5, 5) - dt.timedelta(int(x) * 365) for x in AGE],
    }
).assign(
    larger=lambda x: x.large * 2 + 1,
    e=lambda x: [2 * one for one in x.d],
    f=lambda x: [3 * one for one in x.d],
    year=lambda x: [one.year for one in x.born],
    single=lambda x: (x.a / 3).astype("float32"),
)  # fmt: skip
HOLDING = [
    "bmi = weight / height ** 2",
    "bmi = round(weight / height ** 2, 1)",
    "total = a + b",
    "a = total - b",
    "noisy = a + b",
    "larger = large * 2 + 1",
    "f = d + e",
    "e = f - d",
    "group = cut(age, 18, 65)",
    'words = cut(age, 18, 65, "minor", "adult", "old")',
    'words = if(age < 18, "minor", if(age < 65, "adult", "old"))',
    "words = lookup(age)",
    "year = year(born)",
    "single = a / 3",
]


@pytest.mark.parametrize("text", HOLDING)
@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_what_holds_in_a_table_is_found_to_hold(text: str, library: str) -> None:
    table = {"pandas": FRAME, "polars": pl.from_pandas(FRAME),
             "pyarrow": pa.Table.from_pandas(FRAME)}[library]  # fmt: skip
    assert check_derivation(table, text) == 0


@pytest.mark.parametrize("text", [one for one in HOLDING if "bmi" not in one])
def test_a_column_computed_anew_from_the_original_is_the_same(text: str) -> None:
    table, derivation = Table(FRAME), Derivation(text)
    fitted = FittedDerivation(derivation, TableFacts.of((derivation,), table))
    column = table.plain(derivation.name)
    assert fitted.compute(table, column.type).equals(column)


def test_sums_add_up_to_the_last_digit_that_is_printed() -> None:
    table = Table(pd.DataFrame({"a": [0.1, 1.1, 0.7], "b": [0.2, 2.2, 0.1], "t": [0.3, 3.3, 0.8]}))
    derivation = Derivation("t = a + b")
    fitted = FittedDerivation(derivation, TableFacts.of((derivation,), table))
    assert [str(x) for x in fitted.compute(table, pa.float64()).to_pylist()] == [
        "0.3",
        "3.3",
        "0.8",
    ]


def test_halves_may_have_been_rounded_up_or_down() -> None:
    frame = pd.DataFrame({"a": [0.25, 0.35, 1.25], "up": [0.3, 0.4, 1.3], "even": [0.2, 0.4, 1.2]})
    for text in ("up = round(a, 1)", "even = round(a, 1)", "up = a", "even = a"):
        assert check_derivation(frame, text) == 0
    assert check_derivation(frame.assign(up=[0.4, 0.4, 1.3]), "up = round(a, 1)") == 1


def test_rows_that_break_a_derivation_are_counted() -> None:
    broken = FRAME.assign(total=FRAME.total + np.where(np.arange(N) < 7, 0.01, 0))
    assert check_derivation(broken, "total = a + b") == 7
    assert check_derivation(FRAME, "words = lookup(height)") > 0


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("x = a / b", [0.5, None, None, None]),
        ("x = a // b", [0.0, None, None, None]),
        ("x = log(b)", [np.log(2.0), None, 0.0, None]),
        ("x = sqrt(-b)", [None, 0.0, None, None]),
        ("x = max(a, b)", [2.0, 3.0, None, None]),
        ("x = if(a > 2, 1, 0)", [0.0, 1.0, None, None]),
        ("x = abs(-a) + ceil(0.5) - floor(0.5)", [2.0, 4.0, None, None]),
    ],
)
def test_missing_goes_to_missing_and_so_does_division_by_zero(
    text: str, wanted: list[float | None]
) -> None:
    frame = pd.DataFrame(
        {"a": [1.0, 3.0, None, np.nan], "b": [2.0, 0.0, 1.0, None], "x": [0.25, 0.1, 0.7, 1 / 3]}
    )
    table, derivation = Table(frame), Derivation(text)
    fitted = FittedDerivation(derivation, TableFacts.of((derivation,), table))
    assert fitted.compute(table, pa.float64()).to_pylist() == wanted


def test_facts_of_pieces_are_those_of_the_whole() -> None:
    derivations = (Derivation("total = a + b"), Derivation("words = lookup(age)"))
    whole = TableFacts.of(derivations, Table(FRAME))
    pieces = [Table(FRAME.iloc[begin : begin + 130]) for begin in range(0, N, 130)]
    merged, *others = [TableFacts.of(derivations, piece) for piece in pieces]
    for other in others:
        merged = merged.merge(other)
    assert merged.decimals == whole.decimals
    assert merged.unlike == whole.unlike
    known = [dict(zip(*(x.to_pylist() for x in facts.pairs["words"]), strict=True))
             for facts in (merged, whole)]  # fmt: skip
    assert known[0] == known[1]


def test_unseen_numbers_are_looked_up_at_the_nearest() -> None:
    derivation = Derivation("words = lookup(age)")
    facts = TableFacts.of((derivation,), Table(FRAME[["age", "words"]]))
    new = Table(pd.DataFrame({"age": [17.4, 64.4, -5.0, 500.0, np.nan], "words": [""] * 5}))
    found = FittedDerivation(derivation, facts).compute(new, pa.large_string()).to_pylist()
    assert found == ["minor", "adult", "minor", "old", None]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("total = a + words", "'words' holds text"),
        ("words = a + b", "what follows from the others is a number"),
        ("total = a + c", "no column 'c'"),
        ("total = total + a", "cannot follow from itself"),
        ("total = 3", "must follow from other columns"),
        ("group = year(age)", "needs a column of dates"),
        ("group = 1 + lookup(age)", "stands alone"),
        ('group = if(age > 3, 1, "x")', "two numbers or two texts"),
        ("bmi = round(a, b)", "must be a whole number"),
    ],
)
def test_what_cannot_be_meant_is_refused(text: str, message: Any) -> None:
    with pytest.raises(SchemaError, match=message):
        check_derivation(FRAME, text)
