"""The app in this process, asked as a browser would ask it, without a network."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from starlette.datastructures import Headers

from swapmeet.app.guard import Keys
from swapmeet.app.server import make_app
from swapmeet.app.workspace import Workspace

PORT = 8417
HOST = f"127.0.0.1:{PORT}"
ORIGIN = f"http://{HOST}"
BOUNDARY = "----swapmeet-test"
MULTIPART = f"multipart/form-data; boundary={BOUNDARY}"
FORM = "application/x-www-form-urlencoded"
PATIENCE = 120.0


@dataclass(frozen=True)
class Answer:
    """What the app answered."""

    status: int
    headers: Headers
    body: bytes

    @property
    def text(self):
        return self.body.decode()

    @property
    def place(self):
        """Where it leads on to."""
        return self.headers["location"]


class BrokenOffError(Exception):
    """Says that a browser goes away in the middle of what it sends."""


class Site:
    """An app with a folder, and a browser that was let in.

    Its loop runs only while somebody asks or waits, so that a test is never surprised.
    """

    def __init__(self, folder, stop=lambda: None):
        self.space = Workspace.open(folder)
        self.keys = Keys()
        self.app = make_app(self.space, self.keys, PORT, stop)
        self.loop = asyncio.new_event_loop()
        self._life = Life(self.app)
        self.run(self._life.begin())

    def close(self):
        self.run(self._life.end())
        self.loop.close()
        self.space.close()

    def run(self, work):
        return self.loop.run_until_complete(work)

    @property
    def desk(self):
        return self.app._app.state.desk

    # what a browser does

    def get(self, path, **options):
        return self.ask("GET", path, **options)

    def post(self, page, /, *, key=None, **controls):
        """Send a form of the app; a control with a list of values is sent once for each."""
        form = {"csrf": self.keys.form if key is None else key, **controls}
        return self.ask("POST", page, body=urlencode(form, doseq=True).encode(), kind=FORM)

    def upload(self, name, content, *, key=None, pieces=None):
        body = pack(self.keys.form if key is None else key, name, content)
        return self.ask("POST", "/upload", body=body if pieces is None else pieces, kind=MULTIPART)

    def ask(self, method, path, *, body=b"", kind="", headers=None, host=HOST):
        """Any request; `headers` replace those of a good one, and None takes one away."""
        good = {"host": host, "cookie": f"swapmeet-{PORT}={self.keys.cookie}"}
        if method not in {"GET", "HEAD"}:
            good |= {"origin": f"http://{host}", "sec-fetch-site": "same-origin"}
            good |= {"content-type": kind} if kind else {}
        sent = {n: v for n, v in (good | (headers or {})).items() if v is not None}
        return self.run(call(self.app, method, path, sent, body))

    # a case, from the outside

    def open(self, path):
        """Open a file by its path, and wait until it was looked at."""
        key = read_key(self.post("/open", path=str(path)).place)
        self.wait()
        return key

    def wait(self, seconds=PATIENCE):
        """Wait until nothing is under way."""
        self.run(asyncio.wait_for(self._rest(), seconds))

    async def _rest(self):
        while self.desk.jobs._jobs:
            await asyncio.sleep(0.02)

    def case(self, key):
        return self.space.find_case(key)

    def find_run(self, key, name):
        return self.space.find_run(key, name)


class Life:
    """The start and the end of an app, as a server tells them."""

    def __init__(self, app):
        self._app = app

    async def begin(self):
        self._told, self._heard = asyncio.Queue(), asyncio.Queue()
        await self._told.put({"type": "lifespan.startup"})
        scope: dict[str, Any] = {"type": "lifespan", "asgi": {"version": "3.0"}, "state": {}}
        self._task = asyncio.ensure_future(self._app(scope, self._told.get, self._heard.put))
        assert (await self._heard.get())["type"] == "lifespan.startup.complete"

    async def end(self):
        await self._told.put({"type": "lifespan.shutdown"})
        assert (await self._heard.get())["type"] == "lifespan.shutdown.complete"
        await self._task


async def call(app, method, path, headers, body=b""):
    """One request; a `body` of several pieces comes piece by piece, and may be broken off."""
    path, _, query = path.partition("?")
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method,
        "scheme": "http", "path": path, "raw_path": path.encode("utf-8", "replace"),
        "query_string": query.encode(), "root_path": "", "server": ("127.0.0.1", PORT),
        "client": ("127.0.0.1", 50_000), "state": {},
        "headers": [(n.lower().encode("latin-1"), v.encode("latin-1")) for n, v in headers.items()],
    }  # fmt: skip
    pieces = iter([body] if isinstance(body, bytes) else body)
    sent: list[dict[str, Any]] = []
    asked, gone = asyncio.Event(), asyncio.Event()

    async def receive():
        if asked.is_set():
            await gone.wait()
            return {"type": "http.disconnect"}
        try:
            piece = next(pieces)
        except StopIteration:
            asked.set()
            return {"type": "http.request", "body": b"", "more_body": False}
        except BrokenOffError:
            asked.set()
            gone.set()
            return {"type": "http.disconnect"}
        return {"type": "http.request", "body": piece, "more_body": True}

    async def send(message):
        sent.append(message)
        if message["type"] == "http.response.body" and not message.get("more_body"):
            gone.set()

    with suppress(BrokenOffError):
        await app(scope, receive, send)
    return collect(sent)


def collect(sent):
    """The answer that the messages of an app make up."""
    (start,) = [message for message in sent if message["type"] == "http.response.start"]
    body = b"".join(m.get("body", b"") for m in sent if m["type"] == "http.response.body")
    return Answer(start["status"], Headers(raw=start["headers"]), body)


def pack(key, name, content):
    """The form of an upload, as browsers write it."""
    return b"".join([pack_text("csrf", key), pack_file(name, content), end_form()])


def pack_text(control, text):
    return (
        f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{control}"\r\n\r\n{text}\r\n'
    ).encode()


def pack_file(name, content):
    shown = name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
    head = (
        f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="{shown}"\r\n'
        "Content-Type: application/octet-stream\r\n\r\n"
    )
    return head.encode() + content + b"\r\n"


def end_form():
    return f"--{BOUNDARY}--\r\n".encode()


def read_key(place):
    """The key of the case that an address is about."""
    return place.split("/")[2]
