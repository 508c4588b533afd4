"""Densities of numbers and dates before and after, a panel for each column."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from swapmeet.measures.side_by_side.bins import calendar_edges, write_moment
from swapmeet.plots.bars import PALE, draw_bars, draw_outlines
from swapmeet.plots.style import ORIGINAL, WIDTH, draw_legend, look, sheet, shorten
from swapmeet.plots.ticks import choose_numbers, keep_apart, measure_text, thin_out, write_number

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from swapmeet.measures.side_by_side.distribution import Distribution

ACROSS = 3
POINTS = 118.0
"""Points that the axis of a panel has, at least."""
MISSING_SIGN = "?"
SPANS = {"year": 31_556_952.0, "month": 2_629_746.0, "day": 86_400.0, "hour": 3_600.0,
         "minute": 60.0}  # fmt: skip
"""Seconds, on average."""


def draw(columns: Sequence[Distribution]) -> Figure:
    """Small multiples of the columns with numbers; `categories.draw` has the others.

    Areas are rows: a wide bin is as low as its rows lie thin. The outermost bins are open and
    drawn as wide as the narrowest.
    """
    shown = [column for column in columns if column.edges is not None]
    down, across = -(-len(shown) // ACROSS), min(len(shown), ACROSS)
    with look():
        figure = sheet(0.6 + 1.75 * down, WIDTH if across > 1 else WIDTH / 2)
        places: Any = figure.subplots(down, across, squeeze=False).ravel() if shown else []
        for axes, column in zip(places, shown, strict=False):
            _draw_panel(axes, column)
        for axes in places[len(shown) :]:
            axes.set_axis_off()
        if shown:
            draw_legend(figure, _explain(shown))
    return figure


def _explain(shown: Sequence[Distribution]) -> Iterator[tuple[str, str]]:
    """Explain pale ends and signs, where there are any."""
    if any(len(column.edges or ()) > 0 for column in shown):
        yield PALE, "open: all below or above"
    if any("missing" in label for column in shown for label in column.labels):
        yield "", f"{MISSING_SIGN} missing values"


def _draw_panel(axes: Axes, distribution: Distribution) -> None:
    axes.set_title(shorten(distribution.column, 26))
    if not distribution.edges:
        _say_why_empty(axes, distribution)
        return
    bins = _Bins(distribution, distribution.edges)
    if bins.are_single:
        _draw_single_values(axes, bins)
    else:
        _draw_density(axes, bins)


def _say_why_empty(axes: Axes, distribution: Distribution) -> None:
    axes.set_axis_off()
    words = f"fewer than {distribution.least} rows"
    if distribution.original:
        words = "all values in one group:\nthey do not vary, or vary\ntoo little for round limits"
    axes.text(0.0, 0.5, words, transform=axes.transAxes, va="center", size=8.0)


@dataclass(frozen=True)
class _Bins:
    """The bins of a column along an axis, whose unit is the value or its power of ten."""

    distribution: Distribution
    edges: tuple[float, ...]

    @property
    def inner(self) -> list[float]:
        """Inner edges along the axis."""
        values = np.array(self.edges)
        return (np.log10(values) if self.distribution.by_ratio else values).tolist()

    @property
    def step(self) -> float:
        """The narrowest bin, which open ones are drawn as wide as."""
        return min((high - low for low, high in pairwise(self.inner)), default=1.0)

    @property
    def outer(self) -> list[float]:
        """All edges, with those that open bins do not have."""
        inner = self.inner
        return [inner[0] - self.step, *inner, inner[-1] + self.step]

    @property
    def are_single(self) -> bool:
        """Return whether each bin but the outermost is of one whole number."""
        steps = [high - low for low, high in pairwise(self.edges)]
        return self.distribution.whole and not self.distribution.seconds and set(steps) <= {1.0}

    def densities(self, counts: Sequence[int]) -> list[float]:
        """Rows per narrowest bin."""
        widths = np.diff(self.outer)
        return (np.array(counts[: len(widths)]) * self.step / widths).tolist()

    @property
    def missing(self) -> tuple[int, int] | None:
        """Missing values of both tables, where they are a group of their own."""
        if len(self.distribution.labels) == len(self.edges) + 1:
            return None
        return self.distribution.original[-1], self.distribution.released[-1]

    @property
    def pooled(self) -> bool:
        """Return whether missing values are counted with the highest bin."""
        return self.missing is None and "missing" in self.distribution.labels[-1]

    @property
    def unit(self) -> str:
        """The unit of the heights."""
        if self.are_single or len(self.edges) == 1:
            return "rows"
        if self.distribution.seconds:
            return f"rows per {_name_span(self.step * self.distribution.seconds)}"
        if self.distribution.by_ratio:
            return f"rows per factor of {10.0**self.step:.2g}"
        return f"rows per {write_number(float(f'{self.step:.6g}'))}"


def _draw_density(axes: Axes, bins: _Bins) -> None:
    distribution, outer = bins.distribution, bins.outer
    original = bins.densities(distribution.original)
    released = bins.densities(distribution.released)
    draw_outlines(axes, original, released, outer)
    _pale_ends(axes, original, outer)
    first, last = outer[0], outer[-1]
    ticks = _choose_ticks(bins)
    signs = dict(_draw_missing(axes, bins, last, 0.06 * (last - first)))
    last = max(last, *(place + 0.05 * (last - first) for place in signs), last)
    axes.set_xlim(first, last)
    ticks = keep_apart({**ticks, **signs}, list(signs), first, last, POINTS)
    axes.set_xticks(list(ticks), list(ticks.values()))
    axes.set_ylabel(bins.unit, size=7.5)


def _pale_ends(axes: Axes, heights: list[float], outer: list[float]) -> None:
    for at in (0, -1):
        low, high = sorted((outer[at], outer[at + 1 if at == 0 else at - 1]))
        axes.bar(
            low, heights[at], high - low, align="edge", facecolor=PALE,
            edgecolor=ORIGINAL.colour, linewidth=0.8, linestyle=":", label="_open", zorder=1.05,
        )  # fmt: skip


def _draw_missing(
    axes: Axes, bins: _Bins, right: float, width: float
) -> Iterator[tuple[float, str]]:
    """A bar of its own beyond the others, or only a sign; yields where the sign stands."""
    if bins.pooled:
        yield right - bins.step / 2, f"+{MISSING_SIGN}"
    if bins.missing:
        before, after = bins.missing
        place = right + 1.5 * width
        draw_bars(axes, [before], [after], [place], room=width)
        yield place, MISSING_SIGN


def _choose_ticks(bins: _Bins) -> dict[float, str]:
    """Labels between the outermost inner edges; where none is there, the edges."""
    inner, distribution = bins.inner, bins.distribution
    points = POINTS * (inner[-1] - inner[0]) / (bins.outer[-1] - bins.outer[0])
    if distribution.seconds:
        return _choose_dates(bins, points)
    if distribution.by_ratio:
        return {np.log10(edge): write_number(edge) for edge in bins.edges if _is_power(edge)} or {
            inner[0]: write_number(bins.edges[0])
        }
    return choose_numbers(inner[0], inner[-1], points)


def _name_span(seconds: float) -> str:
    """A span of time, months and years by what they are about.

    >>> _name_span(365 * 86_400.0), _name_span(1826 * 86_400.0), _name_span(28 * 86_400.0)
    ('year', '5 years', 'month')
    """
    for name, length in SPANS.items():
        number = round(seconds / length)
        if seconds >= 0.9 * length:
            return name if number == 1 else f"{number} {name}s"
    return "moment"


def _is_power(edge: float) -> bool:
    return f"{edge:e}".startswith("1.000000")


def _choose_dates(bins: _Bins, points: float) -> dict[float, str]:
    seconds = bins.distribution.seconds or 1.0
    for most in (5, 4, 3, 2, 1):
        places = calendar_edges(np.array([bins.edges[0], bins.edges[-1]]), seconds, most)
        ticks = {place: write_moment(place, seconds) for place in places}
        wide = sum(measure_text(text) for text in ticks.values())
        if ticks and wide <= 0.8 * points:
            return ticks
    return {bins.edges[0]: write_moment(bins.edges[0], seconds)}


def _draw_single_values(axes: Axes, bins: _Bins) -> None:
    """A bar for each whole number; the outermost are of all numbers from there on."""
    edges, distribution = bins.edges, bins.distribution
    values = [edges[0] - 1.0, *edges]
    texts = [write_number(value) for value in values]
    texts[0], texts[-1] = f"≤{texts[0]}", f"≥{texts[-1]}{f' {MISSING_SIGN}' if bins.pooled else ''}"
    if bins.missing:
        values, texts = [*values, values[-1] + 1.5], [*texts, MISSING_SIGN]
    draw_bars(axes, distribution.original, distribution.released, values)
    low, high = values[0] - 0.6, values[-1] + 0.6
    axes.set_xlim(low, high)
    ticks = dict(zip(values, texts, strict=True))
    ends = list(dict.fromkeys([values[-1], values[0], values[len(edges)]]))
    inner = thin_out({v: ticks[v] for v in edges[:-1]}, low, high, POINTS)
    ticks = keep_apart({**inner, **{v: ticks[v] for v in ends}}, ends, low, high, POINTS)
    axes.set_xticks(list(ticks), list(ticks.values()))
    axes.tick_params(axis="x", length=0.0)
    axes.set_ylabel(bins.unit, size=7.5)
