from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import swapmeet as sm
from swapmeet.comparison.comparison import Comparison
from swapmeet.comparison.score import Undefined
from swapmeet.measures.risk.closeness import (
    KnownNumbers,
    PairedNumbers,
    blind,
    by_values,
    caveat,
    farthest,
    find_worst,
    pairings,
    share_of_widths,
)
from swapmeet.measures.risk.dr3 import DR3
from swapmeet.measures.risk.interval_disclosure import RID, SDID, IntervalSD, RIDSorted, SDIDSorted
from swapmeet.measures.risk.interval_rmd import IntervalRMD
from swapmeet.measures.risk.nearest_record import DBRLSorted
from swapmeet.tables.microdata import Microdata, Variable
from swapmeet.tables.schema import Kind

NAN = np.nan


def numbers(original, released, unit):
    original, released = np.array(original), np.array(released)
    names = tuple("abcdef"[: len(original)])
    return PairedNumbers(names, original, released, np.array(unit))


def table(columns):
    variables = tuple(
        Variable(name, Kind.NUMERIC, np.array(values, float))
        for name, values in zip("abcdef", columns, strict=False)
    )
    return Microdata(variables, np.zeros(len(columns[0]), np.int32))


def ruler(original, released, unit):
    names = tuple("abcdef"[: len(original)])
    comparison = Comparison(table(original), table(released), names, names)
    return KnownNumbers(comparison, names, np.array(unit), 0)


def test_the_farthest_column_counts_in_its_unit():
    found = farthest(numbers([[0.0, 5.0], [1.0, 1.0]], [[2.0, 5.0], [1.0, 4.0]], [4.0, 2.0]))
    assert found.tolist() == [0.5, 1.5]


def test_columns_with_a_missing_value_do_not_count():
    found = farthest(numbers([[0.0, NAN, NAN], [1.0, 1.0, 1.0]],
                             [[NAN, 5.0, NAN], [1.0, 4.0, NAN]], [1.0, 1.0]))  # fmt: skip
    assert found.tolist() == [0.0, 3.0, np.inf]


def test_without_a_unit_only_equal_values_are_near():
    assert farthest(numbers([[1.0, 2.0]], [[1.0, 1.0]], [0.0])).tolist() == [0.0, np.inf]


def test_a_tiny_unit_is_no_overflow():
    assert farthest(numbers([[1e150]], [[-1e150]], [5e-324])).tolist() == [np.inf]


def test_partners_are_released_rows():
    found = farthest(numbers([[1.0, 2.0, 3.0]], [[3.0, 1.0, 2.0]], [1.0]), np.array([1, 2, 0]))
    assert found.tolist() == [0.0, 0.0, 0.0]


def test_intervals_are_closed_up_to_rounding():
    widths = np.array([0.0, 0.01, 0.07, 0.1, 0.1 + 1e-9, 0.3 - 0.2, np.inf])
    assert share_of_widths(widths) == pytest.approx([1.0, 1.0, 0.4, 0.1, 0.0, 0.1, 0.0])


def test_the_mean_over_the_widths_is_that_of_the_records():
    released = np.random.default_rng(0).normal(scale=0.1, size=(1, 500))
    within = ruler(np.zeros((1, 500)), released, [1.0]).within()
    assert within.records.mean() == pytest.approx(within.shares.mean())
    assert within.shares[4] == (np.abs(released) <= 0.05).mean()


def test_the_deviation_of_a_constant_is_exactly_0():
    files = table([[0.1] * 3, [NAN] * 3, [1.0, NAN, 3.0]])
    unit = by_values(Comparison(files, files, files.names, files.names)).unit
    assert unit.tolist() == pytest.approx([0.0, 0.0, 2**0.5])


@pytest.mark.parametrize("n", [7, 300])
def test_blind_is_the_mean_over_all_ways_to_shuffle(n):
    """Columns are independent then: the product of the shares of all pairs that are near."""
    rng = np.random.default_rng(n)
    original, released = rng.normal(size=(2, 2, n)).round(1)
    unit = np.array([2.0, 5.0])
    widths = np.array([0.1, 0.4])
    shares = [
        [
            (np.abs(one[:, None] - other) <= width * scale + 1e-9).mean()
            for one, other, scale in zip(original, released, unit, strict=True)
        ]
        for width in widths
    ]
    assert blind(ruler(original, released, unit), widths) == pytest.approx(
        np.prod(shares, axis=1).mean()
    )
    assert blind(ruler(original, released, unit), widths, but="a") == pytest.approx(
        np.mean([share[1] for share in shares])
    )


def test_blind_looks_at_a_sample_of_many_rows():
    values = np.random.default_rng(0).random((1, 50_001))
    found = blind(ruler(values, values, [1.0]), np.array([0.1]))
    assert found == pytest.approx(0.19, abs=0.002)


BY_OWNER = (RID(), SDID(), IntervalSD(), IntervalRMD())
BY_SORTING = (RIDSorted(), SDIDSorted(), DBRLSorted(), DR3())
ALL = BY_OWNER + BY_SORTING


def by_name(measures):
    return pytest.mark.parametrize("measure", measures, ids=lambda measure: measure.name)


def numeric(frame):
    return sm.Schema(tuple(sm.Column(name, "numeric") for name in frame))


def scored(measure, original, released, **options):
    options = {"match": "rows", "schema": numeric(original)} | options
    return sm.assess(original, released, measures=[measure], **options)[measure.name]


def normal(n=300, p=4, seed=0):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n, 1)) + rng.normal(size=(n, p))
    return pd.DataFrame(values, columns=[f"c{j}" for j in range(p)])


def shuffled(frame, seed=1):
    rng = np.random.default_rng(seed)
    return frame.apply(lambda column: rng.permutation(column.to_numpy()))


def noisy(frame, seed=1, noise=0.05):
    return frame + np.random.default_rng(seed).normal(scale=noise, size=frame.shape)


# anchors


@by_name(ALL)
def test_an_unchanged_release_discloses_everybody(measure):
    frame = normal()
    assert scored(measure, frame, frame).value == pytest.approx(1.0, abs=1e-12)


@by_name((RID(), SDID(), IntervalSD()))
def test_a_blind_release_discloses_as_often_as_it_says(measure):
    """Of one column; the limit is 5 standard errors of a share of 3,000 rows."""
    frame = normal(3000, 1)
    score = scored(measure, frame, shuffled(frame))
    expected = score.details["columns shuffled"]
    assert 0.01 < expected < 0.2
    assert abs(score.value - expected) < 5 * (expected / 3000) ** 0.5


@by_name((RID(), SDID(), IntervalSD(), RIDSorted(), SDIDSorted(), DBRLSorted()))
def test_a_blind_release_of_many_columns_discloses_hardly_anyone(measure):
    """Sorting by one of six columns makes records more alike, and links better than a guess."""
    frame = normal(500, 6)
    assert scored(measure, frame, shuffled(frame)).value < 0.03


@by_name((RIDSorted(), SDIDSorted()))
def test_sorting_a_blind_release_discloses_as_often_as_it_says(measure):
    """Two columns: the one that is sorted by agrees, the other is a matter of chance."""
    frame = normal(3000, 2)
    score = scored(measure, frame, shuffled(frame))
    expected = score.details["other columns shuffled"]
    assert 0.01 < expected < 0.2
    assert abs(score.value - expected) < 5 * (expected / 3000) ** 0.5


def test_unrelated_columns_fit_together_as_much_as_dr3_says():
    """Mean of 30 blind releases of two columns, one of which is compared: the larger of two."""
    frame = normal(200, 2)
    values = [scored(DR3(), frame, shuffled(frame, seed)).value for seed in range(30)]
    assert 1 / 199 < np.mean(values) < 4 / 199


@by_name(ALL)
def test_noise_is_between(measure):
    frame = normal()
    near, far = (scored(measure, frame, noisy(frame, noise=s)).value for s in (0.05, 0.5))
    assert 0.0 <= far < near < 1.0


# invariances


def with_ties(frame):
    return frame.assign(tied=frame["c0"].round(), few=(frame["c1"] * 2).round())


@by_name(ALL)
def test_the_order_of_both_files_together_does_not_matter(measure):
    frame = with_ties(normal())
    released = noisy(frame)
    released["tied"] = released["tied"].round()
    order = np.random.default_rng(5).permutation(len(frame))
    one = scored(measure, frame, released)
    other = scored(measure, frame.iloc[order], released.iloc[order])
    assert one.value == pytest.approx(other.value, abs=1e-12)
    if one.records is not None:
        assert one.records[order] == pytest.approx(other.records)


@by_name(BY_SORTING)
def test_the_order_of_the_release_plays_no_part_in_sorting(measure):
    frame = with_ties(normal())
    released = noisy(frame)
    released["tied"] = released["tied"].round()
    order = np.random.default_rng(5).permutation(len(frame))
    one = scored(measure, frame, released)
    other = scored(measure, frame, released.iloc[order])
    assert one.value == pytest.approx(other.value, abs=1e-12)


@by_name(BY_SORTING)
def test_sorting_does_without_owners(measure):
    frame = normal()
    known = scored(measure, frame, noisy(frame))
    unknown = scored(measure, frame, noisy(frame), match="unknown")
    assert unknown.value == known.value
    assert "does not know the owners" in unknown.sentence
    assert "rely on that" in unknown.sentence


@by_name(ALL)
def test_units_of_the_columns_do_not_matter(measure):
    frame = normal()
    released = noisy(frame)
    scales, shifts = np.array([1e-3, 1.0, 1e6, -2.0]), np.array([0.0, 5.0, -1e6, 1.0])
    one = scored(measure, frame, released)
    other = scored(measure, frame * scales + shifts, released * scales + shifts)
    assert one.value == pytest.approx(other.value, abs=0.01)


# what is missing or has no numbers


@by_name(BY_OWNER)
def test_owners_must_be_known(measure):
    frame = normal()
    score = scored(measure, frame, frame, match="unknown")
    assert "which released row stands for which original row" in score.undefined


@by_name(ALL)
def test_nominal_columns_have_no_intervals(measure):
    frame = normal().assign(word=np.random.default_rng(2).choice(["a", "b", "c"], 300))
    schema = (*numeric(normal()).columns, sm.Column("word", "nominal"))
    score = scored(measure, frame, frame, schema=sm.Schema(schema))
    assert score.value == pytest.approx(1.0)
    if measure.name not in {"interval-rmd", "dbrl-sorted"}:
        assert score.details["nominal columns left out"] == 1
    only = scored(measure, frame, frame, schema=sm.Schema(schema), known=["word"])
    assert only.undefined.startswith("the intruder knows no column with numbers")


@by_name(ALL)
def test_ordinal_columns_have_numbers(measure):
    frame = pd.DataFrame({"x": normal()["c0"], "y": normal()["c1"]})
    levels = pd.cut(frame["x"], 8, labels=list("abcdefgh"), ordered=True)
    frame["grade"] = levels
    schema = sm.Schema(
        (sm.Column("x", "numeric"), sm.Column("y", "numeric"), sm.Column("grade", "ordinal"))
    )
    assert scored(measure, frame, frame, schema=schema).value == pytest.approx(1.0)


@by_name((SDID(), IntervalSD(), IntervalRMD(), SDIDSorted(), DBRLSorted()))
def test_infinite_numbers_have_no_intervals(measure):
    frame = normal()
    released = frame.copy()
    released.loc[3, "c2"] = np.inf
    assert scored(measure, frame, released).undefined.startswith("c2 holds infinite numbers")


@by_name((RID(), RIDSorted(), DR3()))
def test_infinite_numbers_have_ranks(measure):
    frame = normal()
    frame.loc[frame["c2"].idxmax(), "c2"] = np.inf
    assert scored(measure, frame, frame).value == pytest.approx(1.0)


@by_name((RID(), SDID(), IntervalSD()))
def test_suppressing_a_value_does_not_hide_the_others(measure):
    frame = normal()
    released = frame.copy()
    released.loc[:99, "c0"] = np.nan
    assert scored(measure, frame, released).records[:100].tolist() == [1.0] * 100


@by_name((RID(), SDID(), IntervalSD()))
def test_a_suppressed_record_is_not_disclosed(measure):
    frame = normal()
    released = frame.copy()
    released.loc[:99, :] = np.nan
    score = scored(measure, frame, released)
    assert score.records[:100].tolist() == [0.0] * 100


@by_name((RID(), SDID(), IntervalSD()))
def test_a_release_of_nothing_discloses_nobody(measure):
    frame = normal()
    assert scored(measure, frame, frame * np.nan).value == 0.0


# robustness

cells = st.sampled_from([np.nan, 0.0, 1.0, 2.0, 2.5, -1e9])
tables = st.integers(1, 40).flatmap(
    lambda n: st.tuples(*(st.lists(cells, min_size=n, max_size=n) for _ in range(6)))
)


@pytest.mark.slow_case("rid")
@by_name(ALL)
@settings(max_examples=settings.default.max_examples // 2)
@given(columns=tables, words=st.booleans(), match=st.sampled_from(["rows", "unknown"]))
def test_there_is_always_a_value_or_a_reason(measure, columns, words, match):
    original = pd.DataFrame(dict(zip("abc", columns[:3], strict=True)))
    released = pd.DataFrame(dict(zip("abc", columns[3:], strict=True)))
    schema = numeric(original)
    if words:
        original["c"], released["c"] = (
            frame["c"].map(lambda cell: None if np.isnan(cell) else f"w{cell}")
            for frame in (original, released)
        )
        schema = schema.assign(nominal=["c"])
    score = scored(measure, original, released, schema=schema, match=match)
    if score.undefined:
        assert score.sentence == f"Not defined here: {score.undefined}."
        return
    assert 0.0 <= score.value <= 1.0
    assert "nan" not in score.sentence
    assert score.interval is None or score.interval[0] <= score.value <= score.interval[1]
    assert score.records is None or len(score.records) == len(original)
    json.dumps(score.to_dict(), allow_nan=False)


def data(**columns):
    kinds = {"f": Kind.NUMERIC, "i": Kind.NOMINAL}
    variables = []
    for name, values in columns.items():
        values = np.asarray(values)
        kind = kinds[values.dtype.kind]
        codes = values.astype(np.int32) if kind is Kind.NOMINAL else values
        variables.append(Variable(name, kind, codes, 4 if kind is Kind.NOMINAL else 0))
    return Microdata(tuple(variables), np.zeros(len(values), np.int32))


def comparison(original, released, known=None):
    return Comparison(original, released, original.names, known or original.names)


def test_records_in_the_same_place_are_paired():
    original = data(x=[30.0, 10.0, 20.0], y=[1.0, 2.0, 3.0])
    released = data(x=[1.5, 1.1, 1.9], y=[9.0, 8.0, 7.0])
    by_x, by_y = pairings(comparison(original, released))
    assert (by_x.column, by_y.column) == ("x", "y")
    assert by_x.original.tolist() == [1, 2, 0]
    assert by_x.released.tolist() == [1, 0, 2]
    assert by_x.released_of_original.tolist() == [2, 1, 0]
    assert by_x.original_of_released.tolist() == [2, 1, 0]
    assert by_y.released_of_original.tolist() == [2, 1, 0]


def test_missing_values_come_last():
    one = data(x=[np.nan, 10.0, -5.0])
    other = data(x=[3.0, np.nan, 2.0])
    (pairing,) = pairings(comparison(one, other))
    assert pairing.original.tolist() == [2, 1, 0]
    assert pairing.released.tolist() == [2, 0, 1]


def test_tied_rows_are_in_no_order():
    """Of 1,000 tied rows one is expected to meet its own; P(more than 8) < 1e-5."""
    rng = np.random.default_rng(0)
    table = data(x=np.zeros(1000), y=rng.normal(size=1000))
    by_x, by_y = pairings(comparison(table, table))
    assert (by_x.released_of_original == np.arange(1000)).sum() <= 8
    assert (by_y.released_of_original == np.arange(1000)).all()


def test_the_rows_that_meet_do_not_depend_on_the_order_of_the_files():
    """Ties, and a nominal column whose codes another order of rows would change."""
    rng = np.random.default_rng(1)
    tied, word = rng.integers(0, 4, 60) * 1.0, np.repeat([0, 1, 2], [30, 20, 10])
    tables = [data(x=tied, w=word), data(x=rng.permutation(tied), w=rng.permutation(word))]
    orders = [rng.permutation(60) for _ in tables]
    recoded = np.array([2, 0, 1])
    others = [
        data(x=table["x"].values[order], w=recoded[table["w"].values[order]])
        for table, order in zip(tables, orders, strict=True)
    ]
    (one,), (other,) = pairings(comparison(*tables)), pairings(comparison(*others))

    def met(pairing, original, released, codes):
        rows = pairing.released_of_original
        return sorted(zip(original["x"].values, codes[original["w"].values],
                          released["x"].values[rows], codes[released["w"].values[rows]],
                          strict=True))  # fmt: skip

    assert met(one, *tables, recoded) == met(other, *others, np.arange(3))


def test_only_known_columns_with_numbers_are_sorted_by():
    table = data(x=[1.0, 2.0], y=[3.0, 4.0], w=[0, 1])
    assert [p.column for p in pairings(comparison(table, table, ("w", "y")))] == ["y"]
    with pytest.raises(Undefined, match="no column with numbers to sort by"):
        list(pairings(comparison(table, table, ("w",))))


def test_the_worst_column_is_the_first_of_the_largest():
    assert find_worst({"a": 0.1, "b": 0.3, "c": 0.3}) == ("b", 0.3)


def test_every_sorted_measure_says_what_to_believe():
    assert caveat("rid-sorted").endswith("where rid has a value, rely on that instead")
