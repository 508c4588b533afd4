from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import swapmeet as sm
from swapmeet.inspecting.columns import Columns
from swapmeet.tables.derived_columns import check_derivation
from swapmeet.tables.frame import Table
from swapmeet.ties.sums import find_sums

ODD = [("x`y", "b", "c"), ("Missing", "b", "year"), ("a=b", "c,d", "e")]
"""Names that an expression must set apart, or cannot have."""


def sums(frame):
    table = Table(frame)
    return list(find_sums(Columns(table, sm.Schema.guess(table, {})), ()))


def texts(frame):
    return [one.about for one in sums(frame)]


@pytest.fixture
def books():
    rng = np.random.default_rng(6)
    wages, rent, other, tax = rng.integers(0, 10**6, (4, 500))
    frame = pd.DataFrame({"wages": wages, "rent": rent, "other": other})
    frame["income"] = frame.sum(axis=1)
    return frame.assign(tax=tax, net=frame.income - tax)


def test_totals_and_differences_are_found_each_for_itself(books):
    assert sorted(texts(books)) == ["income = wages + rent + other", "net = income - tax"]


def test_a_total_by_its_name_is_what_is_computed():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.integers(0, 99, (200, 2)), columns=["a", "b"])
    assert texts(frame.assign(c=frame.a + frame.b)) == ["c = a + b"]
    assert texts(frame.assign(total=frame.a - frame.b)) == ["total = a - b"]


def test_cents_add_up_to_the_last_digit():
    rng = np.random.default_rng(2)
    parts = rng.integers(0, 10**7, (3, 2_000)) / 100
    frame = pd.DataFrame({"a": parts[0], "b": parts[1], "c": parts[2]})
    assert texts(frame.assign(t=np.round(parts.sum(axis=0), 2))) == ["t = a + b + c"]


def test_a_sum_with_errors_is_proposed_with_a_rest(books):
    books.loc[[3, 70], "income"] += 100
    found = {one.about: one for one in sums(books)}
    wrong = found["income = wages + rent + other"]
    assert (wrong.rows, wrong.reason) == (498, "in 498 of 500 rows")
    assert wrong.options == ("--derive", "income = wages + rent + other + rest")
    assert found["net = income - tax"].rows == 498


def test_a_sum_in_half_of_the_rows_is_none(books):
    books.loc[:250, "income"] += 100
    books.loc[:250, "net"] += 500
    assert texts(books) == []


@pytest.fixture
def companies():
    """Totals of numbers that were rounded after they were added; a few are wrong."""
    rng = np.random.default_rng(8)
    parts = rng.lognormal(5, 1, (6, 1_500))
    frame = pd.DataFrame(parts.round().astype(int).T, columns=list("abcdef"))
    frame["home"] = (parts[0] + parts[1] + parts[2]).round().astype(int)
    frame["abroad"] = (parts[3] + parts[4]).round().astype(int)
    frame.loc[:9, "abroad"] += 500
    return frame.assign(staff=rng.integers(1, 9, 1_500))


def test_rounded_totals_are_found_with_both_counts(companies):
    found = {one.about: one for one in sums(companies)}
    assert set(found) == {"home = a + b + c", "abroad = d + e"}
    home, abroad = found["home = a + b + c"], found["abroad = d + e"]
    exact = int((companies.home == companies.a + companies.b + companies.c).sum())
    assert home.reason == (
        f"in {exact:,} of 1,500 rows, and up to rounding (by 2 at most) in 1,500"
    )
    assert "in 1,490" in abroad.reason
    assert abroad.options == ("--derive", "abroad = d + e + rest")


def test_the_word_for_the_rest_gives_way_to_a_column_of_this_name(companies):
    renamed = companies.rename(columns={"a": "rest"})
    (home,) = [one for one in sums(renamed) if one.columns[0] == "home"]
    assert home.options == ("--derive", "home = `rest` + b + c + rest()")


def test_numbers_of_little_range_are_no_rounded_sums():
    rng = np.random.default_rng(4)
    frame = pd.DataFrame(rng.integers(0, 4, (900, 6)), columns=list("abcdef"))
    assert texts(frame.assign(g=frame.a + frame.b + rng.integers(-1, 2, 900))) == []


def test_gaps_do_not_hide_a_sum(books):
    gaps = books.astype("Int64").mask(np.random.default_rng(3).random(books.shape) < 0.05)
    assert sorted(texts(gaps)) == ["income = wages + rent + other", "net = income - tax"]


def test_no_column_is_computed_from_itself():
    rng = np.random.default_rng(9)
    a, b = rng.integers(0, 1000, (2, 300))
    found = sums(pd.DataFrame({"a": a, "b": b, "total": a + b, "diff": a - b, "x": 2 * a}))
    assert sorted(one.columns[0] for one in found) == ["diff", "total"]


def test_odd_names_stand_between_backquotes():
    rng = np.random.default_rng(2)
    a, b = rng.integers(0, 1000, (2, 300))
    assert texts(pd.DataFrame({"Löhne": a, "a b": b, "Total (CHF)": a + b})) == [
        "`Total (CHF)` = Löhne + `a b`"
    ]


@pytest.mark.parametrize(
    "names", [("x`y", "b", "c"), ("Missing", "b", "year"), ("a=b", "c,d", "e")]
)
def test_what_is_proposed_can_be_read_again(names):
    rng = np.random.default_rng(2)
    a, b = rng.integers(0, 1000, (2, 300))
    frame = pd.DataFrame(dict(zip(names, (a, b, a + b), strict=True)))
    (found,) = sums(frame)
    if found.options:
        assert check_derivation(frame, found.options[1]) == 0
    assert bool(found.options) == ("`" not in names[0])


@given(st.integers(20, 200), st.integers(2, 5), st.integers(0, 2**32))
def test_every_sum_that_is_proposed_holds(rows, parts, seed):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({f"x{j}": rng.integers(-5, 50, rows) for j in range(parts)})
    signs = rng.choice([-1, 1], parts)
    frame["y"] = (frame * signs).sum(axis=1)
    found = sums(frame)
    for one in found:
        target, _, expression = one.about.partition(" = ")
        assert (frame.eval(expression) == frame[target]).sum() == one.rows
    varies = all(frame[name].nunique() > 1 for name in frame)
    assert found or rows < 2 * parts + 2 or not varies


def test_a_multiple_of_another_column_hides_no_sum():
    rng = np.random.default_rng(8)
    days, drugs = rng.integers(1, 30, 400), rng.integers(0, 9_999, 400) / 100
    came = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, 400), unit="D")
    stays = pd.DataFrame({"days": days, "came": came, "left": came + pd.to_timedelta(days, "D")})
    stays = stays.assign(room=days * 310.5, drugs=drugs, cost=days * 310.5 + drugs)
    assert sorted(texts(stays)) == ["cost = room + drugs", "left = days + came"]
