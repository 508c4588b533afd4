"""Step 4: all candidates on the risk-utility map, and two of them side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from starlette.routing import Route

from swapmeet.app import commands
from swapmeet.app.desk import Desk
from swapmeet.app.limits import LIMITED, find_limits
from swapmeet.app.pages.searches import list_searches
from swapmeet.app.risk_map import draw_map
from swapmeet.app.run import Kind

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from swapmeet.app.run import Run

ALIKE = 0.001
"""Figures that differ by less are alike."""
NOT_TWO = "Tick two candidates to put them side by side: no fewer, no more."


async def show(request: Request) -> Response:
    """The map and the list."""
    desk = Desk.of(request)
    case = desk.case(request)
    runs = desk.runs(case, Kind.CANDIDATE)
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
