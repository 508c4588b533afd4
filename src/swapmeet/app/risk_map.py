"""The risk-utility map of a case: candidates and trials of searches, as points to be clicked.

It is drawn by a template as SVG in the page, so that its colours are those of the page, and each
candidate is a link that a keyboard reaches.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from swapmeet.app.run import Run

WIDTH, HEIGHT = 720, 400
LEFT, RIGHT, TOP, BOTTOM = 64, 24, 18, 52
TICKS = 5
NUMBER = 16.0
"""The room that the number of a candidate takes."""
LEAST = 0.02
"""The least extent of an axis: smaller differences are not worth a picture."""


@dataclass(frozen=True)
class Axis:
    """From 0 to `high`, between two pixels."""

    high: float
    first: float
    last: float

    def place(self, value: float) -> float:
        """The position of a figure in the drawing."""
        return round(self.first + value / self.high * (self.last - self.first), 1)

    @property
    def ticks(self) -> list[tuple[float, str]]:
        """Round figures with their places."""
        rough = self.high / TICKS
        unit = 10.0 ** math.floor(math.log10(rough))
        step = next(m * unit for m in (1, 2, 5, 10) if m * unit >= 0.7 * rough)
        values = [step * k for k in range(int(self.high / step + 1e-9) + 1)]
        return [(self.place(value), f"{value:.6g}") for value in values]


@dataclass(frozen=True)
class Point:
    """A candidate, or a setting that a search has tried (`run` is None then).

    `worst` is where it would stand against anyone who knows everything. A setting that was not
    `checked` had only a first look, and may be riskier than it seems.
    """

    x: float
    y: float
    worst: float
    run: Run | None = None
    checked: bool = True
    raised: float = 0.0
    """How much higher its number stands, because another number is in the way."""


@dataclass(frozen=True)
class RiskMap:
    """All that the template draws; `limit` is the place of the limit on linkage."""

    across: Axis
    up: Axis
    candidates: Sequence[Point]
    trials: Sequence[Point]
    limit: float | None
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = WIDTH - RIGHT
    top: int = TOP
    bottom: int = HEIGHT - BOTTOM


def draw_map(
    candidates: Iterable[Run], searches: Iterable[Run], limit: float | None
) -> RiskMap | None:
    """The map of candidates that have both figures; None where there is none."""
    shown = [run for run in candidates if _has_figures(run)]
    tried = [
        (point["risk"], point["loss"], bool(point.get("checked")))
        for run in searches
        for point in run.facts.get("points", ())
        if point["risk"] is not None and point["loss"] is not None
    ]
    if not shown and not tried:
        return None
    risks = [run.facts["worst"] for run in shown] + [risk for risk, _, _ in tried]
    losses = [run.facts["loss"] for run in shown] + [loss for _, loss, _ in tried]
    across = Axis(_extent([*risks, limit or 0.0]), LEFT, WIDTH - RIGHT)
    up = Axis(_extent(losses), HEIGHT - BOTTOM, TOP)
    return RiskMap(
        across,
        up,
        _number_apart([_point(run, across, up) for run in shown]),
        [Point(across.place(r), up.place(v), across.place(r), None, c) for r, v, c in tried],
        None if limit is None else across.place(limit),
    )


def _has_figures(run: Run) -> bool:
    return run.facts.get("risk") is not None and run.facts.get("loss") is not None


def _point(run: Run, across: Axis, up: Axis) -> Point:
    risk, loss, worst = (run.facts[name] for name in ("risk", "loss", "worst"))
    return Point(across.place(risk), up.place(loss), across.place(worst), run)


def _number_apart(points: list[Point]) -> list[Point]:
    """The points, with the numbers of those that lie on each other above each other."""
    placed: list[Point] = []
    for point in points:
        number = point.y
        near = [one.y - one.raised for one in placed if abs(one.x - point.x) < NUMBER]
        for taken in sorted(near, reverse=True):
            if abs(number - taken) < NUMBER:
                number = taken - NUMBER
        placed.append(replace(point, raised=round(point.y - number, 1)))
    return placed


def _extent(values: list[float]) -> float:
    return max(1.08 * max(values, default=0.0), LEAST)
