"""Files that appear whole or not at all: written aside, then renamed."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING

from swapmeet.errors import OutputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

STEM = 40
"""So much of a file's name goes into that of the file aside, which must not get too long."""


def check_target(path: Path, *, overwrite: bool) -> None:
    """Refuse a place where nothing can be written, before any work is done."""
    folder = path.parent
    if not folder.is_dir():
        raise UsageError(f"{path}: the folder {folder} does not exist. Create it first.")
    try:
        is_folder = path.is_dir()
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}. Choose another name.") from None
    if is_folder:
        raise UsageError(f"{path}: is a folder. Give the name of a file.")
    if path.exists() and not path.is_file():
        raise UsageError(f"{path}: is not an ordinary file. Give another name.")
    if path.exists() and not overwrite:
        raise UsageError(f"{path}: exists already. Choose another name or allow overwriting it.")
    if not os.access(folder, os.W_OK):
        raise UsageError(f"{path}: no permission to write in {folder}. Choose another folder.")


@contextmanager
def write_atomically(path: Path, *, overwrite: bool, private: bool = False) -> Iterator[Path]:
    """Yield a path beside `path` to write to; rename it to `path` when the block succeeds.

    When the block fails, the file aside is removed and whatever stood at `path` stays. With
    `private`, only the owner may read the file (mode 0600), from the moment it exists.
    """
    check_target(path, overwrite=overwrite)
    aside, waiting = _beside(path), _waiting.get()
    try:
        _create(aside, 0o600 if private else 0o666)
        yield aside
        _flush(aside)
        if waiting is None:
            aside.replace(path)
        else:
            waiting[aside] = path
    except OSError as error:
        raise OutputError(_explain(path, error)) from error
    finally:
        if waiting is None or aside not in waiting:
            _remove(aside)


@contextmanager
def write_folder_atomically(
    path: Path, *, overwrite: bool, private: bool = False
) -> Iterator[Path]:
    """As `write_atomically`, but a folder, which is there and empty; in an `all_or_nothing` block.

    A folder is overwritten only if there is nothing in it but what was written so.
    """
    check_folder_target(path, overwrite=overwrite)
    aside, waiting = _beside(path), _waiting.get()
    assert waiting is not None
    try:
        aside.mkdir(0o700 if private else 0o777)
        yield aside
        waiting[aside] = path
    except OSError as error:
        raise OutputError(_explain(path, error)) from error
    finally:
        if aside not in waiting:
            _remove(aside)


def check_folder_target(path: Path, *, overwrite: bool) -> None:
    """Refuse a place where no folder can be made, before any work is done."""
    if not path.parent.is_dir():
        raise UsageError(f"{path}: the folder {path.parent} does not exist. Create it first.")
    if not os.access(path.parent, os.W_OK):
        raise UsageError(f"{path}: no permission to write in {path.parent}. Choose another folder.")
    if not os.path.lexists(path):
        return
    if not overwrite:
        raise UsageError(f"{path}: exists already. Choose another name or allow overwriting it.")
    if not path.is_dir() or not _is_ours(path):
        raise UsageError(
            f"{path}: is not a folder of Parquet files only, so it is not overwritten. "
            "Choose another name."
        )


def _is_ours(folder: Path) -> bool:
    """Whether a folder holds Parquet files only, as Spark writes them, or an audit record."""
    names = {path.name for path in folder.iterdir()} - {"_SUCCESS"}
    record = {"seed.json", "donors"}
    return names == record or all(name.endswith((".parquet", ".crc")) for name in names)


@contextmanager
def all_or_nothing() -> Iterator[None]:
    """Files that are `write_atomically` in this block get their names as it ends, all or none.

    Inside another such block it is a part of that.
    """
    if _waiting.get() is not None:
        yield
        return
    waiting: dict[Path, Path] = {}
    token = _waiting.set(waiting)
    try:
        yield
        _rename_all(waiting)
    finally:
        _waiting.reset(token)
        for aside in waiting:
            _remove(aside)


_waiting: ContextVar[dict[Path, Path] | None] = ContextVar("waiting", default=None)


def _rename_all(waiting: dict[Path, Path]) -> None:
    """Rename each file; if one fails, undo the others and put back what stood there before."""
    former = {path: _beside(path) for path in waiting.values()}
    path = Path()
    try:
        for aside, path in waiting.items():
            if os.path.lexists(path):
                path.rename(former[path])
            aside.replace(path)
    except BaseException as error:
        _undo(waiting, former)
        if isinstance(error, OSError):
            raise OutputError(_explain(path, error)) from error
        raise
    for backup in former.values():
        _remove(backup)


def _undo(waiting: dict[Path, Path], former: dict[Path, Path]) -> None:
    for aside, path in waiting.items():
        with suppress(OSError):
            if not os.path.lexists(aside) and os.path.lexists(path):
                path.replace(aside)
            if os.path.lexists(former[path]):
                former[path].replace(path)


def _beside(path: Path) -> Path:
    return path.with_name(f".{path.stem[:STEM]}.{secrets.token_hex(4)}.part{path.suffix}")


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
        return
    with suppress(OSError):
        path.unlink(missing_ok=True)


def _create(path: Path, mode: int) -> None:
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode))


def _flush(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _explain(path: Path, error: OSError) -> str:
    reason = "the disk is full" if error.errno == errno.ENOSPC else (error.strerror or "failed")
    return f"{path}: could not be written: {reason}. No file was written."
