"""Files and folders that appear whole or not at all: written aside, then renamed in one step."""

from __future__ import annotations

import os
import re
import time
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from swapmeet.base.disk import (
    WINDOWS,
    FileLock,
    explain,
    remove,
    sync_file,
    sync_tree,
    try_lock,
    write_whole,
)
from swapmeet.base.staging import (
    LOCK,
    MAIN,
    MANIFEST,
    Rename,
    Room,
    open_room,
    recover,
    rename_together,
)
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


RECORD = {"seed.json", "donors"}
"""Names of the files in the folder of an audit record."""


@dataclass(frozen=True)
class FolderKind:
    """A sort of folder: `title` says what is in it, `holds` judges by the names in a folder."""

    title: str
    holds: Callable[[set[str]], bool]

    def fits(self, folder: Path) -> bool:
        """Return whether a folder is one of this sort, or empty."""
        names = {path.name for path in folder.iterdir()}
        return not names or self.holds(names)


def is_empty(path: Path) -> bool:
    """Return whether it is a folder, and nothing in it; a link to one is something."""
    return path.is_dir() and not path.is_symlink() and not any(path.iterdir())


def _are_parquet(names: set[str]) -> bool:
    """Parquet files only, as Spark writes them, or an audit record."""
    others = names - {"_SUCCESS"}
    return others == RECORD or all(name.endswith((".parquet", ".crc")) for name in others)


PARQUET = FolderKind("Parquet files", _are_parquet)


def check_target(path: Path, *, overwrite: bool) -> None:
    """Refuse a place where nothing can be written, before any work is done."""
    if WINDOWS and not can_be_named(path.name):
        raise UsageError(f"{path}: is no name for a file on Windows. Choose another name.")
    folder = path.parent
    if not folder.is_dir():
        raise UsageError(f"{path}: the folder {folder} does not exist. Create it first.")
    try:
        is_folder = path.is_dir()
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}. Choose another name.") from None
    if is_folder:
        raise UsageError(f"{path}: is a folder. Give the name of a file.")
    recover(path)
    if path.exists() and not path.is_file():
        raise UsageError(f"{path}: is not an ordinary file. Give another name.")
    if path.exists() and not overwrite:
        raise UsageError(f"{path}: exists already. Choose another name or allow overwriting it.")
    if not os.access(folder, os.W_OK):
        raise UsageError(f"{path}: no permission to write in {folder}. Choose another folder.")


@contextmanager
def write_atomically(path: Path, *, overwrite: bool, private: bool = False) -> Iterator[Path]:
    """Yield a path aside to write to; the file gets the name `path` when the block succeeds.

    When the block fails, the file aside is removed and whatever stood at `path` stays. With
    `private`, only the owner may read the file (mode 0600), from the moment it exists.
    """
    check_target(path, overwrite=overwrite)
    with all_or_nothing() as work, _explain_errors(path):
        aside = work.stage(path)
        try:
            _create(aside, 0o600 if private else 0o666)
            yield aside
            sync_file(aside)
        except BaseException:
            remove(aside)
            raise
        work.add(aside, path, overwrite=overwrite)


@contextmanager
def write_folder_atomically(
    path: Path, *, overwrite: bool, private: bool = False, kind: FolderKind = PARQUET
) -> Iterator[Path]:
    """As `write_atomically`, but a folder, which is there and empty.

    A folder is overwritten only if there is nothing in it but what was written so, as its `kind`
    tells; an empty one is no loss.
    """
    check_folder_target(path, overwrite=overwrite, kind=kind)
    replaces = overwrite or is_empty(path)
    with all_or_nothing() as work, _explain_errors(path):
        aside = work.stage(path)
        try:
            aside.mkdir(0o700 if private else 0o777)
            yield aside
            sync_tree(aside)
        except BaseException:
            remove(aside)
            raise
        work.add(aside, path, overwrite=replaces)


@contextmanager
def _explain_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise OutputError(explain(path, error)) from error


def check_folder_target(path: Path, *, overwrite: bool, kind: FolderKind = PARQUET) -> None:
    """Refuse a place where no folder can be made, before any work is done."""
    if not path.parent.is_dir():
        raise UsageError(f"{path}: the folder {path.parent} does not exist. Create it first.")
    if not os.access(path.parent, os.W_OK):
        raise UsageError(f"{path}: no permission to write in {path.parent}. Choose another folder.")
    recover(path)
    if not os.path.lexists(path) or is_empty(path):
        return
    if not overwrite:
        raise UsageError(f"{path}: exists already. Choose another name or allow overwriting it.")
    if not path.is_dir() or not kind.fits(path):
        raise UsageError(
            f"{path}: is not a folder of {kind.title} only, so it is not overwritten. "
            "Choose another name."
        )


@contextmanager
def all_or_nothing() -> Iterator[Transaction]:
    """Files that are `write_atomically` in this block get their names as it ends, all or none.

    Whenever the program is killed, all of them are the old ones or all the new ones for anyone who
    reads them with Swapmeet afterwards. Inside another such block it is a part of that.
    """
    outer = _current.get()
    if outer is not None:
        yield outer
        return
    work = Transaction()
    token = _current.set(work)
    try:
        yield work
        work.commit()
    finally:
        _current.reset(token)
        work.close()


_current: ContextVar[Transaction | None] = ContextVar("transaction", default=None)


def claim_target(path: Path) -> None:
    """Refuse a place that another run is writing to.

    In an `all_or_nothing` block, others are refused it from now on until the block ends.
    """
    work = _current.get()
    if work is not None:
        with _explain_errors(path):
            work.claim(path)


@contextmanager
def scratch_folder(beside: Path) -> Iterator[Path]:
    """A folder for this run alone, beside a file; it is gone afterwards.

    If the run is killed, the next one in the same place removes it.
    """
    recover(beside)
    room = open_room(Path(os.path.realpath(beside.parent)))
    try:
        yield room.path
    finally:
        room.close()


def can_be_named(name: str) -> bool:
    """Return whether Windows takes it for the name of a file, and of nothing else.

    >>> [can_be_named(name) for name in ("rel.csv", "con.csv", "rel.csv:hidden", "rel.")]
    [True, False, False, False]
    """
    device = re.fullmatch(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", name, re.IGNORECASE)
    return not device and not re.search(r'[<>:"/\\|?*\x00-\x1f]|[. ]$', name)


def _create(path: Path, mode: int) -> None:
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode))
