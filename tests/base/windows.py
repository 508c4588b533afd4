"""The rules of Windows that differ from those here, as far as files go."""

from __future__ import annotations

import errno
import os
import shutil
import sys
import types
from pathlib import Path

from swapmeet.base import atomic, disk

try:
    import fcntl
except ImportError:
    fcntl = None


class Msvcrt(types.ModuleType):
    """A byte is locked for everybody else, from where the file stands, until the file is closed."""

    LK_NBLCK = 2

    def __init__(self):
        super().__init__("msvcrt")
        self.locked = {}

    def locking(self, descriptor, mode, count):
        assert (mode, count) == (self.LK_NBLCK, 1)
        byte = os.fstat(descriptor).st_ino, os.lseek(descriptor, 0, os.SEEK_CUR)
        if self.locked.setdefault(byte, descriptor) != descriptor:
            raise PermissionError(errno.EACCES, "Permission denied")

    def unlock(self, descriptor):
        self.locked = {byte: held for byte, held in self.locked.items() if held != descriptor}


def pretend(monkeypatch):
    """Have the rules hold for as long as the test lasts."""
    locks = Msvcrt()
    monkeypatch.setitem(sys.modules, "fcntl", None)
    monkeypatch.setitem(sys.modules, "msvcrt", locks)
    monkeypatch.delattr(os, "getuid")
    monkeypatch.setattr(shutil, "_use_fd_functions", False)
    for module in (atomic, disk):
        monkeypatch.setattr(module, "WINDOWS", True)
    for name in ("open", "close", "fsync", "unlink", "rename", "replace"):
        monkeypatch.setattr(os, name, _RULES[name](getattr(os, name), locks))
    return locks


def _open(real, _):
    def call(path, *args, **options):
        if Path(path).is_dir():
            raise PermissionError(errno.EACCES, "Permission denied: a folder", str(path))
        return real(path, *args, **options)

    return call


def _close(real, locks):
    def call(descriptor):
        locks.unlock(descriptor)
        real(descriptor)

    return call


def _fsync(real, _):
    def call(descriptor):
        if fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY:
            raise OSError(errno.EBADF, "Bad file descriptor: read only")
        real(descriptor)

    return call


def _unlink(real, _):
    def call(path, **options):
        _refuse_open(path)
        real(path, **options)

    return call


def _rename(real, _):
    def call(source, target, **options):
        _refuse_open(source)
        if os.path.lexists(target):
            raise FileExistsError(errno.EEXIST, "File exists", str(target))
        real(source, target, **options)

    return call


def _replace(real, _):
    def call(source, target, **options):
        _refuse_open(source)
        _refuse_open(target)
        if Path(target).is_dir():
            raise PermissionError(errno.EACCES, "Permission denied: a folder", str(target))
        real(source, target, **options)

    return call


def _refuse_open(path):
    """Files that are open, and folders in which one is, stay where they are."""
    asked = Path(os.path.realpath(path))
    for link in Path("/proc/self/fd").iterdir():
        try:
            held = link.readlink()
        except OSError:
            continue
        if held == asked or asked in held.parents:
            raise PermissionError(errno.EACCES, "Permission denied: it is open", str(path))


_RULES = {
    "open": _open, "close": _close, "fsync": _fsync, "unlink": _unlink, "rename": _rename,
    "replace": _replace,
}  # fmt: skip
