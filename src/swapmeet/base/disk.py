"""Writes and removals that last, also when the power fails."""

from __future__ import annotations

import errno
import os
import shutil
from contextlib import suppress
from pathlib import Path

WINDOWS = os.name == "nt"
FULL = {
    getattr(errno, "EDQUOT", errno.ENOSPC): "the disk has no more room for this user",
    errno.EFBIG: "the file would be larger than the system allows",
    errno.ENOSPC: "the disk is full",
}
"""Error numbers of systems that have no room left, in words."""
UNSUPPORTED = {errno.EINVAL, errno.ENOTSUP, errno.EACCES, errno.EPERM, errno.EBADF}
"""Error numbers of systems that cannot flush a folder."""


def sync_file(path: Path) -> None:
    """Wait until the content of a file is on the disk."""
    try:
        descriptor = os.open(path, os.O_RDWR)
    except PermissionError:
        descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_whole(path: Path, content: bytes) -> None:
    """Write a small file, which is there with all its content or not at all, also after a kill."""
    draft = path.with_name(f"{path.name}.draft")
    draft.write_bytes(content)
    sync_file(draft)
    draft.replace(path)


def sync_folder(path: Path) -> None:
    """Wait until the names in a folder are on the disk; Windows does so by itself."""
    if WINDOWS:
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in UNSUPPORTED:
            raise
    finally:
        os.close(descriptor)


def sync_tree(path: Path) -> None:
    """Wait until a file, or a folder with all that is in it, is on the disk."""
    if not path.is_dir():
        sync_file(path)
        return
    for folder, _, names in os.walk(path):
        for name in names:
            sync_file(Path(folder, name))
        sync_folder(Path(folder))


def remove(path: Path) -> None:
    """Remove a file, or a folder with all that is in it, as far as possible."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
        return
    with suppress(OSError):
        path.unlink(missing_ok=True)


def explain(path: Path, error: OSError) -> str:
    """Explain in words why a file could not be written."""
    return f"{path}: could not be written: {name_reason(error)}. No file was written."


def name_reason(error: OSError) -> str:
    """Name the system's reason in words; libraries put paths and more into theirs."""
    if error.errno is None:
        return error.strerror or "failed"
    return FULL.get(error.errno) or os.strerror(error.errno)
