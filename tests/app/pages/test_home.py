from __future__ import annotations

import asyncio
import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from local_site import (
    MULTIPART,
    BrokenOffError,
    Site,
    end_form,
    pack,
    pack_file,
    pack_text,
    read_key,
)

from swapmeet.app.jobs import Jobs
from swapmeet.app.opening import EXAMPLES
from swapmeet.app.pages.home import LAST_PAGE, LONGEST_NAME, clean_name
from swapmeet.app.run import RunKind


@pytest.fixture(autouse=True)
def asked(monkeypatch):
    """What would have been run."""
    runs = []
    monkeypatch.setattr(Jobs, "start", lambda _, run, given=(): runs.append(run) or run)
    return runs


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("age,sex\n30,f\n")
    return path


def open_path(site, path):
    return site.post("/open", path=str(path)).place.split("/")[2]


def test_the_first_page_offers_three_ways(site):
    page = site.get("/").text
    for action in ("/example", "/open", "/upload"):
        assert f'action="{action}"' in page
    assert all(f'value="{name}"' in page for name in EXAMPLES)


def test_a_file_is_opened_where_it_is(site, path, asked):
    case = site.case(open_path(site, path))
    assert (case.source, case.uploaded) == (str(path), False)
    assert [run.kind for run in asked] == [RunKind.INSPECTION]
    assert str(path) in asked[0].commands[0].args
    assert not list(site.space.folder.rglob("*.csv"))


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example_can_be_opened(site, asked, name):
    answer = site.post("/example", name=name)
    case = site.case(answer.place.split("/")[2])
    assert case.path.is_file()
    assert asked[0].facts == {"first": True}


@pytest.mark.parametrize("name", ["", "none", "fair", "../x"])
def test_what_is_no_example_is_told(site, name):
    assert site.post("/example", name=name).status == 404
    assert not site.space.cases()


@given(st.text())
def test_any_text_is_a_path_or_is_told(same_site, text):
    answer = same_site.post("/open", path=text)
    assert answer.status == 400
    assert 'class="problem"' in answer.text
    assert not same_site.space.cases()


def test_open_files_are_listed(site, path):
    key = open_path(site, path)
    assert f'href="/case/{key}/data"' in site.get("/").text


def test_a_closed_file_is_gone_from_here_only(site, path):
    key = open_path(site, path)
    assert site.post(f"/case/{key}/close").place == "/"
    assert not site.space.case_folder(key).exists()
    assert path.exists()
    answer = site.get(f"/case/{key}/data")
    assert answer.status == 404
    assert "Open it again" in answer.text


def test_a_file_that_was_closed_cannot_be_closed_again(site, path):
    key = open_path(site, path)
    site.post(f"/case/{key}/close")
    assert site.post(f"/case/{key}/close").status == 404


@pytest.mark.slow
@pytest.mark.parametrize(("forget", "left"), [({}, 1), ({"forget": "yes"}, 0)])
def test_the_app_stops_and_keeps_what_is_to_be_kept(tmp_path, path, forget, left):
    stopped = []
    site = Site(tmp_path / "app", lambda: stopped.append(True))
    open_path(site, path)
    answer = site.post("/quit", **forget)
    site.run(asyncio.sleep(LAST_PAGE + 0.2))
    assert stopped == [True]
    assert "has stopped" in answer.text
    assert ("Your work is kept" in answer.text) == bool(left)
    assert len(site.space.cases()) == left
    site.close()


def test_the_work_is_there_after_a_restart(tmp_path, path):
    first = Site(tmp_path / "app")
    key = open_path(first, path)
    first.close()
    second = Site(tmp_path / "app")
    assert second.get(f"/case/{key}/data").status == 200
    second.close()


def test_a_browser_of_the_former_start_is_not_let_in(tmp_path):
    first = Site(tmp_path / "app")
    cookie = f"swapmeet-8417={first.keys.cookie}"
    first.close()
    second = Site(tmp_path / "app")
    assert second.get("/", headers={"cookie": cookie}).status == 403
    second.close()


def test_a_step_that_there_is_not_is_told(site, path):
    key = open_path(site, path)
    assert site.get(f"/case/{key}/nonsense").status == 404
    assert site.get(f"/case/{key}").place == f"/case/{key}/data"


CSV = b"age,sex\n30,f\n40,m\n"


def all_files(folder):
    return sorted(path for path in Path(folder).rglob("*") if path.is_file())


def is_clean(site):
    """Whether nothing is left of an upload that failed."""
    return not all_files(site.space.scratch) and not list((site.space.folder / "cases").iterdir())


@pytest.fixture
def idle(site, monkeypatch):
    """The site; nothing is looked at."""
    monkeypatch.setattr("swapmeet.app.opening.look", lambda *_, **__: None)
    return site


def patch_new_files(patch, wrap):
    """Something else comes instead of each new file of bytes."""
    opened = Path.open

    def open_file(path, mode="r", *more, **options):
        file = opened(path, mode, *more, **options)
        return wrap(file) if mode == "xb" else file

    patch.setattr(Path, "open", open_file)


# a file that arrives


def test_a_file_is_kept_as_it_was_sent(idle):
    key = read_key(idle.upload("people.csv", CSV).place)
    case = idle.case(key)
    assert case.path.read_bytes() == CSV
    assert (case.name, case.uploaded) == ("people.csv", True)
    assert case.path.is_relative_to(idle.space.case_folder(key))


def test_only_the_user_can_read_it(idle):
    os.umask(0)
    path = idle.case(read_key(idle.upload("people.csv", CSV).place)).path
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_nothing_is_left_in_scratch(idle):
    idle.upload("people.csv", CSV)
    assert not all_files(idle.space.scratch)


@pytest.mark.parametrize("size", [1, 2, 3, 7, 64])
def test_pieces_of_any_size_make_the_same_file(idle, size):
    content = CSV + b"\r\n--------swapmeet\r\n--" + bytes(range(256))
    body = pack(idle.keys.form, "people.csv", content)
    pieces = [body[at : at + size] for at in range(0, len(body), size)]
    case = idle.case(read_key(idle.upload("", b"", pieces=pieces).place))
    assert case.path.read_bytes() == content


@pytest.mark.parametrize("name", ["../../x.csv", "/etc/x.csv", "C:\\data\\x.csv", "..\\x.csv"])
def test_a_name_never_leads_out_of_the_folder(idle, name):
    case = idle.case(read_key(idle.upload(name, CSV).place))
    assert case.name == "x.csv"
    assert case.path.is_relative_to(idle.space.case_folder(case.key))


@given(
    name=st.text(st.characters(exclude_categories=["Cs"])),
    suffix=st.sampled_from([".csv", ".CSV", ".parquet", "", ".exe"]),
)
def test_a_file_of_any_name_is_kept_or_refused(same_site, name, suffix):
    same_site.desk.jobs.start = lambda run, given=(): run
    answer = same_site.upload(name + suffix, CSV)
    assert answer.status in {303, 400}
    assert not all_files(same_site.space.scratch)
    assert all(case.path.is_file() for case in same_site.space.cases())
    assert (answer.status == 303) == bool(same_site.space.cases())
    for case in same_site.space.cases():
        same_site.space.close_case(case.key)


def test_a_name_that_is_too_long_for_the_disk_is_cut(idle):
    case = idle.case(read_key(idle.upload(f"{'🦔' * 100}.csv", CSV).place))
    assert case.path.read_bytes() == CSV
    assert case.name.endswith("🦔.csv")


# what is refused


@pytest.mark.parametrize("key", ["", "0" * 64])
def test_a_wrong_key_is_refused_before_anything_is_written(idle, monkeypatch, key):
    with monkeypatch.context() as patch:
        patch_new_files(patch, lambda _: pytest.fail("a file was made"))
        assert idle.upload("people.csv", CSV, key=key).status == 403
    assert is_clean(idle)


def test_the_key_must_come_before_the_file(idle):
    body = pack_file("people.csv", CSV) + pack_text("csrf", idle.keys.form) + end_form()
    assert idle.ask("POST", "/upload", body=body, kind=MULTIPART).status == 403
    assert is_clean(idle)


def test_no_file_is_told(idle):
    answer = idle.upload("", b"")
    assert answer.status == 400
    assert "No file was chosen" in answer.text
    assert is_clean(idle)


@pytest.mark.parametrize("kind", ["", "text/csv", "multipart/form-data", "multipart/mixed"])
def test_another_form_is_told(idle, kind):
    answer = idle.ask("POST", "/upload", body=CSV, kind=kind)
    assert answer.status == 400
    assert is_clean(idle)


def test_another_format_is_told_with_those_that_can_be_read(idle):
    answer = idle.upload("people.exe", CSV)
    assert answer.status == 400
    assert "people.exe" in answer.text
    assert ".csv" in answer.text
    assert is_clean(idle)


def test_two_files_at_once_are_refused(idle):
    files = pack_file("a.csv", CSV) + pack_file("b.csv", CSV)
    body = pack_text("csrf", idle.keys.form) + files + end_form()
    assert idle.ask("POST", "/upload", body=body, kind=MULTIPART).status == 400
    assert is_clean(idle)


# what goes wrong on the way


def break_off(body, after):
    yield body[:after]
    raise BrokenOffError


@pytest.mark.parametrize("after", [0, 60, 200, 330, 350])
def test_an_upload_that_is_broken_off_leaves_nothing(idle, after):
    body = pack(idle.keys.form, "people.csv", CSV * 10)
    idle.upload("", b"", pieces=break_off(body, after))
    assert is_clean(idle)


def test_an_upload_that_ends_too_early_is_told(idle):
    body = pack_text("csrf", idle.keys.form) + pack_file("people.csv", CSV)
    answer = idle.ask("POST", "/upload", body=body, kind=MULTIPART)
    assert answer.status == 400
    assert "broken off" in answer.text
    assert is_clean(idle)


def test_nonsense_in_the_form_is_told(idle):
    answer = idle.ask("POST", "/upload", body=b"\r\n--nonsense" * 50, kind=MULTIPART)
    assert answer.status == 400
    assert is_clean(idle)


@given(cut=st.integers(0, 400), junk=st.binary(max_size=40))
def test_a_form_with_any_junk_leaves_nothing_in_scratch(same_site, cut, junk):
    same_site.desk.jobs.start = lambda run, given=(): run
    body = pack(same_site.keys.form, "people.csv", CSV)
    answer = same_site.ask("POST", "/upload", body=body[:cut] + junk + body[cut:], kind=MULTIPART)
    assert answer.status in {303, 400, 403}
    assert not all_files(same_site.space.scratch)


class FullDisk:
    """A file that takes a few bytes and then no more."""

    def __init__(self, file):
        self._file = file

    def write(self, data):
        self._file.write(data[:3])
        raise OSError(errno.ENOSPC, "No space left on device")

    def close(self):
        self._file.close()


def test_a_full_disk_is_told(idle, monkeypatch):
    with monkeypatch.context() as patch:
        patch_new_files(patch, FullDisk)
        answer = idle.upload("people.csv", CSV)
    assert answer.status == 400
    assert "the disk is full" in answer.text
    assert is_clean(idle)


def test_a_disk_that_is_full_when_the_case_is_made_is_told(idle, monkeypatch):
    def fail(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("swapmeet.app.workspace.write_whole", fail)
        answer = idle.upload("people.csv", CSV)
    assert answer.status == 400
    assert "the disk is full" in answer.text
    assert not idle.space.cases()
    assert is_clean(idle)


def test_after_a_failure_the_next_upload_works(idle):
    idle.upload("people.exe", CSV)
    assert idle.upload("people.csv", CSV).status == 303


LARGE = """
import sys, resource
sys.path.insert(0, {tests!r})
from pathlib import Path
from local_site import Site, end_form, pack_file, pack_text, read_key
import swapmeet.app.opening as opening
opening.look = lambda *_, **__: None
site = Site(Path({folder!r}))
piece = bytes(1 << 18)
head = pack_text("csrf", site.keys.form) + pack_file("people.csv", b"")[:-2]
def pieces():
    yield head
    for _ in range({pieces}):
        yield piece
    yield b"\\r\\n" + end_form()
site.upload("a.csv", b"x")
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
case = site.case(read_key(site.upload("", b"", pieces=pieces()).place))
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(case.path.stat().st_size, after - before)
site.close()
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="memory is counted in kilobytes here")
def test_a_large_file_does_not_pass_through_memory(tmp_path):
    pieces = 400
    code = LARGE.format(tests=str(Path(__file__).parents[1]), folder=str(tmp_path), pieces=pieces)
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    size, kilobytes = map(int, run.stdout.split())
    assert size == pieces << 18
    assert kilobytes < 10_000


# names


@given(st.text())
def test_a_clean_name_is_a_plain_name(text):
    name = clean_name(text)
    assert name == Path(name).name
    assert name not in {"", ".", ".."}
    assert name[0] not in "-. "
    assert name.isprintable()
    assert not set('\\/<>:"|?*') & set(name)
    assert len(os.fsencode(name)) <= 255
    assert len(name) <= LONGEST_NAME + 1


@given(st.from_regex(r"[a-zA-Z0-9_]{1,20}\.(csv|sav|parquet)", fullmatch=True))
def test_a_plain_name_stays_as_it_is(name):
    assert clean_name(name) == name


def test_what_is_cut_is_the_beginning():
    assert clean_name("x" * 300 + ".csv").endswith("x.csv")
