"""Columns that follow from others: what may be written, and in what order they are computed."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swapmeet.errors import ParameterError, SchemaError, SwapmeetError
from swapmeet.tables.derivations import Derivation, order_derivations


@pytest.mark.parametrize(
    ("text", "name", "parents"),
    [
        ("bmi = weight / height ** 2", "bmi", ("weight", "height")),
        ("`net pay` = gross - `tax, all`", "net pay", ("gross", "tax, all")),
        ("x = round(a, 1) + max(a, b, -c)", "x", ("a", "b", "c")),
        ("g = cut(age, 18, 65)", "g", ("age",)),
        ('g = if(age < 18 and sex = "f", "girl", "other")', "g", ("age", "sex")),
        ("g = lookup(age)", "g", ("age",)),
        ("round = min + max", "round", ("min", "max")),
    ],
)
def test_what_a_derivation_says(text: str, name: str, parents: tuple[str, ...]) -> None:
    found = Derivation(text)
    assert (found.name, found.parents) == (name, parents)


@pytest.mark.parametrize(
    "text",
    ["", "x", "x =", "= a", "x = a +", "x = a b", "x = (a", "x = a < 3", "x = __import__('os')",
     "x = a.b()", "x = f(a)", "x = round()", "x = cut(a)", "x = if(a, 1, 2)", "x = [a]",
     "x = a; y = b", "x = lambda: a", "3 = a", "x = a ** ", "x = 'a"],
)  # fmt: skip
def test_what_is_no_derivation_is_refused(text: str) -> None:
    with pytest.raises(ParameterError):
        Derivation(text)


def test_each_comes_after_those_it_follows_from() -> None:
    texts = ["c = b + 1", "b = a + 1", "d = c / b"]
    assert [one.name for one in order_derivations(texts)] == ["b", "c", "d"]


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["a = b + 1", "b = a - 1"], "a, b follow from each other in a circle"),
        (["a = b", "b = c", "c = a"], "in a circle"),
        (["a = b + c", "a = b - c"], "'a' is derived in two ways"),
    ],
)
def test_circles_and_two_ways_are_refused(texts: list[str], message: str) -> None:
    with pytest.raises(SchemaError, match=message):
        order_derivations(texts)


@given(st.text(max_size=40))
def test_no_text_makes_it_fail_otherwise(text: str) -> None:
    with contextlib.suppress(SwapmeetError):
        Derivation(text)
    with contextlib.suppress(SwapmeetError):
        Derivation(f"x = {text}")
