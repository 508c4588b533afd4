"""A lock that ends with the process that holds it, whatever became of that."""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from swapmeet.base.disk import WINDOWS

FAR = 1 << 40
"""The byte that is locked on Windows, where nobody else can read a byte that is locked."""
UNSUPPORTED = {errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOLCK, errno.ENOSYS, errno.EINVAL}
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
            has_lock = is_new and error.errno in UNSUPPORTED
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
