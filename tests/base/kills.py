"""A child process that is killed at its n-th call to the file system."""

from __future__ import annotations

import os
import signal

CALLS = ("open", "mkdir", "link", "rename", "replace", "fsync", "unlink", "rmdir")


def kill_at(number, work):
    """Run `work` in a forked child that dies as by `kill -9` before its call `number`.

    Returns whether it was killed: it is not if it makes fewer calls.
    """
    child = os.fork()
    if child == 0:
        try:
            _count_calls(number)
            work()
        except BaseException:  # noqa: BLE001
            os._exit(1)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0
    return os.WIFSIGNALED(status)


def _count_calls(number):
    made = 0

    def counted(real):
        def call(*args, **options):
            nonlocal made
            made += 1
            if made == number:
                os.kill(os.getpid(), signal.SIGKILL)
            return real(*args, **options)

        return call

    for name in CALLS:
        setattr(os, name, counted(getattr(os, name)))
