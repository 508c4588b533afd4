"""Writes and removals that last, also when the power fails, and locks that end with a process."""

from __future__ import annotations

import errno
import os
import shutil
from contextlib import suppress
from dataclasses import dataclass
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


FAR = 1 << 40
"""The byte that is locked on Windows, where nobody else can read a byte that is locked."""
NO_LOCKS = {errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOLCK, errno.ENOSYS, errno.EINVAL}
"""Error numbers of file systems without locks."""


@dataclass(frozen=True)
class FileLock:
    """A lock on a file that serves nothing else."""

    path: Path
    descriptor: int

    def release(self) -> None:
        """Remove the file, and let others have it; Windows cannot remove a file that is open."""
        if WINDOWS:
            os.close(self.descriptor)
        with suppress(OSError):
            self.path.unlink()
        if not WINDOWS:
            os.close(self.descriptor)


def try_lock(path: Path) -> FileLock | None:
    """The lock on a file, which is made if need be; None while another holds it.

    On a file system without locks, the process that makes the file has it until it is removed.
    """
    while True:
        descriptor, is_new = _open(path)
        try:
            has_lock = lock_descriptor(descriptor)
        except OSError as error:
            has_lock = is_new and error.errno in NO_LOCKS
        if has_lock and is_at(descriptor, path):
            return FileLock(path, descriptor)
        os.close(descriptor)
        if not has_lock:
            return None


def lock_descriptor(descriptor: int) -> bool:
    """Lock an open file against other processes and threads; whether nobody else had done so."""
    try:
        import fcntl
    except ImportError:
        return _lock_on_windows(descriptor)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def is_at(descriptor: int, path: Path) -> bool:
    """Return whether an open file still has the name it was opened by."""
    try:
        entry, opened = path.stat(), os.fstat(descriptor)
    except FileNotFoundError:
        return False
    return (entry.st_dev, entry.st_ino) == (opened.st_dev, opened.st_ino)


def _lock_on_windows(descriptor: int) -> bool:
    import msvcrt

    place = os.lseek(descriptor, 0, os.SEEK_CUR)
    os.lseek(descriptor, FAR, os.SEEK_SET)
    try:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
    except OSError:
        return False
    finally:
        os.lseek(descriptor, place, os.SEEK_SET)
    return True


def _open(path: Path) -> tuple[int, bool]:
    """A descriptor of the file, and whether it was made just now."""
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600), True
    except FileExistsError:
        return os.open(path, os.O_RDWR | os.O_CREAT, 0o600), False
