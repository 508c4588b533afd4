"""Step 5: a recommendation with two alternatives, the limits one by one, and the reason."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from starlette.routing import Route

from swapmeet.app.desk import Desk, go, is_stale, take_form
from swapmeet.app.intruders import find_persona
from swapmeet.app.limits import LIMITED
from swapmeet.app.pages.release import has_papers, start_papers
from swapmeet.app.pages.searches import find_choice, find_missed, list_alternatives, list_searches

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from starlette.datastructures import FormData
    from starlette.requests import Request
    from starlette.responses import Response

    from swapmeet.app.case import Case
    from swapmeet.app.run import Run


LONGEST = 20_000
CHANGED = (
    "The page was out of date: something was changed in another tab or browser meanwhile. Nothing "
    "was saved. Your text is still here; look at the verdict again before you choose."
)


async def show(request: Request) -> Response:
    """The form."""
    return _show(request)


def _show(
    request: Request, problem: str = "", form: FormData | None = None, status: int = 200
) -> Response:
    """The form, about the candidate that was sent or asked for, with what was typed."""
    desk = Desk.of(request)
    case = desk.case(request)
    candidates = desk.candidates(case)
    same = [one for one in candidates if one.facts["question"] == case.question]
    best = choose_candidate(same)
    chosen = next((one for one in candidates if one.number == case.candidate), None)
    run = best if best and chosen not in same else chosen or next(reversed(candidates), None)
    sent = request.query_params if form is None else form
    number = sent.get("candidate", "")
    run = next((one for one in candidates if str(one.number) == number), run)
    others = find_alternatives(same, run) if run and run is best else {}
    return desk.page(
        request, "decide.html", case, status=status, step="decide", problem=problem,
        candidates=candidates, run=run, card=run.output(2)["assessment"] if run else None,
        best=best, alternatives=others, proposals=_list_proposals(desk, case, candidates, others),
        titles=LIMITED, persona=find_persona(run.facts["question"]["intruder"]) if run else None,
        command=run.commands[1].shown if run else "",
        reason=case.reason if form is None else str(form.get("reason", "")),
    )  # fmt: skip


def _list_proposals(
    desk: Desk, case: Case, candidates: list[Run], others: dict[str, Run]
) -> list[dict[str, Any]]:
    """Settings that the last search recommends and that are no candidates yet."""
    searches = list_searches(desk, case)
    study = searches[-1].output(1) if searches else {}
    best = find_choice(study)
    if best is None:
        return []
    number = searches[-1].number
    made = {one.facts.get("trial") for one in candidates if one.facts.get("search") == number}
    known = [
        {"less": "", "trial": best, "missed": find_missed(study, best)},
        *(one for one in list_alternatives(study) if one["less"] not in others),
    ]
    return [{**one, "search": number} for one in known if one["trial"]["number"] not in made]


async def decide(request: Request) -> Response:
    """Keep the choice and its reason."""
    desk, form = Desk.of(request), await take_form(request)
    case = desk.case(request)
    if is_stale(form, case):
        return _show(request, CHANGED, form, 409)
    chosen = [one for one in desk.candidates(case) if str(one.number) == form.get("candidate")]
    if not chosen:
        return _show(request, "Choose a candidate first.", form, 400)
    reason = str(form.get("reason", "")).replace("\r\n", "\n").strip()[:LONGEST]
    if not chosen[0].facts["safe"] and not reason:
        return _show(request, "This release is not safe under your limits. If it is to be "
                              "published all the same, write the reason.", form, 400)  # fmt: skip
    case = case.change(candidate=chosen[0].number, reason=reason)
    desk.space.save_case(case)
    if not has_papers(desk, case):
        start_papers(desk, case)
    return go(case, "release")


ROUTES = [
    Route("/case/{case}/decide", show),
    Route("/case/{case}/decide", decide, methods=["POST"]),
]


ALIKE = 0.001
"""Figures that differ by less are alike."""
LESS_LOSS, LESS_RISK = "loss", "risk"
"""What an alternative has less of, in the words of a search."""


def choose_candidate(runs: Iterable[Run]) -> Run | None:
    """Choose by the rule of a search: least loss within the limits, then least risk.

    Where none keeps the limits, the one with the least risk is looked at first.
    """
    known = _select_measured(runs)
    safe = [run for run in known if run.facts["safe"]]
    if safe:
        return min(safe, key=lambda run: (round(run.facts["loss"], 3), run.facts["risk"]))
    return min(known, key=lambda run: run.facts["risk"], default=None)


def find_alternatives(runs: Iterable[Run], best: Run) -> dict[str, Run]:
    """The candidate with the least risk of those that lose less, and the other way round."""
    if not _select_measured([best]):
        return {}
    known = _select_measured(runs)
    alternatives: dict[str, Run] = {}
    for less, more in ((LESS_LOSS, LESS_RISK), (LESS_RISK, LESS_LOSS)):
        able = [run for run in known if run.facts[less] < best.facts[less] - ALIKE]
        if able:
            alternatives[less] = min(able, key=lambda run: (run.facts[more], run.facts[less]))
    return alternatives


def _select_measured(runs: Iterable[Run]) -> Sequence[Run]:
    """Select the candidates that have both figures."""
    return [run for run in runs
            if run.facts.get("risk") is not None and run.facts.get("loss") is not None]  # fmt: skip
