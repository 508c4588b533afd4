"""The share of the variance that principal components have (RWN paper, Figure 6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from swapmeet.plots.style import ORIGINAL, RELEASED, look, sheet

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from swapmeet.measures.side_by_side.components import Components

MOST = 20


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
            together.plot(places, np.cumsum(shares)[:MOST], label=label, **stroke.line())
        each.set(title="each component", ylabel="share of the variance", ylim=(0.0, None))
        together.set(title="together with those before", ylim=(0.0, 1.04))
        for axes in (each, together):
            axes.set_xlabel("principal component")
            axes.locator_params(axis="x", integer=True)
            axes.yaxis.set_major_formatter("{x:.0%}")
        each.legend()
    return figure
