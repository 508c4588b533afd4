from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.errors import SchemaError, TableError
from swapmeet.measures.risk.membership import Membership
from swapmeet.methods import Cart, Microaggregation, Noise
from swapmeet.testing import check_measure


def membership(original, release, **options):
    return sm.assess(original, release, measures=["membership"], **options)["membership"]


def draw_people(n, seed, columns=4):
    rng = np.random.default_rng(seed)
    common = rng.normal(size=n)
    return pd.DataFrame({f"x{j}": common + rng.normal(size=n) for j in range(columns)})


# anchors


def test_an_unchanged_release_tells_everybody():
    people = draw_people(300, 1)
    found = membership(people, people, match="rows")
    assert found.value == 1.0
    assert "100 % of the people" in found.sentence
    assert found.finding == (
        "an intruder who knows x0, x1, x2 and x3 takes 100 of 100 more people in the file for "
        "members than strangers"
    )


@pytest.mark.slow
def test_it_keeps_the_contract():
    check_measure(Membership())


@pytest.mark.slow
def test_shuffled_columns_tell_hardly_anybody():
    """200 shuffles: the limit of 0.1 is kept by the upper end of every interval: no false alarm.

    A row that holds a value of a person is a little nearer to them, so that the advantage is not 0
    but of the order of columns by rows (4 / 400); see the next test. What is judged without any
    difference is tested with `judge`.
    """
    people = draw_people(400, 2).round(1)
    scores = [membership(people, sm.mask(people, sm.SJPPDS(bins=1), seed=s)) for s in range(200)]
    assert np.mean([score.value for score in scores]) < 0.02
    assert max(score.interval[1] for score in scores) < 0.1


@pytest.mark.slow
def test_shuffled_columns_tell_as_much_by_leaving_out_as_by_strangers():
    """30 shuffles of two columns: a row that holds a value of a person is a little nearer to them.

    The difference of the means has a standard error of 0.01.
    """
    left, told = [], []
    for seed in range(30):
        both = draw_people(600, seed, columns=2)
        people, strangers = both[:300].reset_index(drop=True), both[300:]
        release = sm.mask(people, sm.SJPPDS(bins=1), seed=seed)
        left.append(membership(people, release).value)
        told.append(membership(people, release, control=strangers).value)
    assert max(left) < 0.12
    assert np.mean(left) == pytest.approx(np.mean(told), abs=0.04)


# what a release without a person would be


@pytest.mark.parametrize(
    ("method", "off"),
    [
        (sm.RWN(k=1, q=0.99), 0.1),
        (Noise(level=0.1), 0.1),
        (Noise(level=0.5), 0.1),
        (Microaggregation(k=3), 0.12),
        (Microaggregation(k=3, permute=True), 0.15),
        (sm.RankSwap(window=0.05), 0.1),
        (Cart(min_leaf=2), 0.15),
    ],
    ids=str,
)
def test_leaving_people_out_gives_what_strangers_give(masked, method, off):
    """Means of four halves; the standard error of either is about 0.02."""
    left, told = [], []
    for seed in range(4):
        both = draw_people(1000, seed)
        people, strangers = both[:500].reset_index(drop=True), both[500:]
        release = masked(people, method, seed=seed)
        left.append(membership(people, release).value)
        told.append(membership(people, release, control=strangers).value)
    assert np.mean(left) == pytest.approx(np.mean(told), abs=off)


def test_synthetic_rows_are_judged_by_who_gave_their_values(masked):
    people = draw_people(500, 5)
    memorised, learned = (
        membership(people, masked(people, Cart(min_leaf=leaf), seed=1)) for leaf in (1, 50)
    )
    assert memorised.value > 0.4 > 0.2 > learned.value


def test_a_release_from_elsewhere_needs_strangers():
    both = draw_people(600, 6)
    people, strangers = both[:300].reset_index(drop=True), both[300:].reset_index(drop=True)
    elsewhere = people.sample(frac=1, random_state=1)
    alone = membership(people, elsewhere)
    assert "give the audit record, or people who are not in the file" in alone.undefined
    found = membership(people, elsewhere, control=strangers)
    assert found.value > 0.9
    assert found.details["people without the file"] == "300 people who are not in the file"


def test_rows_said_to_be_in_order_are_looked_at_for_values_of_ones_own():
    """Each person's record stands in the next one's place."""
    people = draw_people(300, 7)
    moved = people.iloc[np.roll(np.arange(300), 1)].reset_index(drop=True)
    assert membership(people, moved, match="rows").value > 0.9


def test_keys_and_everything_are_told_apart(masked):
    """The keys were shuffled, the rest was left as it is."""
    people = draw_people(300, 8).round(2)
    schema = sm.Schema.infer(people).assign(key=["x0", "x1"], sensitive=["x2", "x3"])
    shuffle = sm.SJPPDS(bins=1)
    release = masked(people, sm.PerColumn(parts=[(shuffle, ["x0", "x1"])]), schema=schema, seed=1)
    keys = membership(people, release)
    assert keys.value < 0.5
    assert keys.details["advantage knowing everything"] > 0.95
    rich = membership(people, release, intruder="everything")
    assert rich.value == keys.details["advantage knowing everything"]
    assert membership(people, release, known=["x2", "x3"]).value > 0.95


def test_values_of_ones_own_are_counted_by_column():
    people = pd.DataFrame({"x": [*range(10), 0, 0], "t": list("aabbccddeeff")})
    schema = sm.Schema((sm.Column("x", "nominal"), sm.Column("t", "nominal")))
    details = membership(people, people[::-1], match="rows", schema=schema).details
    assert details["share with a value of their own"] == pytest.approx(9 / 12)
    assert details["share with a value of their own, x"] == pytest.approx(9 / 12)
    assert "share with a value of their own, t" not in details
    assert details["share with a pair of values of their own"] == pytest.approx(10 / 12)


def test_few_people_are_not_halved():
    people = draw_people(9, 1)
    assert "fewer than 10 people" in membership(people, people, match="rows").undefined
    small = draw_people(40, 1)
    assert "only 40 rows" in membership(small, small, match="rows").sentence


# invariances


def test_order_of_the_release_does_not_matter():
    people = draw_people(300, 9)
    release = sm.mask(people, sm.RWN(k=3), seed=1)
    one = membership(people, release)
    other = membership(people, release.shuffled(), audit=release.audit)
    assert other.value == one.value


def test_names_units_and_missing_values_do_not_matter(masked):
    people = draw_people(300, 10)
    people.iloc[::7, 1] = np.nan
    release = masked(people, sm.RankSwap(window=0.1), seed=1)
    one = membership(people, release)
    names = {"x0": "a b", "x1": "Ä"}
    renamed = people.rename(columns=names) * 1024.0
    other = membership(renamed, masked(renamed, sm.RankSwap(window=0.1), seed=1))
    assert 0 < one.value < 1
    assert other.value == pytest.approx(one.value, abs=0.1)


def test_some_people_stand_for_all():
    people = draw_people(1500, 11)
    release = sm.mask(people, Noise(level=0.2), seed=1)
    whole, some = (membership(people, release, at_most=at_most) for at_most in (None, 400))
    assert some.value == pytest.approx(whole.value, abs=0.1)
    assert np.ptp(some.interval) > np.ptp(whole.interval)


# control people


def test_strangers_need_the_same_columns_and_rows():
    people = draw_people(50, 12)
    with pytest.raises(SchemaError, match="control: no column 'x3'"):
        membership(people, people, control=people.drop(columns="x3"))
    with pytest.raises(TableError, match="no rows"):
        membership(people, people, control=people[:0])


def test_levels_that_only_strangers_have_are_levels():
    people = pd.DataFrame({"x": np.arange(60.0), "t": list("abc") * 20})
    strangers = pd.DataFrame({"x": np.arange(60.0) + 0.5, "t": list("xyz") * 20})
    found = membership(people, people, control=strangers)
    assert found.value == 1.0


def test_census_is_told_as_the_table_of_what_was_overlooked_has_it(shared):
    census = pd.read_csv(shared / "data" / "census.csv").iloc[:, -12:]
    found = membership(census, sm.mask(census, sm.RWN(k=1, q=0.99), seed=1))
    assert 0.55 < found.value < 0.75
