"""The way in, the files that are open, and three ways to open another."""

from __future__ import annotations

import asyncio
import re
import secrets
from typing import TYPE_CHECKING, Any, BinaryIO

from python_multipart.exceptions import MultipartParseError
from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from swapmeet.app.desk import CONTROL, Desk, go, require_own, take_form
from swapmeet.app.guard import are_same, say
from swapmeet.app.opening import (
    EXAMPLES,
    FIRST_EXAMPLE,
    find_path,
    open_example,
    open_path,
    open_upload,
)
from swapmeet.base.disk import name_reason, remove
from swapmeet.errors import FileError, SwapmeetError
from swapmeet.io.formats import all_titles

if TYPE_CHECKING:
    from pathlib import Path

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


LONGEST_TEXT = 4096
LONGEST_NAME = 200
"""In bytes, as file systems count."""
FULL = (
    "The file could not be kept: {reason}. Make room, or open it by its path instead: then it is "
    "not copied."
)
BROKEN = "The upload was broken off. Try again, or open the file by its path."
NOTHING = "No file was chosen. Choose one first."


class Upload:
    """A form of one text, the key, and one file, in this order."""

    def __init__(self, request: Request, scratch: Path) -> None:
        self._request, self._scratch = request, scratch
        self._part, self._header, self._value = "", b"", b""
        self._headers: dict[str, str] = {}
        self._text = b""
        self._file: BinaryIO | None = None
        self._is_whole = False
        self.name = ""
        self.path = scratch / secrets.token_hex(8)

    async def receive(self) -> Path:
        """Read it all; where the file is now. Whatever goes wrong, nothing is left behind."""
        try:
            return await self._receive()
        except OSError as error:
            remove(self.path)
            raise FileError(FULL.format(reason=name_reason(error))) from None
        except (ClientDisconnect, MultipartParseError):
            remove(self.path)
            raise FileError(BROKEN) from None
        except BaseException:
            remove(self.path)
            raise
        finally:
            self._close()

    async def _receive(self) -> Path:
        kind, options = parse_options_header(self._request.headers.get("content-type", ""))
        if kind != b"multipart/form-data" or b"boundary" not in options:
            raise FileError(NOTHING)
        parser = MultipartParser(options[b"boundary"], self._callbacks())  # type: ignore[arg-type]
        async for piece in self._request.stream():
            parser.write(piece)
        parser.finalize()
        self._close()
        if self.name and not self._is_whole:
            raise FileError(BROKEN)
        if not self.name:
            raise FileError(NOTHING)
        return self.path

    def _callbacks(self) -> dict[str, Any]:
        return {
            "on_part_begin": self._begin,
            "on_header_field": self._take_header,
            "on_header_value": self._take_value,
            "on_header_end": self._end_header,
            "on_headers_finished": self._open,
            "on_part_data": self._take,
            "on_part_end": self._end,
            "on_end": self._finish,
        }

    def _begin(self) -> None:
        self._headers, self._text = {}, b""

    def _take_header(self, data: bytes, start: int, end: int) -> None:
        self._header += data[start:end]

    def _take_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]

    def _end_header(self) -> None:
        name = self._header.decode("latin-1").lower()
        self._headers[name] = self._value.decode("latin-1")
        self._header = self._value = b""

    def _open(self) -> None:
        _, options = parse_options_header(self._headers.get("content-disposition", ""))
        self._part = options.get(b"name", b"").decode("utf-8", "replace")
        given = options.get(b"filename")
        if self._part == "file" and given:
            require_own(self._request, getattr(self, "_key", ""))
            self.name = clean_name(given.decode("utf-8", "replace"))
            self._file = self.path.open("xb")
            self.path.chmod(0o600)

    def _take(self, data: bytes, start: int, end: int) -> None:
        if self._file is not None:
            self._file.write(data[start:end])
        elif len(self._text) < LONGEST_TEXT:
            self._text += data[start:end]

    def _end(self) -> None:
        if self._part == CONTROL:
            self._key = self._text.decode("latin-1")
        self._close()

    def _finish(self) -> None:
        self._is_whole = True

    def _close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


def clean_name(text: str) -> str:
    r"""The name of a file that a browser gives, as a name that is safe here; its end stays.

    >>> clean_name("C:\\data\\..\\people 2.sav"), clean_name("../../etc/passwd"), clean_name("-a")
    ('people 2.sav', 'passwd', '_-a')
    """
    name = re.split(r"[\\/]", text)[-1]
    name = "".join(c if c.isprintable() and c not in '<>:"|?*' else "_" for c in name)
    name = name.encode()[-LONGEST_NAME:].decode(errors="ignore").strip(". ") or "table"
    return f"_{name}" if name.startswith("-") else name
