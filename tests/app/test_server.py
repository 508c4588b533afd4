from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from http.client import HTTPConnection
from urllib.parse import urlencode, urlsplit

import pytest
from local_site import PORT

from swapmeet.app.guard import Keys
from swapmeet.app.server import run_app
from swapmeet.app.workspace import Workspace
from swapmeet.errors import UsageError


@pytest.fixture(autouse=True)
def same_umask():
    """The app keeps what it writes from others; these tests share their process."""
    before = os.umask(0o077)
    yield
    os.umask(before)


def start_second(space, monkeypatch):
    """What is opened, and what is told, where the app runs already."""
    opened, told = [], []
    monkeypatch.setattr("webbrowser.open", opened.append)
    run_app(folder=space.folder, tell=told.append)
    return opened, told


def test_no_browser_is_started_with_the_token_among_its_arguments(tmp_path, monkeypatch):
    space, keys = Workspace.open(tmp_path / "app"), Keys()
    page = space.announce(f"http://127.0.0.1:{PORT}", keys.token)
    opened, told = start_second(space, monkeypatch)
    space.close()
    assert opened == [page.as_uri()]
    assert keys.token not in opened[0]
    assert keys.token in told[0]


def test_no_header_of_a_request_says_where_it_comes_from(tmp_path, monkeypatch):
    """Everybody can write such headers; and no other parser is used that allows more."""
    made = []

    def take(_, **options):
        made.append(options)
        raise UsageError

    monkeypatch.setattr("uvicorn.Config", take)
    with pytest.raises(UsageError):
        run_app(folder=tmp_path / "app", port=0, browser=False, tell=lambda _: None)
    assert made[0]["proxy_headers"] is False
    assert (made[0]["http"], made[0]["ws"]) == ("h11", "none")


# as a process of its own


class Served:
    """The app as `swapmeet app` starts it, and a browser that was let in."""

    def __init__(self, folder, *more):
        command = [sys.executable, "-m", "swapmeet", "app", "--no-browser", "--folder", str(folder)]
        self.process = subprocess.Popen(
            [*command, "--port", "0", *more], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, umask=0o022,
        )  # fmt: skip
        self.first = self.process.stdout.readline()
        self.address = urlsplit(self.first.split()[-1])
        self.cookie = self.ask("GET", f"/enter?{self.address.query}")[1]["Set-Cookie"]

    def ask(self, method, path, body=None, **headers):
        link = HTTPConnection("127.0.0.1", self.address.port, timeout=30)
        if hasattr(self, "cookie"):
            headers["Cookie"] = self.cookie.partition(";")[0]
        link.request(method, path, body, headers)
        answer = link.getresponse()
        found = answer.status, answer.headers, answer.read().decode()
        link.close()
        return found

    def post(self, path, **form):
        key = re.search(r'name="csrf" value="(\w+)"', self.ask("GET", "/")[2])[1]
        origin = f"http://127.0.0.1:{self.address.port}"
        headers = {"Origin": origin, "Content-Type": "application/x-www-form-urlencoded"}
        return self.ask("POST", path, urlencode({"csrf": key, **form}), **headers)

    def end(self, number=signal.SIGTERM):
        """What it said, after it was told to end."""
        self.process.send_signal(number)
        return self.process.communicate(timeout=30)


@pytest.fixture
def serve(tmp_path):
    started = []

    def start(*more):
        started.append(Served(tmp_path / "app", *more))
        return started[-1]

    yield start
    for one in started:
        one.process.kill()
        one.process.communicate()


@pytest.mark.slow
def test_the_app_starts_serves_and_ends_tidily(serve, tmp_path):
    app = serve()
    assert app.first.startswith("Swapmeet runs at http://127.0.0.1:")
    assert app.ask("GET", "/")[0] == 200
    app.post("/example", name="anes96")
    out, err = app.end()
    assert "The work on 1 file is kept" in out
    assert err == ""
    assert not (tmp_path / "app" / "server.json").exists()
    assert not list((tmp_path / "app" / "scratch").iterdir())


@pytest.mark.slow
def test_all_that_it_writes_is_for_the_user_only(serve, tmp_path):
    app = serve()
    _, headers, _ = app.post("/example", name="anes96")
    key = headers["Location"].split("/")[2]
    deadline = time.monotonic() + 60
    while "rows" not in app.ask("GET", f"/case/{key}/roles")[2] and time.monotonic() < deadline:
        time.sleep(0.2)
    modes = {path: path.stat().st_mode & 0o777 for path in (tmp_path / "app").rglob("*")}
    assert {mode for path, mode in modes.items() if path.is_file()} == {0o600}
    assert {mode for path, mode in modes.items() if path.is_dir()} == {0o700}
    assert any(path.name == "out-1.json" for path in modes)


@pytest.mark.slow
def test_a_second_start_shows_the_link_to_the_first(serve, tmp_path):
    app = serve()
    command = [sys.executable, "-m", "swapmeet", "app", "--no-browser", "--folder"]
    second = subprocess.run([*command, str(tmp_path / "app")], capture_output=True, text=True,
                            check=True, timeout=60)  # fmt: skip
    assert second.stdout.split()[-1] == app.first.split()[-1]
    assert app.ask("GET", "/")[0] == 200


@pytest.mark.slow
def test_what_a_killed_app_left_is_swept_and_its_work_goes_on(serve, tmp_path):
    app = serve()
    app.post("/example", name="anes96")
    (tmp_path / "app" / "scratch" / "half").write_text("ZZQX")
    app.end(signal.SIGKILL)
    again = serve()
    assert "anes96" in again.ask("GET", "/")[2]
    assert not (tmp_path / "app" / "scratch" / "half").exists()
    assert again.cookie != app.cookie


def test_a_port_that_is_taken_is_told(tmp_path):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(UsageError, match=f"--port {port}"):
            run_app(folder=tmp_path / "app", port=port, browser=False, tell=lambda _: None)
    assert not (tmp_path / "app" / "server.json").exists()


@pytest.mark.parametrize("port", [-1, 65_536, 10**9])
def test_what_is_no_port_is_told(tmp_path, port):
    with pytest.raises(UsageError, match=f"--port {port}"):
        run_app(folder=tmp_path / "app", port=port, browser=False, tell=lambda _: None)
