from __future__ import annotations

import errno
import os

import pytest

from swapmeet.base.disk import try_lock


def test_only_one_has_it_at_a_time(tmp_path):
    lock = try_lock(tmp_path / "x.lock")
    assert lock is not None
    assert try_lock(tmp_path / "x.lock") is None
    lock.release()
    assert list(tmp_path.iterdir()) == []
    again = try_lock(tmp_path / "x.lock")
    assert again is not None
    again.release()


def test_a_lock_on_a_file_that_was_removed_meanwhile_does_not_count(tmp_path, monkeypatch):
    path, real, opened = tmp_path / "x.lock", os.open, []

    def open_and_lose(*args):
        descriptor = real(*args)
        opened.append(descriptor)
        if len(opened) == 1:
            path.unlink()
        return descriptor

    monkeypatch.setattr(os, "open", open_and_lose)
    lock = try_lock(path)
    assert lock is not None
    assert len(opened) == 2
    assert path.exists()
    lock.release()


def test_without_locks_of_the_system_whoever_makes_the_file_has_it(tmp_path, monkeypatch):
    fcntl = pytest.importorskip("fcntl")

    def refuse(*_):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    lock = try_lock(tmp_path / "x.lock")
    assert lock is not None
    assert try_lock(tmp_path / "x.lock") is None
    lock.release()
    assert try_lock(tmp_path / "x.lock") is not None
