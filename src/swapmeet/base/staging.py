"""The private folder beside a target, where a run keeps whatever is not finished.

It is called `.swapmeet`, only its owner may enter it, and it is gone when nothing is in it. Each
run has a room of its own there, with a lock that ends with the run: whatever lies in a room
without a living owner was left by a run that was killed.
"""

from __future__ import annotations

import os
import secrets
import stat
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from swapmeet.base.disk import remove, sync_folder
from swapmeet.base.file_lock import FileLock, try_lock

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

HOME = ".swapmeet"
LOCK = ".lock"
TRIES = 1000
"""Others may remove the private folder as often while we enter it."""


@dataclass(frozen=True)
class Room:
    """A run's own folder in the private folder."""

    path: Path
    lock: FileLock

    @property
    def home(self) -> Path:
        """The private folder."""
        return self.path.parent

    @property
    def folder(self) -> Path:
        """The folder of the targets."""
        return self.home.parent

    def sync(self) -> None:
        """Wait until the names of what is in it are on the disk."""
        for folder in (self.path, self.home, self.folder):
            sync_folder(folder)

    def close(self) -> None:
        """Remove the room and what is in it, and the private folder if it is empty then."""
        remove(self.path)
        self.leave()

    def leave(self) -> None:
        """Let whoever comes next have the room as it is."""
        if not self.path.exists():
            self.lock.release()
        else:
            os.close(self.lock.descriptor)
        with suppress(OSError):
            self.home.rmdir()


def open_room(folder: Path, name: str | None = None) -> Room:
    """A new room beside the files of `folder`."""
    for _ in range(TRIES):
        home, own = _make_home(folder), name or secrets.token_hex(8)
        with suppress(FileNotFoundError):
            lock = try_lock(home / f"{own}{LOCK}")
            if lock is not None:
                return _make_room(home / own, lock)
    raise FileNotFoundError(2, os.strerror(2), str(folder))


def _make_room(path: Path, lock: FileLock) -> Room:
    try:
        path.mkdir(0o700)
    except OSError:
        lock.release()
        raise
    return Room(path, lock)


def find_rooms(folder: Path) -> Iterator[Path]:
    """The rooms in a folder that are ours, whether their owners live or not."""
    for home in filter(_is_own, _list_homes(folder)):
        with suppress(OSError):
            found = {entry.name.removesuffix(LOCK) for entry in home.iterdir()}
            yield from (home / name for name in sorted(found))


def remove_empty_homes(folder: Path) -> None:
    """Remove the private folder, if there is one with nothing in it."""
    for home in filter(_is_own, _list_homes(folder)):
        with suppress(OSError):
            home.rmdir()


def enter_room(path: Path) -> Room | None:
    """The room of a run that has ended; None if it lives, or if the room is gone meanwhile."""
    try:
        lock = try_lock(path.with_name(f"{path.name}{LOCK}"))
    except FileNotFoundError:
        return None
    return None if lock is None else Room(path, lock)


def _make_home(folder: Path) -> Path:
    """The private folder; another one where the usual name is somebody else's."""
    for home in _list_homes(folder):
        with suppress(FileExistsError):
            home.mkdir(0o700)
        if _is_own(home):
            return home
    return home


def _list_homes(folder: Path) -> list[Path]:
    """The names that our private folder may have there."""
    user = os.getuid() if hasattr(os, "getuid") else 0
    return [folder / HOME, folder / f"{HOME}-{user}"]


def _is_own(home: Path) -> bool:
    """Return whether a folder is ours: what others put in theirs is none of our business."""
    try:
        found = home.lstat()
    except OSError:
        return False
    is_ours = not hasattr(os, "getuid") or found.st_uid == os.getuid()
    return is_ours and stat.S_ISDIR(found.st_mode)
