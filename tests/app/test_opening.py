from __future__ import annotations

import os

import pytest

from swapmeet.app.opening import find_path
from swapmeet.errors import SwapmeetError

POSIX = pytest.mark.skipif(os.name == "nt", reason="there are no such files on Windows")


def refusal(text):
    with pytest.raises(SwapmeetError) as refused:
        find_path(str(text))
    return str(refused.value)


# a path


def test_a_path_is_found_from_where_the_app_was_started(tmp_path, monkeypatch):
    (tmp_path / "people.csv").touch()
    monkeypatch.chdir(tmp_path)
    assert find_path(" people.csv ") == tmp_path / "people.csv"


def test_quotes_around_a_path_do_not_count(tmp_path):
    (tmp_path / "people.csv").touch()
    assert find_path(f'"{tmp_path}/people.csv"') == tmp_path / "people.csv"


@pytest.mark.parametrize("text", ["", " ", "\n"])
def test_an_empty_path_is_told(text):
    assert "No file was named" in refusal(text)


@pytest.mark.parametrize(
    "text", ["/none/a.csv", "a\0b.csv", "-a.csv", "http://x/a.csv", "x" * 10_000 + ".csv", "/a.exe"]
)
def test_what_is_no_file_is_refused(text):
    assert refusal(text)


@POSIX
def test_a_user_that_there_is_not_is_told():
    assert refusal("~nobody-of-that-name/people.csv").endswith("Write the whole path.")


@POSIX
def test_pipes_and_devices_are_refused_unopened(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "endless.csv").symlink_to("/dev/zero")
    for name in ("pipe.csv", "endless.csv"):
        assert "is a pipe or a device" in refusal(tmp_path / name)


def test_a_refused_path_opens_no_case(site):
    answer = site.post("/open", path="/none/<b>.csv")
    assert answer.status == 400
    assert "/none/&lt;b&gt;.csv: no such file" in answer.text
    assert not site.space.cases()
