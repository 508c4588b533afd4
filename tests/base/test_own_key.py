from __future__ import annotations

import sys

import pytest
from modes import is_private

from swapmeet.base.secret import (
    BYTES,
    FOLDER_VARIABLE,
    _load,
    find_state_folder,
    load_own_key,
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "state"))
    return tmp_path / "state"


def test_it_is_made_once_and_only_its_owner_may_read_it(folder):
    key = load_own_key()
    assert len(key) == BYTES
    assert (folder / "key").read_bytes() == key
    _load.cache_clear()
    assert load_own_key() == key
    assert is_private(folder / "key")
    assert is_private(folder)


@pytest.mark.parametrize("damaged", [b"", b"short", bytes(BYTES + 1)])
def test_a_damaged_file_is_made_anew(folder, damaged):
    folder.mkdir()
    (folder / "key").write_bytes(damaged)
    _load.cache_clear()
    assert len(load_own_key()) == BYTES
    assert (folder / "key").read_bytes() == load_own_key()


def test_where_no_file_can_be_kept_it_lasts_as_long_as_the_process(tmp_path, monkeypatch):
    (tmp_path / "state").write_text("a file, not a folder")
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "state"))
    assert load_own_key() == load_own_key()
    assert len(load_own_key()) == BYTES


def test_its_folder_is_that_of_the_system(monkeypatch, tmp_path):
    monkeypatch.delenv(FOLDER_VARIABLE)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert find_state_folder() == tmp_path / "swapmeet"
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert find_state_folder() == tmp_path / ".local" / "state" / "swapmeet"
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "local"))
    assert find_state_folder() == tmp_path / "local" / "swapmeet"
