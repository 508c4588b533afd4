"""The work under way, as a part of every page, which asks for it anew each second."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.routing import Route

from swapmeet.app.desk import Desk, go, take_form
from swapmeet.app.run import RunKind

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

BACK = {RunKind.SEARCH: "search/{}", RunKind.INSPECTION: "data", RunKind.PAPERS: "release"}


async def show(request: Request) -> Response:
    """Show the jobs under way, and those that ended since the page was loaded.

    A page is loaded anew as soon as a run has ended that it awaits, and for no other: somebody may
    be writing on it. While the same work goes on, only how far it is takes the place of what was
    there, so that the focus stays where it is, and nobody is told the same every second.
    """
    desk = Desk.of(request)
    case = desk.case(request)
    watched, shown, awaited = (_list(request, name) for name in ("watch", "shown", "await"))
    runs = [run for name in watched if (run := desk.space.find_run(case.key, name))]
    ended = [run for run in runs if not run.state.is_open]
    is_same = set(shown) == {job.run.name for job in desk.jobs.open_jobs(case.key)}
    part = desk.page(
        request, "jobs.html", case, ended=ended, watched=watched, awaited=awaited, is_part=True,
        is_same=is_same, is_pinned="pinned" in request.query_params,
    )  # fmt: skip
    going_on = {run.name for run in runs if run.state.is_open}
    if set(awaited) - going_on:
        part.headers["HX-Refresh"] = "true"
    return part


def _list(request: Request, name: str) -> list[str]:
    return [one for one in request.query_params.get(name, "").split(",") if one]


async def stop(request: Request) -> Response:
    """Stop a run."""
    desk = Desk.of(request)
    await take_form(request)
    case, run = desk.case(request), desk.run(request, request.path_params["kind"])
    await desk.jobs.stop(run)
    return go(case, BACK.get(run.kind, "compare").format(run.number))


ROUTES = [
    Route("/case/{case}/jobs", show),
    Route("/case/{case}/run/{kind}/{run:int}/stop", stop, methods=["POST"]),
]
