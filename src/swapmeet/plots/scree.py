"""The share of the variance that principal components have (RWN paper, Figure 6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from swapmeet.plots.style import ORIGINAL, RELEASED, look, sheet

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from swapmeet.base.arrays import Floats
    from swapmeet.measures.side_by_side.components import Components

MOST = 20
FEW = 10
"""Components that are all numbered."""


def draw(components: Components) -> Figure:
    """The share of each component, and of all up to it."""
    series = {"original": (ORIGINAL, components.original_shares),
              "release": (RELEASED, components.released_shares)}  # fmt: skip
    with look():
        figure = sheet(2.8)
        each, together = figure.subplots(1, 2, sharex=True)
        for label, (stroke, shares) in series.items():
            places = np.arange(1, min(len(shares), MOST) + 1)
            each.plot(places, shares[:MOST], label=label, **stroke.line())
            together.plot(places, _add_up(shares)[:MOST], label=label, **stroke.line())
        each.set(title="each component", ylabel="share of the variance", ylim=(0.0, None))
        together.set(title="together with those before", ylim=(0.0, 1.04))
        for axes in (each, together):
            axes.set_xlabel("principal component")
            axes.set_xticks(_number_components(len(components.original_shares)))
            axes.yaxis.set_major_formatter("{x:.0%}")
        if len(components.original_shares) > MOST:
            figure.suptitle(f"the first {MOST} of {len(components.original_shares)} components")
        each.legend()
    return figure


def _add_up(shares: tuple[float, ...]) -> Floats:
    """The shares of all up to each; rounded ones, too, are all of the variance in the end."""
    sums = np.cumsum(shares)
    return sums / (sums[-1] or 1.0)


def _number_components(number: int) -> list[int]:
    """Each of a few components, or the first and every fifth.

    >>> _number_components(3), _number_components(30)
    ([1, 2, 3], [1, 5, 10, 15, 20])
    """
    shown = min(number, MOST)
    return list(range(1, shown + 1)) if shown <= FEW else [1, *range(5, shown + 1, 5)]
