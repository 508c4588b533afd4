"""Notice that code is compiled for the first time, which takes a while, and share that work.

Compiled loops are kept on disk, so that only the first use on a machine has to wait. A process
compiles one loop after the other; what another one has compiled meanwhile, it only loads.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from multiprocessing import parent_process
from typing import Any

PATIENCE = 1.5
"""Seconds of compiling before anything is said."""
WORDS = "compiling once; later runs start at once"


@cache
def say_in_terminal(words: str) -> None:
    """Tell people who wait at a terminal or a notebook, once; programs and workers are not told."""
    watched = sys.stderr.isatty() or "ipykernel" in sys.modules
    if words and watched and parent_process() is None:
        sys.stderr.write(f"swapmeet: {words}\n")
        sys.stderr.flush()


class CompileWatch:
    """Adds up how long our own code is being compiled, and says so if it is long.

    numba compiles one function at a time, with those that it calls inside; what is found on disk is
    not compiled. When a function is ready, it says nothing, that is, an empty text.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._began: list[float] = []
        self._spent = 0.0
        self.say: Callable[[str], None] = say_in_terminal
        self.at_first: Callable[[], None] | None = None

    def begin(self) -> None:
        """A function begins to be compiled."""
        act, self.at_first = self.at_first, None
        if act is not None:
            act()
        self._began.append(self._clock())

    def end(self) -> None:
        """A function has been compiled, perhaps as a part of another."""
        spent = self._spent + self._clock() - self._began[0]
        self._began.pop()
        if spent > PATIENCE:
            self.say(WORDS)
        if not self._began:
            self._spent = spent
            self.say("")


WATCH = CompileWatch()


@contextmanager
def announce_by(say: Callable[[str], None]) -> Iterator[None]:
    """Have it said in another way for as long as the context lasts."""
    before, WATCH.say = WATCH.say, say
    try:
        yield
    finally:
        WATCH.say = before


@contextmanager
def compile_ahead(jobs: Sequence[str]) -> Iterator[None]:
    """Have another process do these jobs of `swapmeet.warming` once this one must compile anything.

    They are best those that this process comes to last. Where everything is on disk, or there is
    one core only, nothing is started.
    """
    helpers: list[subprocess.Popen[bytes]] = []
    if jobs and (os.cpu_count() or 1) > 1:
        WATCH.at_first = lambda: helpers.append(start_compiling(jobs))
    try:
        yield
    finally:
        WATCH.at_first = None
        for helper in helpers:
            helper.kill()
            helper.wait()


def start_compiling(jobs: Sequence[str]) -> subprocess.Popen[bytes]:
    """Start a process that does these jobs of `swapmeet.warming`, and says nothing."""
    silent = subprocess.DEVNULL
    return start_module("swapmeet.warming", *jobs, stdin=silent, stdout=silent, stderr=silent)


def start_module(
    name: str, *words: str, environment: Mapping[str, str] | None = None, **options: Any
) -> subprocess.Popen[bytes]:
    """Start a process that imports from where this one does, and not from the current folder."""
    path = os.pathsep.join(filter(None, sys.path))
    return subprocess.Popen(
        [sys.executable, "-P", "-m", name, *words],
        env={**os.environ, **(environment or {}), "PYTHONPATH": path},
        **options,
    )
