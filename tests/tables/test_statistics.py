from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swapmeet.errors import UsageError
from swapmeet.tables import statistics as module
from swapmeet.tables.schema import Kind
from swapmeet.tables.statistics import ColumnStatistics, PartialStatistics

NAN = np.nan
NAMES = ("rows", "missing", "low", "high", "mean", "sd", "whole", "varies", "span")


def told(facts):
    """All facts, such that those that are the same to the last bit are equal."""
    levels = facts.levels
    kept = None if levels is None else (levels.values.tolist(), levels.counts.tolist())
    return [repr(getattr(facts, name)) for name in NAMES], kept


def gathered(chunks, kind):
    return PartialStatistics.merge(
        PartialStatistics.of(chunk, kind) for chunk in chunks
    ).statistics()


NUMBERS = st.one_of(
    st.floats(),
    st.sampled_from([0.0, -0.0, NAN, 1.0, 1e300, -1e300, 5e-324]),
    st.integers(-3, 3).map(float),
)


@given(
    st.lists(NUMBERS, max_size=30),
    st.sampled_from([Kind.NUMERIC, Kind.ORDINAL]),
    st.lists(st.integers(0, 30), max_size=4),
    st.randoms(use_true_random=False),
)
def test_facts_depend_neither_on_chunks_nor_on_order(numbers, kind, cuts, random):
    values = np.array(numbers, float)
    whole = told(ColumnStatistics.of(values, kind))
    shuffled = values[random.sample(range(len(values)), len(values))]
    chunks = np.split(shuffled, sorted(min(cut, len(values)) for cut in cuts))
    random.shuffle(chunks)
    assert told(gathered(chunks, kind)) == whole


@given(st.lists(st.integers(-1, 5), max_size=30), st.integers(0, 30))
def test_levels_of_nominal_columns_are_counted_across_chunks(codes, cut):
    values = np.array(codes, np.int32)
    facts = gathered([values[cut:], values[:cut]], Kind.NOMINAL)
    assert told(facts) == told(ColumnStatistics.of(values, Kind.NOMINAL))
    assert facts.levels.values.tolist() == sorted({code for code in codes if code >= 0})
    assert facts.levels.counts.sum() + facts.missing == len(codes)


def test_facts_by_hand():
    facts = ColumnStatistics.of(np.array([3.0, NAN, 1.0, 8.0]), Kind.NUMERIC)
    assert (facts.rows, facts.missing, facts.present) == (4, 1, 3)
    assert (facts.low, facts.high, facts.span) == (1.0, 8.0, 7.0)
    assert (facts.mean, facts.sd) == (4.0, 13**0.5)
    assert facts.whole
    assert facts.levels is None


@pytest.mark.parametrize("values", [[0.1] * 10, [1e300, NAN, 1e300], [np.inf, np.inf], [7.0]])
def test_a_constant_has_no_spread_at_all(values):
    facts = ColumnStatistics.of(np.array(values), Kind.NUMERIC)
    assert facts.sd == facts.span == 0.0
    assert facts.mean == values[0]


@pytest.mark.parametrize("values", [[], [NAN, NAN]])
def test_without_values_there_is_no_range(values):
    facts = ColumnStatistics.of(np.array(values, float), Kind.NUMERIC)
    assert np.isnan([facts.low, facts.high, facts.mean]).all()
    assert (facts.sd, facts.span, facts.varies) == (0.0, 0.0, False)


@pytest.mark.parametrize(
    ("values", "mean"),
    [([np.inf, 1.0], np.inf), ([-np.inf, 1.0], -np.inf), ([np.inf, -np.inf], NAN)],
)
def test_infinite_values_have_an_infinite_mean_and_no_spread(values, mean):
    facts = ColumnStatistics.of(np.array(values), Kind.NUMERIC)
    assert repr(facts.mean) == repr(mean)
    assert np.isnan(facts.sd)


@pytest.mark.parametrize(("values", "whole"), [([1.0, NAN, -2.0], True), ([1.0, 1.5], False)])
def test_whole_numbers_are_told(values, whole):
    assert ColumnStatistics.of(np.array(values), Kind.NUMERIC).whole is whole


def test_distinct_values_of_an_ordinal_column_are_kept_in_order():
    levels = ColumnStatistics.of(np.array([9.0, 2.0, NAN, 9.0, 4.0]), Kind.ORDINAL).levels
    assert (levels.values.tolist(), levels.counts.tolist()) == ([2.0, 4.0, 9.0], [1, 1, 2])
    assert levels.mean_rank() == (0 + 1 + 2 + 2) / 4


def test_very_many_distinct_values_are_not_kept(monkeypatch):
    monkeypatch.setattr(module, "MOST_ORDINAL_LEVELS", 3)
    values = np.array([1.0, 2.0, 3.0, 4.0])
    assert ColumnStatistics.of(values, Kind.ORDINAL).levels is None
    assert ColumnStatistics.of(values[:3], Kind.ORDINAL).levels is not None
    parts = [
        PartialStatistics.of(chunk, Kind.ORDINAL) for chunk in (values[:2], values[2:], values[:1])
    ]
    assert (parts[0] + parts[1] + parts[2]).statistics().levels is None
    assert (parts[0] + parts[2]).statistics().levels is not None
    nominal = ColumnStatistics.of(np.arange(5), Kind.NOMINAL)
    assert len(nominal.levels.values) == 5


def test_the_range_costs_no_sums(monkeypatch):
    def refused(values):
        raise AssertionError

    monkeypatch.setattr(module, "exact_sum", refused)
    monkeypatch.setattr(module, "exact_squares", refused)
    facts = ColumnStatistics.of(np.array([1.0, 2.0]), Kind.NUMERIC)
    assert (facts.low, facts.high, facts.whole, facts.missing) == (1.0, 2.0, True, 0)
    with pytest.raises(AssertionError):
        facts.mean  # noqa: B018


def test_a_gathering_travels():
    gathering = PartialStatistics.of(np.array([1.0, NAN, 4.0]), Kind.ORDINAL)
    assert told(pickle.loads(pickle.dumps(gathering)).statistics()) == told(gathering.statistics())


def test_columns_of_different_kinds_are_not_merged():
    numeric, ordinal = (
        PartialStatistics.of(np.ones(1), kind) for kind in (Kind.NUMERIC, Kind.ORDINAL)
    )
    with pytest.raises(UsageError):
        numeric + ordinal


def test_reprs_show_no_value():
    gathering = PartialStatistics.of(np.array([654321.0, 2.0]), Kind.ORDINAL)
    facts = gathering.statistics()
    shown = f"{gathering} {facts} {facts.levels}"
    assert shown == "<PartialStatistics of 2 rows> <ColumnStatistics of 2 rows> <Levels: 2>"
