"""The way in, the files that are open, and three ways to open another."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from swapmeet.app.desk import Desk, go
from swapmeet.app.forms import take_form
from swapmeet.app.guard import are_same, say
from swapmeet.app.opening import (
    EXAMPLES,
    FIRST_EXAMPLE,
    find_path,
    open_example,
    open_path,
    open_upload,
)
from swapmeet.app.upload import FULL, Upload
from swapmeet.base.disk import name_reason, remove
from swapmeet.errors import SwapmeetError
from swapmeet.io.formats import all_titles

if TYPE_CHECKING:
    from starlette.requests import Request

    from swapmeet.app.case import Case

LAST_PAGE = 1.0
"""Seconds until the app stops, so that its last page comes with its style."""
ON = (
    '<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>Swapmeet</title>'
    '<link rel="icon" href="/static/icon.svg"><meta http-equiv="refresh" content="0; url=/">'
    '<a href="/">Go on to Swapmeet</a></html>'
)


async def enter(request: Request) -> Response:
    """Turn the token of the link into a cookie.

    The page leads on by itself: a redirect would still count as coming from elsewhere, and the
    browser would keep the cookie back.
    """
    keys = Desk.of(request).keys
    if not are_same(request.query_params.get("token", ""), keys.token):
        return say(403)
    page = HTMLResponse(ON)
    page.set_cookie(f"swapmeet-{request.url.port}", keys.cookie, httponly=True, samesite="strict")
    return page


async def show(request: Request) -> Response:
    """The first page."""
    return _show(request)


def _show(request: Request, problem: str = "", path: str = "", status: int = 200) -> Response:
    desk = Desk.of(request)
    examples = {FIRST_EXAMPLE: EXAMPLES[FIRST_EXAMPLE], **EXAMPLES}
    return desk.page(
        request, "home.html", status=status, cases=desk.space.cases(), examples=examples,
        problem=problem, typed=path, formats=all_titles(), command="swapmeet inspect people.csv",
    )  # fmt: skip


async def open_by_path(request: Request) -> Response:
    """Open a file of this machine."""
    form = await take_form(request)
    text = str(form.get("path", ""))
    try:
        path = await run_in_threadpool(find_path, text)
        return go(open_path(Desk.of(request), path), "data")
    except SwapmeetError as refusal:
        return _show(request, str(refusal), text, 400)


async def open_sent(request: Request) -> Response:
    """Open a file that the browser sends."""
    desk = Desk.of(request)
    upload = Upload(request, desk.space.scratch)
    try:
        path = await upload.receive()
        return go(open_upload(desk, path, upload.name), "data")
    except SwapmeetError as refusal:
        remove(upload.path)
        return _show(request, str(refusal), status=400)
    except OSError as error:
        remove(upload.path)
        return _show(request, FULL.format(reason=name_reason(error)), status=400)


async def open_built_in(request: Request) -> Response:
    """Open an example."""
    form = await take_form(request)
    name = str(form.get("name", ""))
    if name not in EXAMPLES:
        raise HTTPException(404, "There is no such example.")
    return go(open_example(Desk.of(request), name), "data")


async def close(request: Request) -> Response:
    """Close a file: stop its work, and remove all that was made of it here."""
    desk = Desk.of(request)
    await take_form(request)
    await _close(desk, desk.case(request))
    return RedirectResponse("/", 303)


async def _close(desk: Desk, case: Case) -> None:
    """First nobody finds it any more: while its work is stopped, no other begins."""
    desk.space.forget_case(case.key)
    await desk.jobs.stop_case(case.key)
    await run_in_threadpool(desk.space.close_case, case.key)


async def quit_app(request: Request) -> Response:
    """Stop the app; with `forget`, close all files first."""
    desk = Desk.of(request)
    form = await take_form(request)
    if form.get("forget"):
        for case in desk.space.cases():
            await _close(desk, case)
    asyncio.get_running_loop().call_later(LAST_PAGE, desk.stop)
    kept = len(desk.space.cases())
    words = "Swapmeet has stopped. You can close this page." + (
        " Your work is kept; run swapmeet app to go on." if kept else ""
    )
    return desk.page(request, "message.html", message=words, over=True)


ROUTES = [
    Route("/enter", enter),
    Route("/", show),
    Route("/open", open_by_path, methods=["POST"]),
    Route("/upload", open_sent, methods=["POST"]),
    Route("/example", open_built_in, methods=["POST"]),
    Route("/quit", quit_app, methods=["POST"]),
    Route("/case/{case}/close", close, methods=["POST"]),
]
