"""Files that a run writes: claimed at its beginning, written aside, named together at its end."""

from __future__ import annotations

import os
import time
import unicodedata
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from swapmeet.base.disk import explain, write_whole
from swapmeet.base.file_lock import FileLock, try_lock
from swapmeet.base.staging import LOCK, MAIN, MANIFEST, Rename, Room, open_room, rename_together
from swapmeet.errors import OutputError, UsageError

STEM = 40
"""So much of a file's name goes into that of the file aside, which must not get too long."""

LOOKS = 10
"""Number of attempts to claim a target."""


class _Waiting(NamedTuple):
    path: Path
    rename: Rename
    overwrite: bool


class Transaction:
    """The targets of one run; all of them change, or none."""

    def __init__(self) -> None:
        self._rooms: dict[Path, Room] = {}
        self._claims: dict[Path, FileLock] = {}
        self._waiting: list[_Waiting] = []
        self._count = 0

    def claim(self, path: Path) -> None:
        """Keep every other run from writing to `path` until this one ends."""
        target = _resolve(path)
        if target in self._claims:
            return
        home = self._enter(target.parent).home
        lock = _try_patiently(home / f"{_digest(target.name)}{LOCK}")
        if lock is None:
            raise UsageError(
                f"{path}: another run is writing it. Wait until that has ended, or choose another "
                "name."
            )
        self._claims[target] = lock

    def stage(self, path: Path) -> Path:
        """Return the path to write what will get the name `path`; nothing is there."""
        self.claim(path)
        self._count += 1
        room = self._enter(_resolve(path).parent)
        return room.path / f"{self._count}-{path.stem[:STEM]}{path.suffix}"

    def add(self, aside: Path, path: Path, *, overwrite: bool) -> None:
        """Have a file or folder that was staged get its name in the end."""
        rename = Rename(aside.parent, aside.name, path.name)
        self._waiting.append(_Waiting(path, rename, overwrite))

    def find(self, path: Path) -> Path:
        """Find what will get the name `path`."""
        return next(each.rename.source for each in self._waiting if each.path == path)

    def commit(self) -> None:
        """Give all files their names, in one step."""
        if not self._waiting:
            return
        for path, _, overwrite in self._waiting:
            if os.path.lexists(path) and not overwrite:
                raise UsageError(
                    f"{path}: was made by another program meanwhile, and is not overwritten. "
                    "Nothing was written. Choose another name."
                )
        try:
            for room in self._rooms.values():
                room.sync()
            rename_together(self._main.path, [each.rename for each in self._waiting])
        except OSError as error:
            named = [each.path for each in self._waiting]
            failed = [path for path in named if str(_resolve(path)) == error.filename]
            raise OutputError(explain((failed or named)[0], error)) from error

    def close(self) -> None:
        """Remove what did not get a name; what recovery needs stays."""
        for lock in self._claims.values():
            lock.release()
        if not self._rooms:
            return
        is_pending = (self._main.path / MANIFEST).exists()
        for room in reversed(self._rooms.values()):
            if is_pending:
                room.leave()
            else:
                room.close()

    @property
    def _main(self) -> Room:
        return next(iter(self._rooms.values()))

    def _enter(self, folder: Path) -> Room:
        """The room beside the files of a folder; all but the first name the first."""
        if folder not in self._rooms:
            if not self._rooms:
                self._rooms[folder] = open_room(folder)
            else:
                main = self._main.path
                room = self._rooms[folder] = open_room(folder, main.name)
                write_whole(room.path / MAIN, os.fsencode(main))
        return self._rooms[folder]


def _try_patiently(path: Path) -> FileLock | None:
    """A lock; a run that looks for what killed runs left may have it for a moment."""
    for _ in range(LOOKS):
        lock = try_lock(path)
        if lock is not None:
            return lock
        time.sleep(0.01)
    return None


def _resolve(path: Path) -> Path:
    """The same for all names of a folder; a link as a file's name is replaced, not followed."""
    return Path(os.path.realpath(path.parent)) / path.name


def _digest(name: str) -> str:
    """The same for names that some systems take for one."""
    plain = unicodedata.normalize("NFC", name).casefold()
    return blake2b(plain.encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()
