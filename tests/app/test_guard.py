from __future__ import annotations

import asyncio
from itertools import cycle
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from local_site import FORM, HOST, ORIGIN, PORT, BrokenOffError, call
from starlette.routing import Route

from swapmeet.app import guard
from swapmeet.app.guard import HEADERS, SENTENCES, Guard, Keys, are_same
from swapmeet.app.pages import ROUTES

NO_COOKIE = {"cookie": None}
VALUE = "ZZQX-4711"


def fill(route):
    """An address of a route, of things that there are not."""
    path = route.path
    for name, convertor in route.param_convertors.items():
        path = path.replace(f"{{{name}:int}}", "1").replace(f"{{{name}}}", "a1")
        assert convertor.regex
    return path


READ = sorted({fill(route) for route in ROUTES if "GET" in route.methods})
ACT = sorted({fill(route) for route in ROUTES if "POST" in route.methods})
LOCKED = [path for path in READ if path != "/enter"]


@pytest.fixture
def site(same_site):
    return same_site


def test_the_pages_are_known_to_these_tests():
    assert all(isinstance(route, Route) for route in ROUTES)
    assert len(READ) >= 15
    assert len(ACT) >= max(15, len(STRANGE))


# who is let in


@pytest.mark.parametrize("path", LOCKED)
def test_nothing_is_shown_without_the_cookie(site, path):
    answer = site.get(path, headers=NO_COOKIE)
    assert answer.status == 403
    assert SENTENCES[403] in answer.text


@pytest.mark.parametrize("path", ACT)
def test_nothing_is_done_without_the_cookie(site, path):
    body = f"csrf={site.keys.form}".encode()
    answer = site.ask("POST", path, headers=NO_COOKIE, body=body, kind=FORM)
    assert answer.status == 403
    assert SENTENCES[403] in answer.text


def test_with_the_cookie_the_first_page_is_shown(site):
    assert site.get("/").status == 200


@pytest.mark.parametrize("value", ["", "0" * 64, "é", '"', "\x00"])
def test_another_cookie_does_not_open(site, value):
    assert site.get("/", headers={"cookie": f"swapmeet-{PORT}={value}"}).status == 403


def test_the_token_itself_is_no_cookie(site):
    cookie = f"swapmeet-{PORT}={site.keys.token}"
    assert site.get("/", headers={"cookie": cookie}).status == 403


def test_the_cookie_counts_under_the_name_of_this_port_only(site):
    cookie = f"swapmeet-{PORT + 1}={site.keys.cookie}"
    assert site.get("/", headers={"cookie": cookie}).status == 403


@pytest.mark.parametrize(
    "other",
    [
        "session=abc",
        "swapmeet-9999=0",
        'json={"a": 1, "b": [2]}',
        "a b=c d",
        "a[0]=1",
        "no-value",
        "=no-name",
        "path=/x, y",
        "ü=é",
        '"',
    ],
)
def test_cookies_of_other_ports_shut_nobody_out(site, other):
    own = f"swapmeet-{PORT}={site.keys.cookie}"
    for cookie in (f"{other}; {own}", f"{own}; {other}"):
        assert site.get("/", headers={"cookie": cookie}).status == 200


@given(cookie=st.text(st.characters(max_codepoint=255)))
def test_no_other_cookie_opens_or_breaks_anything(same_site, cookie):
    assert same_site.get("/", headers={"cookie": cookie}).status == 403


def test_the_looks_can_be_had_by_everybody(site):
    assert site.get("/static/app.css", headers=NO_COOKIE).status == 200


@pytest.mark.parametrize("path", ["/static/none.css", "/enter/x", "/enterprise", "/static/../x"])
def test_whoever_was_not_let_in_learns_no_key(site, path):
    for method in ("GET", "POST"):
        answer = site.ask(method, path, headers=NO_COOKIE)
        assert answer.status in {403, 404, 405}
        assert site.keys.form not in answer.text


@given(start=st.sampled_from(["/", "/enter", "/static/", "/case/"]), rest=st.text())
def test_no_address_tells_a_key_to_strangers(same_site, start, rest):
    answer = same_site.get(start + rest.replace("?", ""), headers=NO_COOKIE)
    assert answer.status in {403, 404}
    assert same_site.keys.form not in answer.text


@given(start=st.sampled_from(["/", "/case/", "/case/a1/candidate/", "/static/"]), rest=st.text())
def test_no_address_is_too_odd(same_site, start, rest):
    answer = same_site.get(start + rest.replace("?", ""))
    assert answer.status in {200, 303, 307, 404}
    assert answer.headers.get("location", "/")[:1] == "/" or answer.place.startswith(f"{ORIGIN}/")


def test_numbers_of_any_length_are_looked_up(site):
    for digits in (20, 300):
        assert site.get(f"/case/a1/candidate/{'9' * digits}").status == 404


# the way in


def test_the_link_gives_a_cookie_that_opens(site):
    answer = site.get(f"/enter?token={site.keys.token}", headers=NO_COOKIE)
    cookie = answer.headers["set-cookie"]
    assert answer.status == 200
    assert site.get("/", headers={"cookie": cookie.partition(";")[0]}).status == 200


def test_the_cookie_is_hidden_from_scripts_and_other_sites(site):
    cookie = site.get(f"/enter?token={site.keys.token}").headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert site.keys.token not in cookie


@pytest.mark.parametrize("token", ["", "?token=", "?token=x", "?token=%00", "?token=%F0%9F%94%91"])
def test_a_wrong_token_gives_no_cookie(site, token):
    answer = site.get(f"/enter{token}", headers=NO_COOKIE)
    assert answer.status == 403
    assert "set-cookie" not in answer.headers


def test_each_start_has_other_secrets():
    one, other = Keys(), Keys()
    secrets = {one.token, one.cookie, one.form, other.token, other.cookie, other.form}
    assert len(secrets) == 6
    assert min(map(len, secrets)) >= 43


def test_the_secrets_are_not_shown_by_accident():
    keys = Keys()
    assert keys.token not in repr(keys)


@given(st.text(), st.text())
def test_secrets_are_the_same_if_their_letters_are(one, other):
    assert are_same(one, one)
    assert are_same(one, other) == (one == other)


# from where


@pytest.mark.parametrize("host", [HOST, f"localhost:{PORT}"])
def test_both_names_of_this_machine_are_served(site, host):
    assert site.get("/", host=host).status == 200


HOSTS = [
    "", "127.0.0.1", "localhost", f"127.0.0.1:{PORT + 1}", f"localhost:{PORT}0",
    f"evil.example:{PORT}", "evil.example", f"127.0.0.1.evil.example:{PORT}", f"127.0.0.2:{PORT}",
    f"0.0.0.0:{PORT}", f"[::1]:{PORT}", f"evil.example@127.0.0.1:{PORT}", f"{HOST},evil.example",
]  # fmt: skip


@pytest.mark.parametrize("host", HOSTS)
def test_any_other_host_is_refused(site, host):
    for path in ("/", f"/enter?token={site.keys.token}", "/static/app.css"):
        answer = site.get(path, host=host)
        assert answer.status == 400
        assert "set-cookie" not in answer.headers


def test_a_request_without_a_host_is_refused(site):
    assert site.get("/", headers={"host": None}).status == 400


STRANGE = [
    {"origin": None},
    {"origin": "null"},
    {"origin": "http://evil.example"},
    {"origin": f"https://{HOST}"},
    {"origin": f"http://127.0.0.1:{PORT + 1}"},
    {"origin": f"http://localhost:{PORT}"},
    {"origin": f"{ORIGIN}/"},
    {"sec-fetch-site": "same-site"},
    {"sec-fetch-site": "cross-site"},
    {"sec-fetch-site": "none"},
]


@pytest.mark.parametrize(("path", "headers"), [*zip(ACT, cycle(STRANGE))], ids=str)
def test_pages_of_others_can_do_nothing(site, path, headers):
    body = f"csrf={site.keys.form}".encode()
    answer = site.ask("POST", path, headers=headers, body=body, kind=FORM)
    assert answer.status == 403
    assert SENTENCES[403] in answer.text


@pytest.mark.parametrize("whose", ["same-site", "cross-site"])
@pytest.mark.parametrize("dest", ["image", "script", "style", "empty", "iframe", "embed", "object"])
def test_pages_of_others_can_load_nothing(site, whose, dest):
    headers = {"sec-fetch-site": whose, "sec-fetch-dest": dest}
    for path in ("/", "/static/app.js"):
        assert site.get(path, headers=headers).status == 403


def test_pages_of_others_can_lead_here(site):
    headers = {"sec-fetch-site": "same-site", "sec-fetch-dest": "document"}
    assert site.get("/", headers=headers).status == 200


def test_another_user_of_the_machine_gets_nothing(site, monkeypatch):
    monkeypatch.setattr(guard, "is_stranger", lambda *_: True)
    assert site.get("/").status == 403
    answer = site.get(f"/enter?token={site.keys.token}")
    assert answer.status == 403
    assert "set-cookie" not in answer.headers


def test_browsers_that_do_not_tell_the_site_are_served(site):
    body = f"csrf={site.keys.form}&name=nobody".encode()
    answer = site.ask("POST", "/example", headers={"sec-fetch-site": None}, body=body, kind=FORM)
    assert answer.status == 404
    assert "no such example" in answer.text


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "NONSENSE"])
def test_other_methods_do_nothing(site, method):
    assert site.ask(method, "/", headers={"origin": None}).status == 403
    assert site.ask(method, "/").status == 405


# forms


KEYS = ["", "0" * 64, "é", "token", "cookie"]


@pytest.mark.parametrize(("path", "key"), [*zip(ACT, cycle(KEYS))])
def test_a_form_without_the_key_does_nothing(site, path, key):
    key = getattr(site.keys, key) if key in {"token", "cookie"} else key
    answer = site.upload("a.csv", b"a\n1\n", key=key) if path == "/upload" else None
    answer = answer or site.post(path, key=key)
    assert answer.status == 403
    assert "not from a page of this app" in answer.text
    assert not site.space.cases()


@pytest.mark.parametrize("path", [path for path in ACT if path != "/upload"])
def test_the_key_in_the_address_does_not_count(site, path):
    assert site.ask("POST", f"{path}?csrf={site.keys.form}", kind=FORM).status == 403


@pytest.mark.parametrize("path", [path for path in ACT if "{" not in path])
def test_nothing_is_done_by_reading(site, path):
    if path not in READ:
        assert site.get(path).status in {303, 404}


# headers


def answers_of_all_kinds(site):
    yield site.get("/")
    yield site.get("/nowhere")
    yield site.get("/static/app.js")
    yield site.get("/static/none.js")
    yield site.get("/enter")
    yield site.get(f"/enter?token={site.keys.token}")
    yield site.get("/", headers=NO_COOKIE)
    yield site.get("/", host="evil.example")
    yield site.ask("HEAD", "/")
    yield site.ask("PUT", "/")
    yield site.post("/open", path="/none.csv")
    yield site.post("/open", path="/none.csv", key="x")
    yield site.post("/case/a1/mask")


def test_every_answer_has_the_headers(site):
    for answer in answers_of_all_kinds(site):
        assert {name: answer.headers.get(name) for name in HEADERS} == HEADERS


@pytest.mark.parametrize("path", READ)
def test_every_page_has_the_headers(site, path):
    answer = site.get(path)
    assert {name: answer.headers.get(name) for name in HEADERS} == HEADERS


def test_the_policy_allows_no_inline_code_and_no_other_site():
    policy = HEADERS["Content-Security-Policy"]
    assert "unsafe" not in policy
    assert "http" not in policy
    assert "default-src 'none'" in policy


def test_no_page_has_inline_code_or_style(site):
    text = site.get("/").text
    assert "style=" not in text
    assert "<script>" not in text
    assert " onclick" not in text


# errors inside


@pytest.fixture
def broken(site, monkeypatch):
    """A page fails with an error that quotes a value."""

    def fail(*_):
        raise RuntimeError(f"bad value {VALUE}")

    monkeypatch.setattr(type(site.space), "cases", fail)
    return site


def test_an_error_inside_gives_a_page_that_says_what_to_do(broken):
    answer = broken.get("/")
    assert answer.status == 500
    assert SENTENCES[500] in answer.text
    assert {name: answer.headers.get(name) for name in HEADERS} == HEADERS


def test_an_error_inside_tells_no_value(broken, capfd, caplog):
    answer = broken.get("/")
    said = capfd.readouterr()
    assert VALUE not in answer.text + said.out + said.err + caplog.text


def test_an_error_inside_is_placed_on_the_terminal(broken, capfd):
    broken.get("/")
    assert capfd.readouterr().err == f"unexpected error (RuntimeError) at test_guard.py:{line()}\n"


def line():
    """Where the error of `broken` is raised."""
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    return next(at for at, text in enumerate(lines, 1) if "raise RuntimeError(f" in text)


def test_the_app_lives_on_after_an_error(site, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(type(site.space), "cases", lambda _: 1 / 0)
        assert site.get("/").status == 500
    assert site.get("/").status == 200


def test_a_browser_that_goes_away_is_no_error(site, capfd):
    def leave():
        yield b"csrf="
        raise BrokenOffError

    site.ask("POST", "/open", body=leave(), kind=FORM)
    assert capfd.readouterr().err == ""


def test_an_error_after_the_answer_has_begun_ends_it_quietly(capfd):
    async def app(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})
        raise RuntimeError(VALUE)

    keys = Keys()
    headers = {"host": HOST, "cookie": f"swapmeet-{PORT}={keys.cookie}"}
    answer = asyncio.run(call(Guard(app, keys, lambda: PORT), "GET", "/", headers))
    assert (answer.status, answer.body) == (200, b"")
    assert VALUE not in capfd.readouterr().err


def test_the_full_disk_is_told_as_such(site, monkeypatch, capfd):
    def fail(*_):
        raise OSError(28, "No space left on device", f"/home/{VALUE}")

    monkeypatch.setattr(type(site.space), "cases", fail)
    answer = site.get("/")
    assert answer.status == 500
    assert "the disk is full" in answer.text
    assert VALUE not in answer.text + capfd.readouterr().err


def test_web_sockets_are_refused(site):
    sent = []

    async def receive():
        return {"type": "websocket.connect"}

    async def send(message):
        sent.append(message)

    headers = [(b"host", b"evil.example")]
    scope = {"type": "websocket", "path": "/", "headers": headers, "query_string": b"",
             "root_path": "", "scheme": "ws", "state": {}}  # fmt: skip
    site.run(site.app(scope, receive, send))
    assert [message["type"] for message in sent] == ["websocket.close"]


def test_the_guard_says_only_what_it_has_words_for():
    assert set(SENTENCES) >= {400, 403, 500}
    assert all(guard.say(status).status_code == status for status in SENTENCES)
