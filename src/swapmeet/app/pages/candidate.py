"""A candidate: its verdict, card, pictures, and analyses that the curator asks for."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from swapmeet.app import commands
from swapmeet.app.case import TABLE, Case
from swapmeet.app.desk import Desk, go, lines, take_form
from swapmeet.app.limits import LIMITED
from swapmeet.app.paging import cut
from swapmeet.app.run import FIGURES, Run, RunKind, State

if TYPE_CHECKING:
    from starlette.requests import Request


ASKED = ("models", "rare", "tables")
TABS = {
    "verdict": "Verdict",
    "columns": "Columns and pictures",
    "measures": "All measures",
    "analyses": "Your analyses",
}
PICTURE_POLICY = "default-src 'none'; sandbox"


async def show(request: Request) -> Response:
    """The candidate."""
    return _show(request)


def _show(request: Request, problem: str = "", status: int = 200, tab: str = "") -> Response:
    desk = Desk.of(request)
    tab = tab or request.query_params.get("tab", "")
    case, run = desk.case(request), desk.run(request, RunKind.CANDIDATE)
    analyses = _list_analyses(desk, case, run)
    card = run.output(2).get("assessment") if "sentence" in run.facts else None
    return desk.page(
        request, "candidate.html", case, status=status, step="compare", run=run,
        problem=problem or run.error, card=card, tabs=TABS, tab=tab if tab in TABS else "verdict",
        columns=cut(run.output(1).get("columns", []), request), made=run.output(1),
        contents=_read_contents(run),
        pictures=_list_pictures(run), analyses=analyses, titles=LIMITED,
        awaits=[run, *(one for one, _ in analyses)], refused=_find_refused(analyses),
        commands=[command.shown for command in run.commands],
        changed=run.facts.get("question") != case.question, again=can_be_made_again(run),
        same_table=all(case.question[name] == run.facts["question"][name] for name in TABLE),
    )  # fmt: skip


async def analyse(request: Request) -> Response:
    """Fit models, make tables and follow rare records, in original and release."""
    desk, form = Desk.of(request), await take_form(request)
    case, run = desk.case(request), desk.run(request, RunKind.CANDIDATE)
    analyses = {name: lines(form, name) for name in ASKED}
    if not any(analyses.values()):
        return _show(
            request, "Write at least one model, condition or table first.", 400, "analyses"
        )
    command = commands.analyse(case, run, **analyses)
    desk.jobs.start(
        Run(kind=RunKind.ANALYSIS, case=case.key, title=f"Analyses of candidate {run.number}",
            commands=(command,), facts={"candidate": run.number, **analyses})
    )  # fmt: skip
    return go(case, f"candidate/{run.number}", tab="analyses")


async def measure_again(request: Request) -> Response:
    """Measure the release of a candidate against the intruder and the limits of now."""
    desk = Desk.of(request)
    await take_form(request)
    case, run = desk.case(request), desk.run(request, RunKind.CANDIDATE)
    releases = run.facts["releases"]
    names = [*releases, f"{releases[0]}.run.toml", commands.AUDIT, "out-1.json"]
    if not run.output(1) or not all((run.folder / name).exists() for name in names):
        return _show(request, "There is no release of this candidate to measure.", 400)
    facts = {name: fact for name, fact in run.facts.items() if name not in FIGURES}
    again = replace(
        run, number=0, seed="", error="", state=State.WAITING, seconds=0.0,
        title=f"Measuring the release of candidate {run.number} again",
        commands=(run.commands[0], commands.measure(case, releases[0])),
        facts={**facts, "question": case.question, "again": run.number, "done_before": 1},
    )  # fmt: skip
    desk.jobs.start(again, [run.folder / name for name in names])
    return go(case, "compare")


async def make_again(request: Request) -> Response:
    """Go on with a candidate that was stopped or failed, from the command that was not done."""
    desk = Desk.of(request)
    await take_form(request)
    case, run = desk.case(request), desk.run(request, RunKind.CANDIDATE)
    if can_be_made_again(run):
        done = {"done_before": 1 if run.output(1) else 0}
        desk.jobs.resume(replace(run, facts={**run.facts, **done}))
    return go(case, f"candidate/{run.number}")


def can_be_made_again(run: Run) -> bool:
    """Return whether it ended without a verdict, except for a chosen seed that is not kept."""
    return not run.state.is_open and "sentence" not in run.facts and not run.facts.get("seeded")


async def discard(request: Request) -> Response:
    """Remove a candidate with all that came of it, or stop it if it is under way."""
    desk = Desk.of(request)
    await take_form(request)
    case, run = desk.case(request), desk.run(request, RunKind.CANDIDATE)
    mine = [one for one in desk.space.runs(case.key) if one.facts.get("candidate") == run.number]
    for one in [*mine, run]:
        await desk.jobs.stop(one)
        await run_in_threadpool(desk.space.discard_run, one)
    desk.space.change_case(
        case.key, lambda now: now.change(candidate=None) if now.candidate == run.number else now
    )
    return go(case, "compare")


async def show_picture(request: Request) -> Response:
    """A picture of a candidate."""
    desk = Desk.of(request)
    run = desk.run(request, RunKind.CANDIDATE)
    name = request.path_params["name"]
    if name not in {one["file"] for one in _list_pictures(run)}:
        raise HTTPException(404, "There is no such picture.")
    return FileResponse(
        run.folder / commands.PICTURES / name, media_type="image/svg+xml",
        headers={"Content-Security-Policy": PICTURE_POLICY},
    )  # fmt: skip


async def show_report(request: Request) -> Response:
    """The internal report of a candidate, to be read here."""
    desk = Desk.of(request)
    return open_page(desk.run(request, RunKind.CANDIDATE), commands.INTERNAL)


def open_page(run: Run, name: str) -> Response:
    """A report as a page; it runs nothing, and loads nothing."""
    path = run.folder / name
    if not path.exists():
        raise HTTPException(404, "There is no such report any more.")
    from swapmeet.reporting.page import find_policy

    page = path.read_text(encoding="utf-8")
    policy = f"{find_policy(page)}; sandbox"
    return Response(page, media_type="text/html", headers={"Content-Security-Policy": policy})


def _list_pictures(run: Run) -> list[dict[str, Any]]:
    try:
        index = json.loads((run.folder / commands.PICTURES / "index.json").read_bytes())
    except (OSError, ValueError):
        return []
    return list(index["pictures"] if isinstance(index, dict) else index)


def _read_contents(run: Run) -> dict[str, Any]:
    try:
        return dict(json.loads((run.folder / "internal.json").read_bytes()))
    except (OSError, ValueError):
        return {}


def _list_analyses(desk: Desk, case: Case, run: Run) -> list[tuple[Run, dict[str, Any]]]:
    runs = desk.runs(case, RunKind.ANALYSIS)
    return [(one, one.output()) for one in runs if one.facts["candidate"] == run.number]


def _find_refused(analyses: list[tuple[Run, dict[str, Any]]]) -> dict[str, Any]:
    """Find the last request if it failed, so that the form can be mended."""
    failed = [run.facts for run, _ in analyses[-1:] if run.state is State.FAILED]
    return {name: failed[0][name] if failed else () for name in ASKED}


ROUTES = [
    Route("/case/{case}/candidate/{run:int}", show),
    Route("/case/{case}/candidate/{run:int}/analyse", analyse, methods=["POST"]),
    Route("/case/{case}/candidate/{run:int}/again", measure_again, methods=["POST"]),
    Route("/case/{case}/candidate/{run:int}/make", make_again, methods=["POST"]),
    Route("/case/{case}/candidate/{run:int}/discard", discard, methods=["POST"]),
    Route("/case/{case}/candidate/{run:int}/picture/{name}", show_picture),
    Route("/case/{case}/candidate/{run:int}/report", show_report),
]
