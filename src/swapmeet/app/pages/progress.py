"""The work under way, as a part of every page, which asks for it anew each second."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.routing import Route

from swapmeet.app.desk import Desk, go
from swapmeet.app.forms import take_form
from swapmeet.app.run import Kind

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

BACK = {Kind.SEARCH: "search/{}", Kind.INSPECTION: "data", Kind.PAPERS: "release"}


async def show(request: Request) -> Response:
    """What is under way, and what has ended since the page was loaded.

    A page that shows results is loaded anew as soon as one of its runs has ended.
    """
    desk = Desk.of(request)
    case = desk.case(request)
    watched = [name for name in request.query_params.get("watch", "").split(",") if name]
    runs = [run for name in watched if (run := desk.space.find_run(case.key, name))]
    ended = [run for run in runs if not run.state.is_open]
    refresh = request.query_params.get("refresh") == "1"
    part = desk.page(
        request, "jobs.html", case, ended=ended, watched=watched, refresh=refresh, is_part=True
    )
    if refresh and (ended or len(runs) < len(watched)):
        part.headers["HX-Refresh"] = "true"
    return part


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
