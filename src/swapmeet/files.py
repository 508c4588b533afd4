"""Files that appear whole or not at all: written aside, then renamed."""

from __future__ import annotations

import errno
import os
import secrets
from contextlib import contextmanager
from typing import TYPE_CHECKING

from swapmeet.errors import OutputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def check_target(path: Path, *, overwrite: bool) -> None:
    """Refuse a place where nothing can be written, before any work is done."""
    folder = path.parent
    if not folder.is_dir():
        raise UsageError(f"{path}: the folder {folder} does not exist. Create it first.")
    if path.is_dir():
        raise UsageError(f"{path}: is a folder. Give the name of a file.")
    if path.exists() and not overwrite:
        raise UsageError(f"{path}: exists already. Choose another name or allow overwriting it.")
    if not os.access(folder, os.W_OK):
        raise UsageError(f"{path}: no permission to write in {folder}. Choose another folder.")


@contextmanager
def written_aside(path: Path, *, overwrite: bool, private: bool = False) -> Iterator[Path]:
    """Yield a path beside `path` to write to; rename it to `path` when the block succeeds.

    When the block fails, the file aside is removed and whatever stood at `path` stays. With
    `private`, only the owner may read the file (mode 0600), from the moment it exists.
    """
    check_target(path, overwrite=overwrite)
    aside = path.with_name(f".{path.stem}.{secrets.token_hex(4)}.part{path.suffix}")
    try:
        _create(aside, 0o600 if private else 0o666)
        yield aside
        _flush(aside)
        aside.replace(path)
    except OSError as error:
        raise OutputError(_explain(path, error)) from error
    finally:
        aside.unlink(missing_ok=True)


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
    return f"{path}: could not be written: {reason}. Nothing was left behind."
