from __future__ import annotations

import os

import pytest

from swapmeet.base.atomic import all_or_nothing, claim_target, write_atomically
from swapmeet.base.staging import HOME
from swapmeet.base.transaction import Transaction
from swapmeet.errors import OutputError, UsageError


@pytest.mark.parametrize("overwrite", [True, False])
def test_a_second_run_to_the_same_place_is_refused(tmp_path, overwrite):
    other = Transaction()
    other.claim(tmp_path / "rel.csv")
    with (
        pytest.raises(UsageError, match="another run is writing it"),
        all_or_nothing(),
        write_atomically(tmp_path / "rel.csv", overwrite=overwrite),
    ):
        raise AssertionError("nothing may be written")
    other.close()
    with write_atomically(tmp_path / "rel.csv", overwrite=overwrite) as aside:
        aside.write_text("x")
    assert [path.name for path in tmp_path.iterdir()] == ["rel.csv"]


def test_names_that_some_systems_take_for_one_are_one(tmp_path):
    other = Transaction()
    other.claim(tmp_path / "M\u00fcller.csv")
    with pytest.raises(UsageError, match="another run"), all_or_nothing():
        claim_target(tmp_path / "mu\u0308ller.CSV")
    other.close()


def test_a_folder_by_another_name_is_the_same_folder(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path)
    other = Transaction()
    other.claim(tmp_path / "link" / "rel.csv")
    with pytest.raises(UsageError, match="another run"), all_or_nothing():
        claim_target(tmp_path / "rel.csv")
    other.close()


def test_two_runs_to_two_places_in_one_folder_go_on(tmp_path):
    other = Transaction()
    other.claim(tmp_path / "a.csv")
    with write_atomically(tmp_path / "b.csv", overwrite=False) as aside:
        aside.write_text("b")
    other.close()
    assert [path.name for path in tmp_path.iterdir()] == ["b.csv"]


def test_a_file_that_appears_meanwhile_is_not_overwritten(tmp_path):
    def write():
        with all_or_nothing():
            for name in ("a", "b"):
                with write_atomically(tmp_path / name, overwrite=False) as aside:
                    aside.write_text("new")
            (tmp_path / "b").write_text("another program's")

    with pytest.raises(UsageError, match="b: was made by another program meanwhile"):
        write()
    assert [path.name for path in tmp_path.iterdir()] == ["b"]
    assert (tmp_path / "b").read_text() == "another program's"


def test_the_private_folder_of_another_user_is_not_entered(tmp_path, monkeypatch):
    (tmp_path / HOME).mkdir()
    monkeypatch.setattr(os, "getuid", lambda: 12345, raising=False)
    with write_atomically(tmp_path / "a", overwrite=False) as aside:
        assert aside.is_relative_to(tmp_path / f"{HOME}-12345")
        aside.write_text("x")
    assert sorted(path.name for path in tmp_path.iterdir()) == [HOME, "a"]


def test_a_stop_while_files_get_their_names_undoes_all(tmp_path, monkeypatch):
    for name in ("a", "b"):
        (tmp_path / name).write_text("old")
    real, calls = os.replace, []

    def stop(source, target):
        calls.append(target)
        if str(target) == str(tmp_path / "b") and "former" not in str(source):
            raise KeyboardInterrupt
        real(source, target)

    def write():
        with all_or_nothing():
            for name in ("a", "b"):
                with write_atomically(tmp_path / name, overwrite=True) as aside:
                    aside.write_text("new")

    monkeypatch.setattr(os, "replace", stop)
    with pytest.raises(KeyboardInterrupt):
        write()
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"a": "old", "b": "old"}


def test_a_system_without_second_names_of_files_renames(tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise OSError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    for text in ("old", "new"):
        with all_or_nothing():
            for name in ("a", "b"):
                with write_atomically(tmp_path / name, overwrite=True) as aside:
                    aside.write_text(text)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"a": "new", "b": "new"}


def test_a_full_disk_at_the_last_moment_is_told(tmp_path, monkeypatch):
    def write():
        with all_or_nothing():
            for name in ("a", "b"):
                with write_atomically(tmp_path / name, overwrite=True) as aside:
                    aside.write_text("new")
            monkeypatch.setattr(os, "fsync", refuse)

    def refuse(_):
        raise OSError(28, "No space left on device")

    with pytest.raises(OutputError, match="the disk is full"):
        write()
    assert list(tmp_path.iterdir()) == []
