"""Access to the app: only for this user's browser, from pages of the app itself.

The owner of the program at the other end of a connection on this machine.

Browsers send the cookies of a host to all its ports: anyone who gets the user to open a page of a
server of theirs on this machine learns the cookie. It is of no use to them where the system tells
which user a connection belongs to.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import socket
import sys
import traceback
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.responses import HTMLResponse

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.types import ASGIApp, Message, Receive, Scope, Send


POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
"""Nothing is loaded from elsewhere, nothing runs that is not a file of the app, nothing is kept.

The referrer must be sent to pages of the app: without it, browsers name no origin in forms."""
READING = {"GET", "HEAD"}
ENTER, STATIC = "/enter", "/static/"
"""What can be had without the cookie: the way in, and the looks of the page that tells of it."""
NAMES = ("127.0.0.1", "localhost")
TOKEN_BYTES = 32
SENTENCES = {
    400: "This address is not that of Swapmeet. Open the link that the terminal shows.",
    403: (
        "This browser has not been let in. Open the link that the terminal shows, as the user who "
        "started Swapmeet, or run <code>swapmeet app</code> again."
    ),
    404: "There is no such page.",
    500: (
        "Something unexpected went wrong, and the terminal says where. Your file and all "
        "candidates are safe. Go back and try again."
    ),
}


@dataclass(frozen=True)
class Keys:
    """The secrets of one start of the app: the token of the link, and what follows from it."""

    token: str = field(default_factory=lambda: secrets.token_urlsafe(TOKEN_BYTES), repr=False)

    @property
    def cookie(self) -> str:
        """The cookie of a browser that was let in."""
        return self._derive("cookie")

    @property
    def form(self) -> str:
        """The token that every form of the app carries, and no other site's form."""
        return self._derive("form")

    def _derive(self, purpose: str) -> str:
        return hmac.new(self.token.encode(), purpose.encode(), hashlib.sha256).hexdigest()


def are_same(one: str, other: str) -> bool:
    """Return whether two secrets are the same; how long it takes tells nothing."""
    return hmac.compare_digest(one.encode(), other.encode())


class Guard:
    """Lets through what comes from this user's pages, and puts the headers on every answer."""

    def __init__(self, app: ASGIApp, keys: Keys, port: Callable[[], int]) -> None:
        self._app, self._keys, self._port = app, keys, port

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        refusal = self._refuse(scope)
        answer = self._app if refusal is None else say(refusal)
        guarded, started = _add_headers(send)
        try:
            await answer(scope, receive, guarded)
        except ClientDisconnect:
            return
        except Exception as error:  # noqa: BLE001
            tell_terminal(error)
            if not started:
                await say(500)(scope, receive, guarded)

    @property
    def cookie_name(self) -> str:
        """Browsers share cookies among the ports of a host."""
        return f"swapmeet-{self._port()}"

    def _refuse(self, scope: Scope) -> int | None:
        headers = Headers(scope=scope)
        hosts = {f"{name}:{self._port()}" for name in NAMES}
        host = headers.get("host", "")
        if host not in hosts:
            return 400
        if not (_may_read(headers) if scope["method"] in READING else _is_from(headers, host)):
            return 403
        if scope["path"].startswith(STATIC):
            return None
        if not is_open(scope["path"]) and not self._has_cookie(headers):
            return 403
        return 403 if is_stranger(scope.get("client"), (NAMES[0], self._port())) else None

    def _has_cookie(self, headers: Headers) -> bool:
        """Other programs of this machine may set cookies of any form beside ours."""
        pairs = (one.strip().partition("=") for one in headers.get("cookie", "").split(";"))
        given = [value for name, _, value in pairs if name == self.cookie_name]
        return any(are_same(value, self._keys.cookie) for value in given)


def is_open(path: str) -> bool:
    """Return whether everybody may have it; no secret may stand on such a page."""
    return path == ENTER or path.startswith(STATIC)


def _may_read(headers: Headers) -> bool:
    """Pages of others, be it of another port, may lead here, but neither load nor frame ours."""
    if headers.get("sec-fetch-site", "none") in {"same-origin", "none"}:
        return True
    return headers.get("sec-fetch-dest") == "document"


def _is_from(headers: Headers, host: str) -> bool:
    """Return whether a page of the app sent this."""
    site = headers.get("sec-fetch-site", "same-origin")
    return headers.get("origin") == f"http://{host}" and site == "same-origin"


def _add_headers(send: Send) -> tuple[Send, list[bool]]:
    started: list[bool] = []

    async def guarded(message: Message) -> None:
        if message["type"] == "http.response.start":
            started.append(True)
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return guarded, started


def tell_terminal(error: Exception) -> None:
    """Show where it went wrong, without the words of other libraries, which may quote a value."""
    frames = traceback.StackSummary.extract(traceback.walk_tb(error.__traceback__))
    if "--debug" in sys.argv:
        sys.stderr.write("".join(frames.format()))
    place = f" at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    sys.stderr.write(f"unexpected error ({type(error).__name__}){place}\n")


def say(status: int) -> HTMLResponse:
    """A page that stands alone."""
    return HTMLResponse(
        '<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>Swapmeet</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<link rel="stylesheet" href="/static/app.css"><main class="alone"><h1>Swapmeet</h1>'
        f"<p>{SENTENCES[status]}</p></main></html>",
        status,
    )


TABLES = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
LOCAL, REMOTE, USER = 1, 2, 7
"""Where a line of these tables has both ends of a connection, and its owner."""


def is_stranger(client: tuple[str, int] | None, server: tuple[str, int]) -> bool:
    """Return whether a connection belongs to another user; not where the system does not tell.

    The administrator is no stranger: they forward connections, and can read everything anyway.
    """
    if client is None or not hasattr(os, "getuid"):
        return False
    return bool(_find_owners(client, server) - {0, os.getuid()})


def _find_owners(client: tuple[str, int], server: tuple[str, int]) -> set[int]:
    owners: set[int] = set()
    for table in TABLES:
        with suppress(OSError, ValueError, IndexError):
            ends = [_write(end) for end in (client, server)]
            for line in table.read_text(encoding="ascii").splitlines()[1:]:
                words = line.split()
                if words[LOCAL].endswith(ends[0]) and words[REMOTE].endswith(ends[1]):
                    owners.add(int(words[USER]))
    return owners


def _write(end: tuple[str, int]) -> str:
    """One end of a connection as the tables have it, that of version 6 after zeros and ones."""
    address = int.from_bytes(socket.inet_aton(end[0]), sys.byteorder)
    return f"{address:08X}:{end[1]:04X}"
