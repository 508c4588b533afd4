"""Step 4: all candidates on the risk-utility map, and two of them side by side.

The map is drawn by a template as SVG in the page, so that its colours are those of the page, and
each candidate is a link that a keyboard reaches.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from starlette.routing import Route

from swapmeet.app import commands
from swapmeet.app.desk import Desk
from swapmeet.app.limits import LIMITED, find_limits
from swapmeet.app.pages.searches import list_searches
from swapmeet.app.run import Run, RunKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from starlette.requests import Request
    from starlette.responses import Response


ALIKE = 0.001
"""Figures that differ by less are alike."""
NOT_TWO = "Tick two candidates to put them side by side: no fewer, no more."


async def show(request: Request) -> Response:
    """The map and the list."""
    desk = Desk.of(request)
    case = desk.case(request)
    runs = desk.runs(case, RunKind.CANDIDATE)
    same = [run for run in runs if run.facts.get("question") == case.question]
    pair = _find_pair(request, desk.candidates(case))
    ticked = request.query_params.getlist("with")
    return desk.page(
        request, "compare.html", case, step="compare", runs=runs,
        map=draw_map(same, list_searches(desk, case), find_limits(case).get("linkage")),
        problem="" if pair or not ticked else NOT_TWO,
        others={run.number for run in runs if run not in same}, pair=pair,
        rows=_list_side_by_side(*pair) if pair else [], titles=LIMITED,
        command=commands.compare(case.under(pair[1].facts["question"]), *pair) if pair else "",
        awaits=runs,
    )  # fmt: skip


def _find_pair(request: Request, candidates: list[Run]) -> tuple[Run, Run] | None:
    """The two candidates that were ticked, in the order of their numbers."""
    ticked = set(request.query_params.getlist("with"))
    pair = [run for run in candidates if str(run.number) in ticked]
    return (pair[0], pair[1]) if len(pair) == 2 else None


def _list_side_by_side(one: Run, other: Run) -> list[dict[str, Any]]:
    """The measures that both cards have, and which candidate is better in each."""
    first, second = (
        {score["measure"]: score for score in run.output(2)["assessment"]["scores"]}
        for run in (one, other)
    )
    return [
        {"measure": name, "values": (score["value"], second[name]["value"]),
         "intervals": (score["interval"], second[name]["interval"]),
         "better": score["better"], "winner": _find_winner(score, second[name])}
        for name, score in first.items()
        if name in second
    ]  # fmt: skip


def _find_winner(one: dict[str, Any], other: dict[str, Any]) -> int | None:
    """0 or 1; None where they are alike, or intervals overlap so that chance may decide."""
    if one["value"] is None or other["value"] is None:
        return None
    if abs(one["value"] - other["value"]) < ALIKE:
        return None
    ends = [score["interval"] or [score["value"]] * 2 for score in (one, other)]
    if ends[0][0] <= ends[1][1] and ends[1][0] <= ends[0][1]:
        return None
    first_is_lower = one["value"] < other["value"]
    return int(first_is_lower != (one["better"] == "lower"))


ROUTES = [Route("/case/{case}/compare", show)]


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
