from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from overlaps import find_clipped, find_overlaps

import swapmeet as sm
from swapmeet.comparison.comparison import Comparison
from swapmeet.measures.side_by_side.distribution import Distribution, compare_distribution
from swapmeet.plots.distributions import draw
from swapmeet.plots.svg import to_svg
from swapmeet.tables.frame import Table
from swapmeet.tables.microdata import Microdata

NUMBERS = Distribution(
    "wage",
    "numeric",
    (20_000.0, 40_000.0, 80_000.0),
    ("below 20,000", "20,000 to below 40,000", "40,000 to below 80,000", "80,000 or more"),
    (30, 20, 40, 11),
    (25, 26, 50, 10),
)
WHOLE = Distribution(
    "age",
    "numeric",
    (2.0, 3.0),
    ("1 or less", "2", "3 or more or missing"),
    (30, 20, 11),
    (25, 26, 10),
    whole=True,
)
LEVELS = Distribution("town", "nominal", None, ("1st", "2nd"), (40, 20), (39, 21))
EMPTY = Distribution("few", "numeric", (), (), (), ())


def areas(axes):
    return {step.get_label(): step.get_data() for step in axes.patches if hasattr(step, "get_data")}


def heights(axes, label):
    return next(
        [bar.get_height() for bar in bars] for bars in axes.containers if bars.get_label() == label
    )


def ticks(axes):
    return {
        float(place): text.get_text()
        for place, text in zip(axes.get_xticks(), axes.get_xticklabels(), strict=True)
    }


def legend(figure):
    return [text.get_text() for text in figure.legends[0].get_texts()]


def test_a_bin_twice_as_wide_is_half_as_high_and_open_ones_are_as_wide_as_the_narrowest():
    axes = draw([NUMBERS]).axes[0]
    drawn = areas(axes)
    assert drawn["original"].values.tolist() == [30, 20, 20, 11]
    assert drawn["release"].values.tolist() == [25, 26, 25, 10]
    assert drawn["original"].edges.tolist() == [0, 20_000, 40_000, 80_000, 100_000]
    assert axes.get_ylabel() == "rows per 20k"


def test_numbers_stand_at_their_place():
    for place, text in ticks(draw([NUMBERS]).axes[0]).items():
        assert text == f"{place / 1000:g}k"
        assert 20_000 <= place <= 80_000


def test_open_bins_are_pale_and_explained():
    figure = draw([NUMBERS])
    pale = [bars for bars in figure.axes[0].containers if bars.get_label() == "_open"]
    assert [bars[0].get_height() for bars in pale] == [30, 11]
    assert "open: all below or above" in legend(figure)


def test_whole_numbers_are_bars_that_do_not_touch():
    axes = draw([WHOLE]).axes[0]
    assert heights(axes, "original") == [30, 20, 11]
    assert heights(axes, "release") == [25, 26, 10]
    bars = axes.containers[0]
    ends = [(bar.get_x(), bar.get_x() + bar.get_width()) for bar in bars]
    assert all(one[1] < other[0] for one, other in pairwise(ends))
    assert ticks(axes) == {1.0: "≤1", 2.0: "2", 3.0: "≥3 ?"}


def test_missing_values_are_a_bar_apart_and_explained():
    found = replace(NUMBERS, labels=(*NUMBERS.labels, "missing"), original=(30, 20, 40, 11, 12),
                    released=(25, 26, 50, 10, 15))  # fmt: skip
    figure = draw([found])
    axes = figure.axes[0]
    assert heights(axes, "_original") == [12]
    assert heights(axes, "_release") == [15]
    assert list(ticks(axes).values())[-1] == "?"
    assert "? missing values" in legend(figure)
    assert "? missing values" not in legend(draw([NUMBERS]))


def test_years_are_not_thousands_and_dates_are_dates():
    edges = tuple(float(year) for year in range(1930, 2001, 10))
    labels = tuple("abcdefghi")
    years = Distribution("year", "numeric", edges, labels, (50,) * 9, (50,) * 9, whole=True)
    days = tuple((np.datetime64(f"{int(e)}-01-01") - np.datetime64("1970-01-01")).astype(float)
                 for e in edges)  # fmt: skip
    dates = replace(years, column="date", edges=days, seconds=86_400.0)
    first, second = draw([years, dates]).axes[:2]
    assert set(ticks(first).values()) <= {str(year) for year in range(1930, 2001, 10)}
    assert set(ticks(second).values()) <= {str(year) for year in range(1930, 2001, 10)}
    assert len(ticks(second)) > 1
    assert (first.get_ylabel(), second.get_ylabel()) == ("rows per 10", "rows per 10 years")


def test_ratios_have_powers_of_ten():
    found = Distribution("wage", "numeric", (10.0, 100.0, 1000.0), tuple("abcd"), (40,) * 4,
                         (40,) * 4, by_ratio=True)  # fmt: skip
    axes = draw([found]).axes[0]
    assert list(ticks(axes).values()) == ["10", "100", "1000"]
    assert axes.get_ylabel() == "rows per factor of 10"


def test_a_panel_for_each_column_with_numbers_and_no_axes_for_the_rest():
    figure = draw([NUMBERS, LEVELS, WHOLE, NUMBERS, NUMBERS])
    titles = [axes.get_title("left") for axes in figure.axes]
    assert titles == ["wage", "age", "wage", "wage", "", ""]
    assert [axes.axison for axes in figure.axes] == [True] * 4 + [False] * 2


def test_a_table_of_few_rows_and_a_constant_show_words_instead():
    constant = Distribution("one", "numeric", (), ("any value",), (50,), (50,))
    few, still = draw([EMPTY, constant]).axes[:2]
    assert not few.patches
    assert not still.patches
    assert few.texts[0].get_text() == "fewer than 10 rows"
    assert "do not vary" in still.texts[0].get_text()


def test_no_columns_no_panels():
    figure = draw([])
    assert not figure.axes
    assert to_svg(figure, title="Nothing", description="").startswith("<svg")


def distributions_of(frame):
    schema = sm.Schema.infer(frame).assign(numeric=list(frame.columns))
    one, other = Microdata.of_both(Table(frame), Table(frame), schema.columns)
    comparison = Comparison(one, other, schema.masked, schema.masked)
    return [compare_distribution(comparison, name) for name in frame.columns]


@pytest.fixture
def messy():
    """Years, codes, a constant, huge and tiny numbers, dates, counts, gaps."""
    rng, n = np.random.default_rng(1), 600
    frame = pd.DataFrame({
        "Geburtsjahr": rng.integers(1921, 2006, n),
        "code": rng.choice([-9, -8, 1, 2, 3, 7], n),
        "constant": np.ones(n),
        "huge": np.exp(rng.normal(25, 2, n)),
        "tiny": rng.normal(0, 1e-9, n),
        "Größe": rng.normal(172.3, 9, n).round(1),
        "date": pd.Timestamp("2001-01-01") + pd.to_timedelta(rng.integers(0, 9000, n), "D"),
        "second": pd.Timestamp("2001-01-01") + pd.to_timedelta(rng.integers(0, 9000, n), "s"),
        "count": rng.poisson(6, n),
        "large count": 990 + rng.poisson(6, n),
        "Einkommen": np.where(rng.uniform(size=n) < 0.2, np.nan, rng.lognormal(7.5, 0.8, n)),
        "spikes": np.where(rng.uniform(size=n) < 0.8, 0.0, rng.lognormal(9.5, 0.3, n)),
    })  # fmt: skip
    return distributions_of(frame)


@pytest.mark.slow
def test_no_two_labels_touch_and_none_leaves_the_paper(messy):
    figure = draw(messy)
    assert find_overlaps(figure) == []
    assert find_clipped(figure) == []


@pytest.mark.slow
@settings(max_examples=10)
@given(
    start=st.floats(-1e7, 1e7), step=st.sampled_from([1e-6, 0.25, 1.0, 2.0, 500.0, 1e5, 1e9]),
    gaps=st.lists(st.integers(1, 6), min_size=1, max_size=18), missing=st.booleans(),
    whole=st.booleans(),
)  # fmt: skip
def test_labels_do_not_touch_whatever_the_edges(start, step, gaps, missing, whole):
    at = np.cumsum([round(start), *gaps])
    edges = tuple((at * step).tolist())
    groups = len(edges) + 1 + missing
    labels = (*(str(i) for i in range(groups - missing)), *["missing"] * missing)
    found = Distribution("x", "numeric", edges, labels, (20,) * groups, (20,) * groups,
                         whole=whole and step == 1.0)  # fmt: skip
    assert find_overlaps(draw([found, found, found])) == []
