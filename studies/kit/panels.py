"""Curves of several methods or settings, in panels that share one legend."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from swapmeet.plots.style import FAINT, SERIES, look, sheet
from swapmeet.plots.ticks import write_number

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

MARKS = 6
"""About so many points of a long curve have a marker."""
Curve = tuple[Sequence[float], Sequence[float]]


@dataclass(frozen=True, kw_only=True)
class Panel:
    """Curves by name, and levels to compare them with; `log` axes are "x", "y" or "xy".

    A name has the same stroke in all panels; there are at most six.
    """

    title: str
    across: str
    up: str = ""
    curves: Mapping[str, Curve]
    levels: Mapping[str, float] = field(default_factory=dict)
    log: str = ""


def draw_panels(panels: Sequence[Panel], *, columns: int = 2, height: float = 2.5) -> Figure:
    """The panels row by row, each so many inches high, with one legend below."""
    rows = -(-len(panels) // columns)
    with look():
        figure = sheet(height * rows + 0.4)
        places = figure.subplots(rows, columns, squeeze=False).ravel()
        for axes in places[len(panels) :]:
            axes.remove()
        names = list(dict.fromkeys(name for panel in panels for name in panel.curves))
        for axes, panel in zip(places, panels, strict=False):
            _draw(axes, panel, names)
        _draw_legend(figure)
    return figure


def _draw(axes: Axes, panel: Panel, names: Sequence[str]) -> None:
    for name, (across, up) in panel.curves.items():
        marks = max(1, len(across) // MARKS)
        axes.plot(across, up, label=name, markevery=marks, **SERIES[names.index(name)].line())
    for name, level in panel.levels.items():
        axes.axhline(level, color=FAINT, linewidth=1.2, zorder=1.5, label=name)
    axes.set(title=panel.title, xlabel=panel.across, ylabel=panel.up)
    if "x" in panel.log:
        axes.set_xscale("log")
        _write_plainly(axes.xaxis)
    if "y" in panel.log:
        axes.set_yscale("log")
        _write_plainly(axes.yaxis)
    _count_in_whole_steps(axes, panel)


def _write_plainly(axis: Axis) -> None:
    """Numbers at 1, 2 and 5 times powers of ten, written in full."""
    from matplotlib.ticker import LogLocator, NullFormatter

    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axis.set_major_formatter(lambda value, _: write_number(value))
    axis.set_minor_formatter(NullFormatter())


def _count_in_whole_steps(axes: Axes, panel: Panel) -> None:
    """Ticks between two whole numbers mean nothing where only whole ones occur."""
    places = [place for across, _ in panel.curves.values() for place in across]
    if "x" not in panel.log and all(float(place).is_integer() for place in places):
        axes.xaxis.get_major_locator().set_params(integer=True)


def _draw_legend(figure: Figure) -> None:
    found = {}
    for axes in figure.axes:
        handles, labels = axes.get_legend_handles_labels()
        found.update(dict(zip(labels, handles, strict=True)))
    figure.legend(
        list(found.values()), list(found), loc="outside lower center", ncols=min(len(found), 4)
    )
