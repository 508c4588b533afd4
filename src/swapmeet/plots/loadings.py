"""The loadings of columns on the leading principal components."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from swapmeet.plots.style import FAINT, ORIGINAL, RELEASED, look, sheet, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from swapmeet.base.arrays import Floats, Ints
    from swapmeet.measures.side_by_side.components import Components

MOST = 24
"""Of more columns, those with the largest loadings are drawn."""


def draw(components: Components) -> Figure:
    """A panel for each component: where a column's loading was, and where it is now."""
    before, after = np.array(components.original_loadings), np.array(components.released_loadings)
    columns = _largest(before, after)
    names = [shorten(components.columns[i]) for i in columns]
    with look():
        figure = sheet(1.3 + 0.2 * len(names))
        panels = figure.subplots(1, len(before), sharex=True, sharey=True, squeeze=False)[0]
        for number, axes in enumerate(panels):
            _dumbbells(axes, before[number, columns], after[number, columns])
            axes.set(title=f"component {number + 1}", xlabel="loading", xlim=(-1.05, 1.05))
        panels[0].set_yticks(range(len(names)), names)
        panels[0].set_ylim(len(names) - 0.5, -0.5)
        if len(columns) < len(components.columns):
            figure.suptitle(f"the {len(columns)} largest of {len(components.columns)} columns")
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=2)
    return figure


def _largest(before: Floats, after: Floats) -> Ints:
    """The columns with the largest loadings, in their own order."""
    sizes = np.maximum(np.abs(before), np.abs(after)).max(axis=0)
    return np.sort(np.argsort(-sizes, kind="stable")[:MOST])


def _dumbbells(axes: Axes, before: Floats, after: Floats) -> None:
    places = np.arange(len(before))
    axes.axvline(0.0, color=FAINT, linewidth=0.8)
    axes.hlines(places, before, after, colors=FAINT, linewidth=1.4)
    axes.plot(before, places, linestyle="", label="original", **ORIGINAL.points())
    axes.plot(after, places, linestyle="", label="release", **RELEASED.points())
