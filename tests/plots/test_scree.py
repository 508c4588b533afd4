from __future__ import annotations

import numpy as np
import pytest

from swapmeet.measures.side_by_side.components import Components
from swapmeet.plots.scree import draw

FOUND = Components(
    tuple("abc"), (0.6, 0.3, 0.1), (0.5, 0.3, 0.2), ((1.0, 0.0, 0.0),), ((1.0, 0.0, 0.0),)
)


def test_lines_show_the_shares_and_their_sums():
    each, together = draw(FOUND).axes
    for line, shares in zip(
        each.lines, (FOUND.original_shares, FOUND.released_shares), strict=True
    ):
        assert line.get_xdata().tolist() == [1, 2, 3]
        assert line.get_ydata() == pytest.approx(shares)
    for line, shares in zip(
        together.lines, (FOUND.original_shares, FOUND.released_shares), strict=True
    ):
        assert line.get_ydata() == pytest.approx(np.cumsum(shares))


def test_tables_are_told_apart():
    each = draw(FOUND).axes[0]
    assert [text.get_text() for text in each.get_legend().get_texts()] == ["original", "release"]
    assert len({line.get_marker() for line in each.lines}) == 2
    assert each.get_ylabel() == "share of the variance"
