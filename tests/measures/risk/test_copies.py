from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import swapmeet as sm
from swapmeet.comparison.comparison import EquivalenceClasses
from swapmeet.measures.risk.copies import CopiedRecords, Copies
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
        "the whole records of 200 of 200 people are in the release, where chance alone would "
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


@pytest.mark.slow
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
    assert found.sentence.endswith(" With only 7 rows the figure is rough.")


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


@pytest.mark.slow
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


@pytest.mark.slow_case("6", "40")
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


# where the donor map is known


@pytest.fixture
def assess_copies(masked):
    return partial(_assess_copies, masked)


def _assess_copies(masked, people, method, schema):
    release = masked(people, method, schema=schema, seed=1)
    return sm.assess(people, release, schema=schema, measures=["copies"])["copies"]


@pytest.mark.slow
def test_records_that_came_together_from_several_people_are_told_and_not_judged(assess_copies):
    fair, schema = sm.datasets.load("fair"), sm.datasets.schema("fair")
    found = assess_copies(fair, sm.MatchedSwap(k=30), schema)
    own = found.details["share of rows that are the person's own data"]
    assert found.value > 0.1
    assert found.judged == own < 0.01
    told = f"{round(own * 6366)} of them are the person's own data, and the others came together"
    assert told in found.sentence
    assert told in found.finding
    assert found.beside == found.finding
    assert "not in the file, about 13 % would have such a record." in found.sentence


@pytest.mark.slow
def test_a_larger_share_is_judged_where_groups_are_small(assess_copies):
    fair, schema = sm.datasets.load("fair"), sm.datasets.schema("fair")
    assert assess_copies(fair, sm.MatchedSwap(k=5), schema).judged > 0.02


def test_a_value_of_ones_own_among_what_many_have_counts(assess_copies):
    """Values of 30 people who are alike trade: the release has every record, and no row has most
    cells of one person. Strangers would have none of these records, so that they count."""
    rng = np.random.default_rng(5)
    kind = np.repeat(np.arange(20), 30)
    people = pd.DataFrame({f"x{j}": (kind * (j + 2)) % 23 for j in range(5)})
    people = people.assign(wage=rng.permutation(600) + 0.5, kind=kind)
    numbers = list(people)[:-1]
    schema = sm.Schema.infer(people).assign(numeric=numbers, nominal=["kind"], strata=["kind"])
    found = assess_copies(people, sm.MatchedSwap(k=30, by="strata"), schema)
    assert found.value > 0.95
    assert found.details["share of rows that are the person's own data"] < 0.1
    assert found.details["share of strangers with such a record"] == 0.0
    assert found.judged > 0.8
    assert "came together from several people, more than relations explain" in found.finding
    assert "not in the file, hardly anyone would have such a record." in found.sentence


def test_columns_that_chance_brings_back_are_judged_as_before(assess_copies):
    """Each value moves alone: it is its person's own, and any shuffle would publish it."""
    people = pd.DataFrame({"x": np.arange(60.0)})
    schema = sm.Schema.infer(people).assign(numeric=["x"])
    found = assess_copies(people, sm.RankSwap(window=0.5), schema)
    assert found.value == 1.0
    assert found.judged == 0.0


def test_strangers_have_as_many_of_the_records_as_people_who_share_theirs():
    """200 pairs of samples of one population; a correct share fails once in 10,000 (four se)."""
    rng = np.random.default_rng(8)
    chances = rng.dirichlet(np.full(3000, 0.3))
    differences = []
    for _ in range(200):
        people, others = rng.choice(3000, size=(2, 400), p=chances)
        counts = np.bincount(people, minlength=3000)
        crowd = EquivalenceClasses(people, others, None, None)
        found = CopiedRecords.of(False, crowd)
        assert found.rows == (counts[others] == 1).sum()
        differences.append(found.strangers - found.rows / 400)
    assert abs(np.mean(differences)) < 4 * np.std(differences, ddof=1) / 200**0.5 + 0.002


def test_files_tell_the_same(tmp_path):
    fair = sm.datasets.load("fair").head(3000)
    release = sm.mask(fair, sm.RWN(k=5), seed=1)
    fair.to_parquet(tmp_path / "people.parquet")
    release.data.to_parquet(tmp_path / "release.parquet")
    ask = {"measures": ["copies"], "at_most": 1000}
    whole = sm.assess(fair, release, **ask)["copies"]
    some = sm.assess_file(
        tmp_path / "people.parquet", tmp_path / "release.parquet", audit=release.audit,
        memory="1GB", **ask,
    )["copies"]  # fmt: skip
    for name, figure in figures(whole).items():
        assert figures(some)[name] == pytest.approx(figure)
    assert some.judged == pytest.approx(whole.judged)
    assert some.sentence.startswith(whole.sentence)
    assert "as 1,000 random rows show" in whole.finding


# the table of what was overlooked


def test_rwn_with_one_neighbour_publishes_most_people(shared):
    census = pd.read_csv(shared / "data" / "census.csv").iloc[:, -12:]
    release = sm.mask(census, sm.RWN(k=1, q=0.99), seed=1)
    found = sm.assess(census, release, measures=["copies"])["copies"]
    assert 0.55 < found.details["people whose record is released"] / 1080 < 0.67
    assert found.value > 0.8
    assert found.judged == pytest.approx(found.value, abs=0.001)
    assert found.finding.endswith("; all of them are the person's own data")
    assert "hardly anyone" in found.sentence
    rng = np.random.default_rng(1)
    assert sm.assess(census, shuffle(census, rng), measures=["copies"])["copies"].value == 0.0


def test_the_rows_of_a_tree_with_small_leaves_are_people(masked):
    fair = sm.datasets.load("fair")
    release = masked(fair, Cart(min_leaf=1), seed=1)
    found = sm.assess(fair, release, measures=["copies"])["copies"]
    assert found.value == pytest.approx(0.62, abs=0.02)
    assert found.judged == pytest.approx(0.59, abs=0.02)
    assert "released rows are the whole record of a person who is unique" in found.finding
