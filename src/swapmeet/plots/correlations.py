"""Correlation matrices before and after, and their difference (RWN paper, Figure 5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from swapmeet.plots.style import INK, diverging, ink_on, look, sheet, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from swapmeet.base.arrays import Floats
    from swapmeet.measures.side_by_side.profile import CorrelationMatrices

WRITTEN = 12
"""With more columns the values are not written into the cells."""
SIDE_BY_SIDE = 6
"""With more columns the panels stand in two rows."""
MOST = 40
STEPS = 21
"""Colours of the scale; the middle one, white, is for values next to 0."""
FAINTEST = 1.0 / STEPS


def draw(correlations: CorrelationMatrices) -> Figure:
    """Three heat maps on one colour scale; a white cell with a dot has no correlation."""
    names = correlations.columns[:MOST]
    before, after = (_matrix(m, len(names)) for m in (correlations.original, correlations.released))
    panels = {"original": before, "release": after, "release − original": after - before}
    with look():
        few = len(names) <= SIDE_BY_SIDE
        figure = sheet(3.3 if few else 7.4)
        figure.set_layout_engine("compressed")
        places = figure.subplots(1 if few else 2, 3 if few else 2).ravel()
        for axes, (title, matrix) in zip(places, panels.items(), strict=False):
            mesh = _heat_map(axes, matrix, names)
            axes.set_title(title)
        if len(names) < len(correlations.columns):
            figure.suptitle(f"the first {len(names)} of {len(correlations.columns)} columns")
        _scale(figure, mesh, places)
    return figure


def _matrix(rows: tuple[tuple[float | None, ...], ...], size: int) -> Floats:
    return np.array([row[:size] for row in rows[:size]], dtype=np.float64)


def _heat_map(axes: Axes, matrix: Floats, names: tuple[str, ...]) -> Any:
    mesh = axes.pcolormesh(
        np.ma.masked_invalid(matrix), cmap=diverging(STEPS), vmin=-1.0, vmax=1.0,
        edgecolors="#e6e6e6", linewidth=0.4,
    )  # fmt: skip
    labels, places = [shorten(name, 14) for name in names], np.arange(len(names)) + 0.5
    axes.set(aspect="equal", ylim=(len(names), 0))
    axes.set_xticks(places, labels, rotation=90)
    axes.set_yticks(places, labels)
    axes.tick_params(length=0.0, labelsize=7.0)
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    _write(axes, mesh, matrix)
    return mesh


def _write(axes: Axes, mesh: Any, matrix: Floats) -> None:
    """Write what colours alone would not tell, least of all in greyscale."""
    size = 8.0 if len(matrix) <= SIDE_BY_SIDE // 2 else 6.0
    for (row, column), value in np.ndenumerate(matrix):
        text = _text(value, in_full=len(matrix) <= WRITTEN)
        colour = INK if np.isnan(value) else ink_on(mesh.to_rgba(value))
        if text:
            axes.text(
                column + 0.5, row + 0.5, text, color=colour, size=size, ha="center", va="center"
            )  # fmt: skip


def _text(value: float, *, in_full: bool) -> str:
    """The value, or only that it is below 0; a dot where there is none."""
    if np.isnan(value):
        return "·"
    if in_full:
        return _short(value)
    return "−" if value < -FAINTEST else ""


def _short(value: float) -> str:
    """Two decimals without the leading zero.

    >>> _short(0.876), _short(-0.25), _short(1.0), _short(-0.001)
    ('.88', '−.25', '1', '0')
    """
    text = f"{abs(value):.2f}"
    if float(text) == 0.0:
        return "0"
    sign = "−" if value < 0.0 else ""
    return sign + (text.rstrip("0").rstrip(".") if float(text) >= 1.0 else text.lstrip("0"))


def _scale(figure: Figure, mesh: Any, places: Any) -> None:
    """The colour scale: below the panels, or in the corner they leave free."""
    label = "correlation, or change of a correlation"
    if len(places) == 3:
        figure.colorbar(mesh, ax=list(places), location="bottom", label=label, aspect=50)
        return
    places[-1].set_axis_off()
    corner = places[-1].inset_axes((0.1, 0.5, 0.8, 0.05))
    figure.colorbar(mesh, cax=corner, orientation="horizontal", label=label)
