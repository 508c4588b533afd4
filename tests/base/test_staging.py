"""After any kill: the old files or the new ones, and nothing left behind."""

from __future__ import annotations

import os
import shutil
import signal
from pathlib import Path

import pytest
from kills import kill_at

from swapmeet.base import staging as recovery
from swapmeet.base import staging as renames
from swapmeet.base.atomic import (
    all_or_nothing,
    scratch_folder,
    write_atomically,
    write_folder_atomically,
)
from swapmeet.base.staging import HOME, MANIFEST, recover
from swapmeet.errors import FileError

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")


@pytest.fixture(autouse=True)
def _disk_that_does_not_wait(monkeypatch):
    """Kills do not lose what was written, only power failures do."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


def write_three(release, run_file, record, text):
    """A release, its run file and its audit record, as a run writes them."""
    with all_or_nothing():
        for path in (run_file, release):
            with write_atomically(path, overwrite=True) as aside:
                aside.write_text(text)
        with write_atomically(record, overwrite=True, private=True) as aside:
            aside.write_text(text)


def write_folders(release, run_file, record, text):
    """The same as a cluster writes them."""
    with all_or_nothing():
        with write_atomically(run_file, overwrite=True) as aside:
            aside.write_text(text)
        for path in (release, record):
            with write_folder_atomically(path, overwrite=True) as aside:
                (aside / "part.parquet").write_text(text)


def content_of(path):
    if not path.exists():
        return None
    return (path / "part.parquet").read_text() if path.is_dir() else path.read_text()


def kill_everywhere(write, paths, before, read, step):
    """What stands there after each kill, once `paths[read]` has been looked at."""
    found, number = [], 1 - step
    while True:
        number += step
        for path in paths:
            shutil.rmtree(path, ignore_errors=True)
            path.unlink(missing_ok=True)
        if before is not None:
            write(*paths, before)
        killed = kill_at(number, lambda: write(*paths, "new"))
        recover(paths[read])
        found.append(tuple(map(content_of, paths)))
        if not killed:
            return found
        for path in paths:
            recover(path)
            assert not (path.parent / HOME).exists()


@needs_fork
@pytest.mark.parametrize(
    ("write", "before", "read", "step"),
    [
        (write_three, "old", 0, 6),
        (write_three, "old", 2, 3),
        (write_three, None, 0, 3),
        (write_folders, "old", 0, 3),
        (write_folders, "old", 2, 3),
        (write_folders, None, 2, 3),
    ],
)
@pytest.mark.slow_beyond(1)
def test_after_a_kill_at_any_call_all_are_old_or_all_new(tmp_path, write, before, read, step):
    """benchmarks/kills.py tries every call."""
    (tmp_path / "secret").mkdir()
    paths = [tmp_path / "rel", tmp_path / "rel.run.toml", tmp_path / "secret" / "rel.audit"]
    found = kill_everywhere(write, paths, before, read, step)
    assert set(found) == {(before,) * 3, ("new",) * 3}
    assert found[0] == (before,) * 3
    assert found[-1] == ("new",) * 3
    assert found.index(("new",) * 3) == found.count((before,) * 3)


@pytest.mark.slow
@needs_fork
def test_a_kill_while_a_kill_is_made_good_changes_nothing(tmp_path):
    paths = [tmp_path / name for name in ("rel", "rel.run.toml", "rel.audit")]
    write_three(*paths, "old")
    kill_after_the_step(paths)
    for number in range(1, 60):
        if not kill_at(number, lambda: recover(paths[0])):
            break
    else:
        raise AssertionError("each kill must be a step ahead")
    assert [path.read_text() for path in paths] == ["new"] * 3
    assert not (tmp_path / HOME).exists()


def kill_after_the_step(paths):
    """Leave the manifest of three files, and none of the names that it gives."""

    def write():
        renames.finish_renames = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
        write_three(*paths, "new")

    assert kill_at(0, write)


@needs_fork
def test_a_folder_that_was_moved_after_the_kill_is_whole(tmp_path):
    folder = tmp_path / "here"
    folder.mkdir()
    paths = [folder / name for name in ("rel", "rel.run.toml", "rel.audit")]
    write_three(*paths, "old")
    kill_after_the_step(paths)
    moved = folder.rename(tmp_path / "there")
    recover(moved / "rel")
    assert [(moved / path.name).read_text() for path in paths] == ["new"] * 3


@needs_fork
def test_what_cannot_be_finished_is_told_and_kept(tmp_path, monkeypatch):
    paths = [tmp_path / name for name in ("rel", "rel.run.toml", "rel.audit")]
    write_three(*paths, "old")
    kill_after_the_step(paths)

    def refuse(*_):
        raise OSError(30, "Read-only file system")

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", refuse)
        patch.setattr(os, "unlink", refuse)
        with pytest.raises(FileError, match=r"could not be finished: Read-only file system"):
            recover(paths[0])
    recover(paths[0])
    assert [path.read_text() for path in paths] == ["new"] * 3


@needs_fork
def test_what_fails_for_good_is_undone(tmp_path, monkeypatch):
    paths = [tmp_path / name for name in ("rel", "rel.run.toml", "rel.audit")]
    write_three(*paths, "old")
    kill_after_the_step(paths)
    real = os.replace

    def refuse_one(source, target):
        if str(target).endswith("rel.audit") and "former" not in str(source):
            raise PermissionError(1, "Operation not permitted")
        real(source, target)

    monkeypatch.setattr(os, "replace", refuse_one)
    recover(paths[0])
    assert [path.read_text() for path in paths] == ["old"] * 3
    assert not (tmp_path / HOME).exists()


@needs_fork
def test_a_record_whose_release_cannot_be_reached_is_left_alone(tmp_path):
    (tmp_path / "disk").mkdir()
    (tmp_path / "secret").mkdir()
    paths = [tmp_path / "disk" / "rel", tmp_path / "disk" / "run", tmp_path / "secret" / "audit"]
    write_three(*paths, "old")
    kill_after_the_step(paths)
    (tmp_path / "disk").rename(tmp_path / "elsewhere")
    recover(paths[2])
    assert paths[2].read_text() == "old"
    (tmp_path / "elsewhere").rename(tmp_path / "disk")
    recover(paths[2])
    assert [path.read_text() for path in paths] == ["new"] * 3


def test_a_manifest_that_leads_elsewhere_is_refused(tmp_path):
    room = tmp_path / HOME / "abc"
    room.mkdir(parents=True, mode=0o700)
    (tmp_path / "mine").write_text("mine")
    for name, aside in (("../x", "a"), ("x", "../../mine")):
        (room / MANIFEST).write_text(
            '{"format": "swapmeet renames 1", "renames": '
            f'[{{"room": "", "aside": "{aside}", "name": "{name}"}}]}}'
        )
        with pytest.raises(FileError, match="damaged"):
            recover(tmp_path / "rel")
    assert (tmp_path / "mine").read_text() == "mine"


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="this system has no owners")
def test_what_another_user_left_is_none_of_our_business(tmp_path, monkeypatch):
    (tmp_path / HOME / "abc").mkdir(parents=True)
    monkeypatch.setattr(os, "getuid", lambda: 12345)
    recover(tmp_path / "rel")
    assert (tmp_path / HOME / "abc").exists()


def test_nothing_of_a_living_run_is_touched(tmp_path):
    with scratch_folder(tmp_path / "rel") as folder:
        (folder / "spool").write_text("x")
        with all_or_nothing(), write_atomically(tmp_path / "rel", overwrite=True) as aside:
            aside.write_text("half")
            recover(tmp_path / "rel")
            assert aside.read_text() == "half"
        assert (folder / "spool").read_text() == "x"
    assert [path.name for path in tmp_path.iterdir()] == ["rel"]


def test_readers_wait_for_a_living_run_that_renames(tmp_path, monkeypatch):
    monkeypatch.setattr(recovery, "PATIENCE", 0.05)
    with scratch_folder(tmp_path / "rel") as folder:
        (folder / MANIFEST).write_text("{}")
        recover(tmp_path / "rel")
        assert (folder / MANIFEST).exists()


@needs_fork
@needs_fork
@pytest.mark.parametrize("which", [1, 2])
def test_a_kill_while_a_small_file_is_written_is_made_good(tmp_path, which):
    """The first one tells a room where the manifest is, the second is the manifest."""
    (tmp_path / "secret").mkdir()
    paths = [tmp_path / "rel", tmp_path / "rel.run.toml", tmp_path / "secret" / "rel.audit"]
    write_three(*paths, "old")

    def write_and_die():
        real, written = Path.write_bytes, []

        def write_bytes(path, content):
            written.append(path)
            if len(written) == which:
                path.touch()
                os.kill(os.getpid(), signal.SIGKILL)
            return real(path, content)

        Path.write_bytes = write_bytes
        write_three(*paths, "new")

    assert kill_at(10**6, write_and_die)
    for path in paths[::-1]:
        recover(path)
    assert [content_of(path) for path in paths] == ["old"] * 3
    write_three(*paths, "new")
    assert [content_of(path) for path in paths] == ["new"] * 3
    assert not (tmp_path / "secret" / HOME).exists()


@pytest.mark.slow
@needs_fork
def test_folders_may_have_names_that_are_no_text(tmp_path):
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9"))
    try:
        folder.mkdir()
    except OSError:
        pytest.skip("this file system takes no such name")
    paths = [folder / "rel", folder / "rel.run.toml", tmp_path / "rel.audit"]
    for number in (*range(1, 60, 4), 10**6):
        killed = kill_at(number, lambda: write_three(*paths, "new"))
        recover(paths[0])
        recover(paths[2])
        assert len({content_of(path) for path in paths}) == 1
    assert not killed
    assert [content_of(path) for path in paths] == ["new"] * 3


def test_a_spool_that_a_kill_left_is_swept(tmp_path):
    def spool():
        with scratch_folder(tmp_path / "rel") as folder:
            (folder / "spool").write_text("secret")
            (folder / "spool").unlink()

    assert any(kill_at(number, spool) for number in (1, 3, 5))
    recover(tmp_path / "rel")
    assert list(tmp_path.iterdir()) == []
