"""A search: how far it is, what it has found, and releases by the settings it has tried."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from starlette.exceptions import HTTPException
from starlette.routing import Route

from swapmeet.app.desk import Desk, go, take_form
from swapmeet.app.fields import drop_defaults
from swapmeet.app.limits import LIMITED
from swapmeet.app.pages.protect import BUDGETS, make_candidate
from swapmeet.app.run import Run, RunKind, State
from swapmeet.tuning.reasons import BEST_SO_FAR

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response


SHOWN = 25
"""Settings that a page lists, the best first."""


async def show(request: Request) -> Response:
    """The search."""
    desk = Desk.of(request)
    case, run = desk.case(request), desk.run(request, RunKind.SEARCH)
    study = run.output(1) if run.state not in {State.WAITING, State.RUNNING} else {}
    best = find_choice(study)
    return desk.page(
        request, "search.html", case, step="protect", run=run, study=study, titles=LIMITED,
        tried=_rank(study)[:SHOWN], best=best, alternatives=list_alternatives(study),
        missed=find_missed(study, best) if best else [], is_open=_may_be_beaten(study),
        problem=run.error if run.state is State.FAILED else "",
        changed=run.facts.get("question") != case.question, awaits=[run],
        budget=BUDGETS.get(run.facts.get("budget", ""), "as long"),
        command=run.commands[0].shown,
    )  # fmt: skip


async def go_on(request: Request) -> Response:
    """Go on with a search that was stopped; its journal has all trials."""
    desk = Desk.of(request)
    await take_form(request)
    case, run = desk.case(request), desk.run(request, RunKind.SEARCH)
    if not run.state.is_open:
        desk.jobs.resume(run)
    return go(case, f"search/{run.number}")


async def make(request: Request) -> Response:
    """Make a candidate by a setting that was tried."""
    desk, form = Desk.of(request), await take_form(request)
    case, run = desk.case(request), desk.run(request, RunKind.SEARCH)
    matches = [one for one in run.output(1).get("candidates", ()) if _is(one, form.get("number"))]
    if not matches:
        raise HTTPException(404, "The search has tried no such setting.")
    one = matches[0]
    settings = drop_defaults(one["method"], one["settings"])
    made = make_candidate(
        desk, case, one["method"], settings, form, search=run, number=one["number"]
    )
    return go(case, "compare", new=made.number)


def find_choice(study: dict[str, Any]) -> dict[str, Any] | None:
    """The setting that a search chose, or the nearest to the limits."""
    choice = study.get("choice", {})
    best = choice.get("best")
    return _find(study, choice.get("nearest") if best is None else best)


def list_alternatives(study: dict[str, Any]) -> list[dict[str, Any]]:
    """The settings with less loss and with less risk, and the limits that each exceeds."""
    pairs = [
        (one["less"], _find(study, one["number"]))
        for one in study.get("choice", {}).get("alternatives", ())
    ]
    return [
        {"less": less, "trial": trial, "missed": find_missed(study, trial)}
        for less, trial in pairs
        if trial is not None
    ]


def find_missed(study: dict[str, Any], candidate: dict[str, Any]) -> list[str]:
    """Find the limits that a setting exceeds, as far as they were measured."""
    ends = candidate["unfavourable"]
    return [n for n, limit in study.get("limits", {}).items() if n in ends and ends[n] > limit]


def _may_be_beaten(study: dict[str, Any]) -> bool:
    """Return whether settings promise more than the choice, and had only a first look."""
    choice = study.get("choice", {})
    return choice.get("best") is not None and choice["sentences"][0].startswith(BEST_SO_FAR)


def _find(study: dict[str, Any], number: object) -> dict[str, Any] | None:
    return next((one for one in study.get("candidates", ()) if one["number"] == number), None)


def _is(candidate: dict[str, Any], number: object) -> bool:
    return str(candidate["number"]) == str(number)


def _rank(study: dict[str, Any]) -> list[dict[str, Any]]:
    """Settings that were tried: the best first, then those that keep the limits, by the goal."""
    balance = study.get("goal", {}).get("balance")
    aim = "loss" if balance is None else "score"
    best = study.get("choice", {}).get("best")
    tried = [one for one in study.get("candidates", ()) if not one["failure"]]
    for one in tried:
        one["missed"] = find_missed(study, one)
        one["is_best"] = one["number"] == best
    return sorted(
        tried,
        key=lambda one: (not one["is_best"], bool(one["missed"]), not one["checked"],
                         _get_figure(one, aim)),
    )  # fmt: skip


def _get_figure(candidate: dict[str, Any], name: str) -> float:
    figure = candidate["medians"].get(name)
    return float("inf") if figure is None else float(figure)


def list_searches(desk: Desk, case: Any) -> list[Run]:
    """The searches whose trials answer the question of a case."""
    return [
        run for run in desk.runs(case, RunKind.SEARCH) if run.facts.get("question") == case.question
    ]


ROUTES = [
    Route("/case/{case}/search/{run:int}", show),
    Route("/case/{case}/search/{run:int}/continue", go_on, methods=["POST"]),
    Route("/case/{case}/search/{run:int}/make", make, methods=["POST"]),
]
