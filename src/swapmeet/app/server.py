"""The app as a server on this machine."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import sys
import webbrowser
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles

from swapmeet.app.desk import Desk
from swapmeet.app.guard import Guard, Keys, is_open, say, tell_terminal
from swapmeet.app.jobs import Jobs
from swapmeet.app.pages import ROUTES
from swapmeet.app.workspace import Workspace, find_page, find_running
from swapmeet.base.disk import name_reason
from swapmeet.errors import Stopped, SwapmeetError, UsageError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from starlette.requests import Request

HOST, PORT = "127.0.0.1", 8417
GRACE = 3
TALKATIVE = ("asyncio", "python_multipart", "uvicorn.error")
"""They may quote in the terminal what they were sent."""
STATIC = Path(__file__).with_name("static")


def run_app(
    *, port: int | None = None, folder: Path | None = None, browser: bool = True,
    tell: Callable[[str], None] = print,
) -> None:  # fmt: skip
    """Serve the app until it is stopped; where it runs already, show the link to it."""
    os.umask(0o077)
    space = Workspace.open(folder)
    if space is None:
        _show_running(folder, browser=browser, tell=tell)
        return
    keys = Keys()
    try:
        with _listen(port) as listener:
            address = f"http://{HOST}:{listener.getsockname()[1]}"
            page = space.announce(address, keys.token)
            tell(f"Swapmeet runs at {address}/enter?token={keys.token}")
            tell("Open this link in a browser on this machine. Ctrl-C stops it.")
            if browser:
                webbrowser.open(page.as_uri())
            _serve(space, keys, listener)
    finally:
        kept = len(space.cases())
        space.close()
        if kept:
            files = "1 file" if kept == 1 else f"{kept} files"
            tell(f"The work on {files} is kept until you close it: swapmeet app.")


def make_app(
    space: Workspace, keys: Keys, port: int, stop: Callable[[], None] = lambda: None
) -> Guard:
    """The app, guarded; `stop` is called when somebody wants it to end."""

    @asynccontextmanager
    async def live(app: Starlette) -> AsyncIterator[None]:
        app.state.desk = Desk(space, Jobs(space), keys, stop)
        yield
        await app.state.desk.jobs.stop_all()

    app = Starlette(
        routes=[*ROUTES, Mount("/static", StaticFiles(directory=STATIC))],
        exception_handlers={
            HTTPException: _explain,
            SwapmeetError: _explain_refusal,
            OSError: _explain_system,
            Exception: _apologize,
        },
        lifespan=live,
    )
    return Guard(app, keys, lambda: port)


async def _explain(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if is_open(request.url.path):
        return say(404)
    if error.status_code == 405 and request.method == "GET":
        return RedirectResponse(_find_step(request.url.path), 303)
    words = {404: "There is no such page.", 405: "This cannot be done in this way."}
    text = words.get(error.status_code) if error.detail in _STANDARD else error.detail
    page = Desk.of(request).page(request, "message.html", status=error.status_code,
                                 message=text or error.detail)  # fmt: skip
    page.headers.update(error.headers or {})
    return page


def _find_step(path: str) -> str:
    """The page with the form that acts at an address, which stands there after a refusal.

    >>> _find_step("/case/0a1b2c/mask"), _find_step("/case/0a1b2c/candidate/2/analyse")
    ('/case/0a1b2c/protect', '/case/0a1b2c/candidate/2')
    >>> _find_step("/upload")
    '/'
    """
    _, home, *parts = path.split("/")
    if home != "case" or len(parts) < 2 or parts[1] not in STEP_OF:
        return "/"
    key, act, *more = parts
    if more[1:] and act in SHOWN:
        return f"/case/{key}/{act}/{more[0]}"
    return f"/case/{key}/{STEP_OF[act]}"


async def _explain_refusal(request: Request, error: Exception) -> Response:
    return Desk.of(request).page(request, "message.html", status=400, message=str(error))


async def _explain_system(request: Request, error: Exception) -> Response:
    assert isinstance(error, OSError)
    tell_terminal(error)
    words = f"The system did not let it happen: {name_reason(error)}. All that was done is safe."
    return Desk.of(request).page(request, "message.html", status=500, message=words)


async def _apologize(_: Request, __: Exception) -> Response:
    """The guard tells the terminal where it went wrong."""
    return say(500)


STEP_OF = {
    "reading": "data",
    "intruder": "roles",
    "limits": "protect",
    "mask": "protect",
    "search": "protect",
    "papers": "release",
    "release": "release",
    "candidate": "compare",
    "run": "compare",
}
"""By what is done at an address of a case."""
SHOWN = ("candidate", "search")
"""What has a page of its own."""
_STANDARD = {"Not Found", "Method Not Allowed"}


def _serve(space: Workspace, keys: Keys, listener: socket.socket) -> None:
    for library in TALKATIVE:
        logging.getLogger(library).setLevel(logging.CRITICAL)
    app = make_app(
        space, keys, listener.getsockname()[1], lambda: setattr(server, "should_exit", True)
    )
    config = uvicorn.Config(
        app, access_log=False, log_config=None, server_header=False, lifespan="on", http="h11",
        ws="none", proxy_headers=False, timeout_graceful_shutdown=GRACE,
    )  # fmt: skip
    server = uvicorn.Server(config)
    with suppress(Stopped, KeyboardInterrupt):
        asyncio.run(server.serve([listener]))


def _listen(port: int | None) -> socket.socket:
    """A socket on this machine only, at the port named, the usual one, or any that is free."""
    for at in [port] if port is not None else [PORT, 0]:
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        if sys.platform != "win32":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((HOST, at))
            listener.listen()
        except (OSError, OverflowError) as error:
            listener.close()
            reason = name_reason(error) if isinstance(error, OSError) else "not a port"
        else:
            return listener
    raise UsageError(f"--port {port}: cannot be used: {reason}. Choose another, or leave it out.")


def _show_running(folder: Path | None, *, browser: bool, tell: Callable[[str], None]) -> None:
    link = find_running(folder)
    if link is None:
        raise UsageError("Swapmeet is starting or stopping just now. Try again in a moment.")
    tell(f"Swapmeet runs already, at {link}")
    if browser:
        webbrowser.open(find_page(folder).as_uri())
