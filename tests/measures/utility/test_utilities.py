"""What holds for every measure of utility."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import swapmeet as sm
from swapmeet.base.parallel import Workers
from swapmeet.comparison.comparison import Comparison, Ownership
from swapmeet.comparison.score import Direction
from swapmeet.measures.utility.cell_distance import CellDistance
from swapmeet.measures.utility.correlations import CBIL, Correlations, Loadings
from swapmeet.measures.utility.margins import Margins, Spread
from swapmeet.measures.utility.pil import PIL
from swapmeet.measures.utility.prediction import Prediction
from swapmeet.measures.utility.propensity import Propensity
from swapmeet.measures.utility.queries import Queries
from swapmeet.measures.utility.regression import Coefficients, RSquared
from swapmeet.measures.utility.relations import Associations, Relations
from swapmeet.measures.utility.screened_propensity import ScreenedPropensity
from swapmeet.measures.utility.total_correlation import TotalCorrelation
from swapmeet.tables.microdata import Microdata, Variable
from swapmeet.tables.schema import Kind

FAST = (
    Correlations(),
    Associations(),
    Associations(corrected=True),
    Relations(),
    Loadings(),
    Coefficients(),
    RSquared(),
    Propensity(),
    ScreenedPropensity(),
    PIL(),
    CBIL(),
    TotalCorrelation(),
    Queries(queries=30),
    Margins(),
    Spread(),
    CellDistance(),
)
ALL = (*FAST, Prediction())
ON_A_TARGET = (Coefficients(target="c0"), RSquared(target="c1"), Queries(target="c0", queries=5))
BY_OWNER = {"cell-distance", "prediction"}
"""Measures that compare a row with its own."""

FLATTERING = {"margins", "spread", "pil", "cbil", "total-correlation"}
"""Measures that do not see, or see too little, that columns were shuffled each on its own."""


def each(measures):
    return pytest.mark.parametrize("measure", measures, ids=lambda measure: measure.name)


@pytest.fixture(scope="module")
def people():
    """Real people, of three kinds of columns, some of whose values are missing."""
    frame = sm.datasets.load("anes96")
    holed = frame.mask(np.random.default_rng(0).random(frame.shape) < 0.02)
    return holed, sm.datasets.schema("anes96")


@pytest.fixture(scope="module")
def release(people, masked):
    frame, schema = people
    return masked(frame, sm.RWN(k=5, weights=0.2), schema=schema, seed=1).data


@each(ALL)
def test_an_unchanged_release_has_nothing_lost(score, people, measure):
    frame, schema = people
    found = score(measure, frame, frame, schema=schema)
    assert not found.undefined
    assert found.value == pytest.approx(0.0, abs=1e-12)


@each([measure for measure in ALL if measure.name not in FLATTERING])
def test_a_blind_release_loses_more_than_a_masked_one(score, people, release, blind, measure):
    frame, schema = people
    blinded = score(measure, frame, blind(frame), schema=schema)
    masked = score(measure, frame, release, schema=schema)
    assert blinded.value > masked.value
    assert blinded.value > 0.01


@each(ALL)
def test_the_order_of_both_tables_does_not_matter(score, people, release, measure):
    frame, schema = people
    order = np.random.default_rng(3).permutation(len(frame))
    one = score(measure, frame, release, schema=schema)
    other = score(measure, frame.iloc[order], release.iloc[order], schema=schema)
    near = {"prediction": 0.15}.get(measure.name, 1e-9)
    assert one.value == pytest.approx(other.value, rel=1e-9, abs=near)


@each([measure for measure in ALL if measure.name not in BY_OWNER])
def test_the_order_of_the_release_alone_does_not_matter(score, people, release, measure):
    frame, schema = people
    order = np.random.default_rng(3).permutation(len(frame))
    one = score(measure, frame, release, schema=schema)
    for match in ("rows", "unknown"):
        shuffled = release.iloc[order].reset_index(drop=True)
        other = score(measure, frame, shuffled, schema=schema, match=match)
        assert one.value == pytest.approx(other.value, rel=1e-9, abs=1e-12)


@each(ALL)
def test_a_score_says_what_it_means_and_survives_json(score, people, release, measure):
    frame, schema = people
    found = score(measure, frame, release, schema=schema)
    told = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert told["details"]
    assert found.sentence.endswith(".")
    assert "\n" not in found.sentence
    assert not found.sentence.removesuffix(".").count(". ")
    assert found.direction is Direction.LOWER
    assert found.bounds[0] <= found.value <= found.bounds[1]
    assert measure.question.endswith("?")
    if found.interval:
        assert found.interval[0] <= found.value <= found.interval[1]


@each(ALL)
def test_the_same_tables_have_the_same_score(score, people, release, measure):
    frame, schema = people
    one, other = (score(measure, frame, release, schema=schema) for _ in range(2))
    assert one.value == other.value
    assert one.interval == other.interval


@each(ALL)
def test_neither_table_is_altered(score, people, release, measure):
    frame, schema = people
    before, after = frame.copy(), release.copy()
    score(measure, frame, release, schema=schema)
    pd.testing.assert_frame_equal(frame, before)
    pd.testing.assert_frame_equal(release, after)


# anything

NUMBERS = st.one_of(
    st.sampled_from([0.0, 1.0, 1.0, 2.0, -3.5, np.nan, 1e-300, 1e149, -1e149, 1e6, 1e6 + 1e-3]),
    st.floats(-1e3, 1e3),
)
WILD = st.one_of(NUMBERS, st.sampled_from([np.inf, -np.inf, 1e200]))


@st.composite
def comparisons(draw):
    n = draw(st.integers(1, 25))
    kinds = draw(st.lists(st.sampled_from(list(Kind)), min_size=1, max_size=5))
    numbers = draw(st.sampled_from([NUMBERS, NUMBERS, WILD]))
    tables = [
        Microdata(
            tuple(_column(draw, f"c{j}", kind, n, numbers) for j, kind in enumerate(kinds)),
            np.zeros(n, np.int32),
        )
        for _ in range(2)
    ]
    names = tables[0].names
    masked = names[: draw(st.integers(1, len(names)))]
    ownership = draw(st.sampled_from([Ownership.TRUE, Ownership.UNKNOWN]))
    return Comparison(*tables, masked, masked, ownership, workers=Workers(1))


def _column(draw, name, kind, n, numbers):
    if kind is Kind.NOMINAL:
        codes = draw(st.lists(st.integers(-1, 3), min_size=n, max_size=n))
        return Variable(name, kind, np.array(codes, np.int32), 4)
    if draw(st.booleans()):
        values = draw(st.lists(numbers, min_size=n, max_size=n))
    else:
        values = [draw(numbers)] * n
    return Variable(name, kind, np.array(values))


def check(measure, comparison):
    found = measure.score_or_reason(comparison)
    if found.undefined:
        assert found.sentence.startswith("Not defined here: ")
    else:
        assert found.bounds[0] <= found.value <= found.bounds[1]
        json.dumps(found.to_dict(), allow_nan=False)
    if found.records is not None:
        assert np.isfinite(found.records).all()


@given(comparison=comparisons())
def test_any_table_has_a_score_or_a_reason(comparison):
    for measure in (*FAST, *ON_A_TARGET):
        check(measure, comparison)


@settings(max_examples=settings.default.max_examples // 5)
@given(comparison=comparisons())
def test_any_table_can_be_learned_from_or_there_is_a_reason(comparison):
    check(Prediction(), comparison)
