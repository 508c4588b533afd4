from __future__ import annotations

import errno
import os
import stat

import pytest
from modes import is_private, may_do_anything

from swapmeet.base.atomic import (
    PARQUET,
    FolderKind,
    Transaction,
    all_or_nothing,
    check_folder_target,
    check_target,
    claim_target,
    is_empty,
    write_atomically,
    write_folder_atomically,
)
from swapmeet.base.staging import HOME
from swapmeet.errors import OutputError, UsageError


def half_write(path, error):
    with write_atomically(path, overwrite=True) as aside:
        aside.write_text("half")
        raise error


def test_file_appears_only_when_the_block_is_done(tmp_path):
    path = tmp_path / "out.txt"
    with write_atomically(path, overwrite=False) as aside:
        aside.write_text("done")
        assert not path.exists()
        assert aside.is_relative_to(tmp_path / ".swapmeet")
    assert path.read_text() == "done"
    assert list(tmp_path.iterdir()) == [path]


def test_failure_leaves_nothing_behind(tmp_path):
    with pytest.raises(ZeroDivisionError):
        half_write(tmp_path / "out", ZeroDivisionError())
    assert list(tmp_path.iterdir()) == []


def test_failure_keeps_what_stood_there(tmp_path):
    path = tmp_path / "out"
    path.write_text("old")
    with pytest.raises(KeyboardInterrupt):
        half_write(path, KeyboardInterrupt())
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_private_file_is_for_its_owner_from_the_first_moment(tmp_path):
    path = tmp_path / "secret"
    with write_atomically(path, overwrite=False, private=True) as aside:
        assert is_private(aside)
        aside.write_text("x")
    assert is_private(path)


def test_private_file_replaces_a_public_one(tmp_path):
    path = tmp_path / "secret"
    path.write_text("old")
    path.chmod(0o644)
    with write_atomically(path, overwrite=True, private=True) as aside:
        aside.write_text("new")
    assert is_private(path)
    assert path.read_text() == "new"


@pytest.mark.skipif(os.name == "nt", reason="Windows has no modes")
def test_public_file_follows_the_umask(tmp_path):
    old = os.umask(0o022)
    try:
        with write_atomically(tmp_path / "out", overwrite=False) as aside:
            aside.write_text("x")
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o644


def test_suffix_stays_for_writers_that_look_at_it(tmp_path):
    with write_atomically(tmp_path / "out.parquet", overwrite=False) as aside:
        assert aside.suffix == ".parquet"


def test_full_disk_is_told_in_words(tmp_path):
    path = tmp_path / "out"
    with pytest.raises(OutputError) as caught:
        half_write(path, OSError(errno.ENOSPC, "No space left on device"))
    assert str(caught.value) == (
        f"{path}: could not be written: the disk is full. No file was written."
    )
    assert list(tmp_path.iterdir()) == []


def test_other_failures_give_the_reason_of_the_system(tmp_path):
    path = tmp_path / "out"
    with pytest.raises(OutputError, match="could not be written: Input/output error"):
        half_write(path, OSError(errno.EIO, os.strerror(errno.EIO)))


def test_the_longest_name_that_the_system_allows_can_be_written(tmp_path):
    path = tmp_path / ("n" * 251 + ".csv")
    with write_atomically(path, overwrite=False) as aside:
        aside.write_text("x")
    assert list(tmp_path.iterdir()) == [path]


def test_longer_names_are_refused(tmp_path):
    with pytest.raises(UsageError, match="File name too long"):
        check_target(tmp_path / ("n" * 256), overwrite=False)


def test_existing_file_is_refused_unless_overwriting_is_allowed(tmp_path):
    path = tmp_path / "out"
    path.write_text("old")
    with pytest.raises(UsageError, match="exists already"):
        check_target(path, overwrite=False)
    check_target(path, overwrite=True)


def test_folder_is_refused_as_a_file(tmp_path):
    with pytest.raises(UsageError, match="is a folder"):
        check_target(tmp_path, overwrite=True)


def test_absent_folder_is_named(tmp_path):
    folder = tmp_path / "no" / "such"
    with pytest.raises(UsageError) as caught:
        check_target(folder / "out", overwrite=False)
    assert str(caught.value) == (
        f"{folder / 'out'}: the folder {folder} does not exist. Create it first."
    )


@pytest.mark.skipif(may_do_anything(), reason="root may write anywhere")
def test_folder_without_permission_is_refused(tmp_path):
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(UsageError, match="no permission"):
            check_target(tmp_path / "out", overwrite=False)
    finally:
        tmp_path.chmod(0o700)


def test_all_or_nothing_inside_another_waits_for_it(tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    with all_or_nothing():
        with all_or_nothing(), write_atomically(one, overwrite=False) as aside:
            aside.write_text("1")
        assert not one.exists()
        with write_atomically(two, overwrite=False) as aside:
            aside.write_text("2")
    assert (one.read_text(), two.read_text()) == ("1", "2")
    with pytest.raises(KeyError):
        _fail_after_writing(one)
    assert one.read_text() == "1"
    assert sorted(tmp_path.iterdir()) == [one, two]


def _fail_after_writing(path):
    with all_or_nothing():
        with all_or_nothing(), write_atomically(path, overwrite=True) as aside:
            aside.write_text("3")
        raise KeyError


# folders


def fill(folder, name="part.parquet", text="new"):
    (folder / name).write_text(text)


def test_a_folder_appears_with_all_files_of_the_block(tmp_path):
    target, file = tmp_path / "release", tmp_path / "run.toml"
    with all_or_nothing(), write_folder_atomically(target, overwrite=False) as aside:
        fill(aside)
        with write_atomically(file, overwrite=False) as beside:
            beside.write_text("run")
        assert not target.exists()
        assert not file.exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["release", "run.toml"]
    assert [path.name for path in target.iterdir()] == ["part.parquet"]


def test_a_folder_that_fails_leaves_nothing(tmp_path):
    def work():
        target = tmp_path / "release"
        with all_or_nothing(), write_folder_atomically(target, overwrite=False) as aside:
            fill(aside)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        work()
    assert list(tmp_path.iterdir()) == []


def test_a_folder_of_parquet_files_is_replaced_when_asked(tmp_path):
    target = tmp_path / "release"
    for text in ("old", "new"):
        with all_or_nothing(), write_folder_atomically(target, overwrite=True) as aside:
            fill(aside, text=text)
    assert (target / "part.parquet").read_text() == "new"
    assert [path.name for path in tmp_path.iterdir()] == ["release"]


def test_a_folder_comes_back_when_another_name_fails(tmp_path, monkeypatch):
    target, file = tmp_path / "release", tmp_path / "run.toml"
    with all_or_nothing(), write_folder_atomically(target, overwrite=True) as aside:
        fill(aside, text="old")

    def work():
        with all_or_nothing():
            with write_folder_atomically(target, overwrite=True) as aside:
                fill(aside)
            with write_atomically(file, overwrite=True) as beside:
                beside.write_text("run")
            beside.unlink()

    with pytest.raises(OutputError):
        work()
    assert (target / "part.parquet").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["release"]


def test_a_folder_that_is_empty_is_filled_without_asking(tmp_path):
    target = tmp_path / "release"
    target.mkdir()
    with all_or_nothing(), write_folder_atomically(target, overwrite=False) as aside:
        fill(aside)
    assert [path.name for path in target.iterdir()] == ["part.parquet"]
    with pytest.raises(UsageError, match="exists already"):
        check_folder_target(target, overwrite=False)


def test_other_sorts_of_folders_are_replaced_by_their_like_only(tmp_path):
    kind = FolderKind("notes", lambda names: names == {"note.txt"})
    (tmp_path / "notes").mkdir()
    fill(tmp_path / "notes", "note.txt")
    check_folder_target(tmp_path / "notes", overwrite=True, kind=kind)
    fill(tmp_path / "notes")
    with pytest.raises(UsageError, match="not a folder of notes only"):
        check_folder_target(tmp_path / "notes", overwrite=True, kind=kind)


@pytest.mark.parametrize("name", ["diary.txt", "donors"])
def test_a_folder_with_other_things_is_never_replaced(tmp_path, name):
    (tmp_path / "release").mkdir()
    fill(tmp_path / "release", name)
    with pytest.raises(UsageError, match="not a folder of Parquet files only"):
        check_folder_target(tmp_path / "release", overwrite=True)


def test_a_private_folder_is_for_its_owner_only(tmp_path):
    target = tmp_path / "record"
    with all_or_nothing(), write_folder_atomically(target, overwrite=False, private=True) as aside:
        assert is_private(aside)
    assert is_private(target)


@pytest.mark.parametrize(
    ("names", "fits"),
    [
        ([], True),
        (["part.parquet", ".part.parquet.crc", "_SUCCESS"], True),
        (["seed.json", "donors"], True),
        (["part.parquet", "diary.txt"], False),
        (["donors"], False),
    ],
)
def test_a_folder_of_parquet_files_has_nothing_else(tmp_path, names, fits):
    for name in names:
        (tmp_path / name).touch()
    assert PARQUET.fits(tmp_path) == fits


def test_neither_a_file_nor_a_link_nor_nothing_is_an_empty_folder(tmp_path):
    folder, link, file = tmp_path / "folder", tmp_path / "link", tmp_path / "file"
    folder.mkdir()
    link.symlink_to(folder)
    file.touch()
    assert is_empty(folder)
    assert not any(map(is_empty, (link, file, tmp_path, tmp_path / "nothing")))


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
