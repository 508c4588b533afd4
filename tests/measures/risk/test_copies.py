from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import swapmeet as sm
from swapmeet.measures.risk.copies import Copies
from swapmeet.methods import Cart, Microaggregation
from swapmeet.testing import check_measure


def copies(original, released, *, known=None, keys=None, at_most=None):
    columns = tuple(
        sm.Column(name, "nominal", "key" if keys is None or name in keys else "sensitive")
        for name in original
    )
    card = sm.assess(
        original, released, schema=sm.Schema(columns), known=known, measures=["copies"],
        at_most=at_most,
    )  # fmt: skip
    return card["copies"]


def shuffle(frame, rng):
    return pd.DataFrame({name: frame[name].to_numpy()[rng.permutation(len(frame))]
                         for name in frame})  # fmt: skip


# anchors


def test_an_unchanged_release_publishes_all_who_are_unique():
    people = pd.DataFrame({"x": range(200), "t": list("ab") * 100})
    found = copies(people, people)
    assert found.value == 1.0
    assert found.finding == (
        "the whole records of 200 of 200 people stand in the release, where chance alone would "
        "bring back 100"
    )
    assert found.judged == pytest.approx(0.5, abs=0.01)
    assert "Only" not in found.sentence


def test_means_publish_nobody():
    rng = np.random.default_rng(1)
    people = pd.DataFrame(rng.normal(size=(300, 4)), columns=list("abcd"))
    release = sm.mask(people, Microaggregation(k=5), seed=1)
    found = sm.assess(people, release, measures=["copies"])["copies"]
    assert found.value == 0.0
    assert found.interval[0] == 0.0 < found.interval[1]
    assert "chance alone would bring back the records of hardly anyone." in found.sentence


def test_it_keeps_the_contract():
    check_measure(Copies())


# by hand

PEOPLE = pd.DataFrame(
    {"sex": list("ffffmmm"), "town": list("aaabbbc"), "ill": list("xxyzxxy")}
)  # fax twice, fay, fbz, mbx twice, mcy


def test_records_count_wherever_and_however_often_they_stand():
    """fay stands twice, in others' places; mcy and fbz nowhere; fax is two people's."""
    released = pd.DataFrame(
        {"sex": list("fffffmf"), "town": list("aaaabbb"), "ill": list("yxyxxxx")}
    )
    found = copies(PEOPLE, released)
    assert found.details["unique people"] == 3
    assert found.details["people whose record is released"] == 1
    assert found.details["released rows that are such a record"] == 2
    assert found.value == pytest.approx(2 / 7)
    assert found.records.tolist() == [0, 0, 1, 0, 0, 0, 0]
    assert found.finding == ("2 of 7 released rows are the whole record of a person who is unique")
    assert found.sentence.endswith(" Only 7 rows: the figure is rough.")


def test_but_for_one_column_counts_who_is_unique_in_the_others():
    """mcx: c alone is unique, in town and sex, in town and illness; fbx is nearly two people's.

    Of fbz, b and z are unique together, f and z as well; the rows have neither.
    """
    released = PEOPLE.assign(ill=list("xxxxxxx"))
    found = copies(PEOPLE, released)
    assert found.value == 0.0
    assert found.details["share of people, but for one column"] == pytest.approx(2 / 7)


def test_the_keys_alone_are_told_apart():
    released = PEOPLE.assign(ill=list("zzzzzzz"))
    found = copies(PEOPLE, released, keys=["sex", "town"])
    assert found.details["people whose record is released"] == 1
    assert found.details["unique people, keys only"] == 2
    assert found.details["people whose record is released, keys only"] == 2
    assert "unique people, keys only" not in copies(PEOPLE, released).details


def test_columns_that_nobody_touched_are_told():
    columns = tuple(sm.Column(name, "nominal") for name in PEOPLE)
    ask = {"schema": sm.Schema(columns), "match": "rows", "measures": ["copies"]}
    found = sm.assess(PEOPLE, PEOPLE.assign(ill=list("zzzzzzz")), **ask)["copies"]
    assert found.details["columns as they were"] == 2
    assert " 2 of 3 masked columns are as they were." in found.sentence
    mixed = copies(PEOPLE, PEOPLE[::-1])
    assert mixed.details["columns as they were"] == 0


def test_chance_is_the_product_of_frequencies():
    """fay: 4/7 * 3/7 * 2/7 of the rows of a shuffled release, or one of its two y at 12/49."""
    found = copies(PEOPLE, PEOPLE)
    rows = (4 * 3 * 2 + 4 * 3 * 1 + 3 * 1 * 2) / 7**3
    people = 1 - (1 - 12 / 49) ** 2 + 12 / 49 + 6 / 49
    assert found.details["share of rows by chance"] == pytest.approx(rows)
    assert found.details["share of people by chance"] == pytest.approx(people / 7)


def test_a_value_that_stands_alone_in_one_column_is_published_by_any_shuffle():
    people = pd.DataFrame({"x": range(50)})
    found = copies(people, people[::-1])
    assert found.value == found.details["share of people by chance"] == 1.0


def test_without_unique_people_there_is_nothing_to_find():
    people = pd.DataFrame({"x": list("aabb"), "t": list("ccdd")})
    found = copies(people, people)
    assert found.value == 0.0
    assert found.sentence.startswith("Nobody's record is unique in x and t")


# invariances

CELLS = st.sampled_from(["a", "b", "c", None])
RECORDS = st.lists(st.tuples(CELLS, CELLS, CELLS, CELLS), min_size=2, max_size=30)


def frame(records):
    return pd.DataFrame(records, columns=list("wxyz"), dtype=object)


def figures(score):
    return {"value": score.value} | dict(score.details)


@given(RECORDS, st.randoms(use_true_random=False))
def test_counts_are_those_of_a_plain_search(records, random):
    released = [random.choice(records) if random.random() < 0.5 else
                tuple(random.choice(records)[j] for j in range(4)) for _ in records]  # fmt: skip
    found = copies(frame(records), frame(released))
    unique = [record for record in records if records.count(record) == 1]
    published = [record for record in unique if record in released]
    rows = [record for record in released if record in unique]
    assert found.details["unique people"] == len(unique)
    assert found.details["people whose record is released"] == len(published)
    assert found.details["released rows that are such a record"] == len(rows)
    assert found.value == pytest.approx(max(len(published), len(rows)) / len(records))
    near = [r for r in unique if r in released or any(_is_near(r, j, records, released)
                                                      for j in range(4))]  # fmt: skip
    share = len(near) / len(records)
    assert found.details["share of people, but for one column"] == pytest.approx(share)


def _is_near(record, j, records, released):
    rest = record[:j] + record[j + 1 :]
    alike = [other for other in records if other[:j] + other[j + 1 :] == rest]
    return len(alike) == 1 and any(row[:j] + row[j + 1 :] == rest for row in released)


@given(RECORDS, st.randoms(use_true_random=False))
def test_order_of_rows_and_names_of_columns_do_not_matter(records, random):
    released = [random.choice(records) for _ in records]
    one = figures(copies(frame(records), frame(released)))
    mixed = [random.sample(rows, len(rows)) for rows in (records, released)]
    assert figures(copies(*map(frame, mixed))) == pytest.approx(one)
    names = dict(zip("wxyz", ["a b", "Ä", "1", "value"], strict=True))
    renamed = (frame(rows).rename(columns=names) for rows in (records, released))
    assert figures(copies(*renamed)) == pytest.approx(one)


@given(RECORDS)
def test_a_row_that_nobody_touched_is_one_more_copy(records):
    released = records[::-1]
    before = copies(frame(records), frame(released)).details
    after = copies(*(frame([*rows, ("new",) * 4]) for rows in (records, released))).details
    assert after["unique people"] == before["unique people"] + 1
    for count in ("people whose record is released", "released rows that are such a record"):
        assert after[count] == before[count] + 1


@given(RECORDS)
def test_a_person_who_is_there_twice_is_not_unique(records):
    twice = frame(records + records)
    assert copies(twice, twice).value == 0.0


def test_few_people_stand_for_many():
    rng = np.random.default_rng(3)
    people = pd.DataFrame(rng.integers(0, 4, size=(4000, 5)), columns=list("abcde"))
    released = people.assign(a=rng.permutation(people["a"]))
    whole, some = (copies(people, released, at_most=at_most) for at_most in (None, 1000))
    assert some.value == whole.value
    for name in ("share of people, but for one column", "share of people by chance"):
        assert some.details[name] == pytest.approx(whole.details[name], abs=0.06)


# nothing to find


@pytest.mark.parametrize("levels", [3, 6, 40])
def test_shuffled_columns_get_chance(levels):
    """The mean of 60 shuffles; a correct expectation fails once in 10,000 (four se)."""
    rng = np.random.default_rng(levels)
    people = pd.DataFrame(rng.integers(0, levels, size=(300, 4)), columns=list("abcd"))
    scores = [copies(people, shuffle(people, rng)) for _ in range(60)]
    for what, count in (
        ("people", "people whose record is released"),
        ("rows", "released rows that are such a record"),
    ):
        counts = np.array([score.details[count] for score in scores])
        expected = 300 * np.mean([score.details[f"share of {what} by chance"] for score in scores])
        assert abs(counts.mean() - expected) < 4 * counts.std(ddof=1) / 60**0.5 + 0.02 * expected


# the table of what was overlooked


def test_rwn_with_one_neighbour_publishes_most_people(shared):
    census = pd.read_csv(shared / "data" / "census.csv").iloc[:, -12:]
    release = sm.mask(census, sm.RWN(k=1, q=0.99), seed=1)
    found = sm.assess(census, release, measures=["copies"])["copies"]
    assert 0.55 < found.details["people whose record is released"] / 1080 < 0.67
    assert found.value > 0.8
    assert "hardly anyone" in found.sentence
    rng = np.random.default_rng(1)
    assert sm.assess(census, shuffle(census, rng), measures=["copies"])["copies"].value == 0.0


def test_the_rows_of_a_tree_with_small_leaves_are_people(masked):
    fair = sm.datasets.load("fair")
    release = masked(fair, Cart(min_leaf=1), seed=1)
    found = sm.assess(fair, release, measures=["copies"])["copies"]
    assert found.value == pytest.approx(0.62, abs=0.02)
    assert "released rows are the whole record of a person who is unique" in found.finding
