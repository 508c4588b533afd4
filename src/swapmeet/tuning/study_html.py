"""A study as a notebook shows it: the recommendation, the map, the frontier.

A small risk-utility map of a study for notebooks, in the colours of the notebook.

`swapmeet.plots.risk_utility_map` draws the large one, for reports.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.base.html import (
    BAD,
    GOOD,
    write_box,
    write_fold,
    write_list,
    write_mark,
    write_table,
    write_text,
)
from swapmeet.base.sentences import escape_markup
from swapmeet.measures.limits import LOSS_AXIS, RISK_AXIS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from swapmeet.tuning.candidate import Candidate
    from swapmeet.tuning.frontier import FrontierPoint
    from swapmeet.tuning.study import Study


LEGEND = "Hollow: does not keep the limits. Line: no setting beats these in both risk and loss."
CHOSEN = "Red: the choice. "


def write_study(study: Study) -> str:
    """Write the recommendation, its reasons, and the settings that none beats in risk and loss."""
    choice = study.choice
    first, *others = choice.sentences or ("Nothing was tried.",)
    drawn, legend = draw_map(study), f"{CHOSEN if choice.best else ''}{LEGEND}"
    return write_box(
        write_text(repr(study).strip("<>")),
        write_mark(first, BAD if choice.best is None else GOOD),
        write_list(others),
        f"{drawn}{write_text(legend)}" if drawn else "",
        write_fold("Frontier", _write_frontier(study)) if study.frontier() else "",
        write_fold("Settings that failed", write_list(study.failures()))
        if study.trials.failures
        else "",
    )


def _write_frontier(study: Study) -> str:
    header = ["no.", "setting", "risk", "loss", "limits"]
    return write_table(header, (_list_cells(study, point) for point in study.frontier()))


def _list_cells(study: Study, point: FrontierPoint) -> tuple[str, ...]:
    candidate = point.candidate
    kept = "kept" if candidate.keeps(study.limits) else "not kept"
    return (str(candidate.number), candidate.label, f"{point.risk:.3f}", f"{point.loss:.3f}",
            kept if study.limits else "–")  # fmt: skip


WIDTH, HEIGHT = 520, 300
LEFT, RIGHT, TOP, BOTTOM = 58, 16, 12, 42
TICKS = 5
BEST = "#d1495b"


@dataclass(frozen=True, kw_only=True)
class PixelAxis:
    """A range of figures and the pixels that it lies on."""

    low: float
    high: float
    first: float
    last: float

    @classmethod
    def of(cls, values: Sequence[float], first: float, last: float) -> PixelAxis:
        """With some room around the figures."""
        low, high = min(values), max(values)
        room = 0.08 * (high - low) or 0.05
        return cls(low=max(low - room, min(low, 0.0)), high=high + room, first=first, last=last)

    def place(self, value: float) -> float:
        """The position of a figure in the drawing."""
        share = (value - self.low) / (self.high - self.low)
        return round(self.first + share * (self.last - self.first), 1)

    @property
    def ticks(self) -> list[float]:
        """Round figures inside the range, such as 0, 0.1 and 0.2."""
        rough = (self.high - self.low) / TICKS
        unit = 10.0 ** np.floor(np.log10(rough))
        step = unit * next(m for m in (1, 2, 5, 10) if m * unit >= 0.7 * rough)
        first = int(np.ceil(self.low / step - 1e-9))
        return [k * step for k in range(first, int(np.floor(self.high / step + 1e-9)) + 1)]


def draw_map(study: Study) -> str:
    """Risk to the right, loss upwards; empty where no candidate has both."""
    known = [c for c in study.candidates if _is_known(c)]
    if not known:
        return ""
    across = PixelAxis.of([c.median(RISK_AXIS) for c in known], LEFT, WIDTH - RIGHT)
    up = PixelAxis.of([c.median(LOSS_AXIS) for c in known], HEIGHT - BOTTOM, TOP)
    parts = [*_draw_axes(across, up), _draw_frontier(study, across, up)]
    parts += [_draw_candidate(c, study, across, up) for c in known]
    size = f'viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" '
        'aria-label="risk and loss of each setting" '
        f'style="max-width:100%;color:inherit" font-family="sans-serif" font-size="11">'
        f"{''.join(parts)}</svg>"
    )


def _is_known(candidate: Candidate) -> bool:
    if candidate.failure:
        return False
    return bool(np.isfinite([candidate.median(a) for a in (RISK_AXIS, LOSS_AXIS)]).all())


def _draw_axes(across: PixelAxis, up: PixelAxis) -> Iterator[str]:
    """Faint lines at round figures, and what is drawn in which direction."""
    for value in across.ticks:
        x = across.place(value)
        yield _line(x, TOP, x, HEIGHT - BOTTOM, 0.15)
        yield _text(x, HEIGHT - BOTTOM + 15, f"{value:.6g}", "middle")
    for value in up.ticks:
        y = up.place(value)
        yield _line(LEFT, y, WIDTH - RIGHT, y, 0.15)
        yield _text(LEFT - 6, y + 4, f"{value:.6g}", "end")
    yield _text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, "risk (lower is safer)", "middle")
    middle = (TOP + HEIGHT - BOTTOM) / 2
    turned = f'<g transform="rotate(-90 14 {middle})">'
    yield f"{turned}{_text(14, middle, 'loss (lower is better)', 'middle')}</g>"


def _draw_frontier(study: Study, across: PixelAxis, up: PixelAxis) -> str:
    """Steps: between two points of the frontier, the loss is that of the safer one."""
    points = [(across.place(p.risk), up.place(p.loss)) for p in study.frontier()]
    if not points:
        return ""
    steps = [f"M{points[0][0]} {points[0][1]}"]
    steps += [f"H{x}V{y}" for _, (x, y) in pairwise(points)]
    return f'<path d="{"".join(steps)}" fill="none" stroke="currentColor" opacity="0.6"/>'


def _draw_candidate(candidate: Candidate, study: Study, across: PixelAxis, up: PixelAxis) -> str:
    """Full where it keeps the limits, hollow where it does not; the choice is large and red."""
    best = study.choice.best is not None and candidate.number == study.choice.best.number
    colour = BEST if best else "currentColor"
    fill = colour if candidate.keeps(study.limits) else "none"
    x, y = across.place(candidate.median(RISK_AXIS)), up.place(candidate.median(LOSS_AXIS))
    return (
        f'<circle cx="{x}" cy="{y}" r="{6 if best else 3.5}" fill="{fill}" stroke="{colour}" '
        f'fill-opacity="0.7"><title>{escape_markup(candidate.label)}</title></circle>'
    )


def _line(x1: float, y1: float, x2: float, y2: float, opacity: float) -> str:
    place = f'x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}"'
    return f'<line {place} stroke="currentColor" opacity="{opacity}"/>'


def _text(x: float, y: float, text: str, anchor: str) -> str:
    look = f'fill="currentColor" text-anchor="{anchor}"'
    return f'<text x="{x}" y="{y}" {look}>{escape_markup(text)}</text>'
