from __future__ import annotations

import numpy as np
import pytest

from swapmeet.measures.side_by_side.components import Components
from swapmeet.plots.loadings import draw


def components(columns, leading=2):
    rng = np.random.default_rng(columns)
    before, after = rng.normal(size=(2, leading, columns))
    shares = tuple(np.full(columns, 1 / columns))
    names = tuple(f"c{i}" for i in range(columns))
    return Components(
        names, shares, shares, *(tuple(map(tuple, m.tolist())) for m in (before, after))
    )


def points(axes):
    return {line.get_label(): line for line in axes.lines if line.get_marker() in {"o", "s"}}


def test_a_panel_for_each_component_shows_both_tables():
    found = components(5, leading=3)
    figure = draw(found)
    assert [axes.get_title("left") for axes in figure.axes] == [f"component {i}" for i in (1, 2, 3)]
    for number, axes in enumerate(figure.axes):
        drawn = points(axes)
        assert drawn["original"].get_xdata() == pytest.approx(found.original_loadings[number])
        assert drawn["release"].get_xdata() == pytest.approx(found.released_loadings[number])
    assert [t.get_text() for t in figure.axes[0].get_yticklabels()] == list(found.columns)


def test_of_many_columns_those_with_the_largest_loadings_are_drawn():
    found = components(40)
    figure = draw(found)
    sizes = np.abs([found.original_loadings, found.released_loadings]).max(axis=(0, 1))
    kept = np.sort(np.argsort(-sizes)[:24])
    assert points(figure.axes[0])["original"].get_xdata() == pytest.approx(
        np.array(found.original_loadings[0])[kept]
    )
    assert figure.get_suptitle() == "the 24 largest of 40 columns"
