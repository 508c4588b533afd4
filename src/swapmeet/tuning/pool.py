"""Processes that make trials side by side.

A trial is much Python around short kernels, so threads would wait for each other. The processes are
started afresh rather than forked or spawned, so that a script needs no guard around its main part.
They talk through pipes, and end when the pipe does: none outlives the search.
"""

from __future__ import annotations

import pickle
import subprocess
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import IO, TYPE_CHECKING, Any, Protocol, cast

from swapmeet.base.compile_watch import start_module
from swapmeet.tuning.trial import Setting, Trial

if TYPE_CHECKING:
    from swapmeet.tuning.trial_runner import TrialRunner

PROCESS_ENDED = "the process of this trial ended unexpectedly; perhaps memory ran out."
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


class Pool(Protocol):
    """A pool of processes that makes `size` trials at a time."""

    size: int

    def submit(self, *job: Any) -> Future[Trial]: ...

    def close(self) -> None: ...


class InProcess:
    """One trial at a time, in this process."""

    size = 1

    def __init__(self, runner: TrialRunner) -> None:
        self._runner = runner.with_shared_work()

    def submit(self, *job: Any) -> Future[Trial]:
        """Make the trial, now."""
        from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

        future: Future[Trial] = Future()
        with threadpool_limits(1, "blas"):
            future.set_result(self._runner.make(*job))
        return future

    def close(self) -> None:
        """Nothing is left open."""


class ProcessPool:
    """As many processes as trials at a time, each with its own copy of the table."""

    def __init__(self, runner: TrialRunner, size: int) -> None:
        self.size = size
        self._runner = pickle.dumps(runner, protocol=pickle.HIGHEST_PROTOCOL)
        self._threads = ThreadPoolExecutor(size)
        self._own = threading.local()
        self._started: list[subprocess.Popen[bytes]] = []
        self._closed = False

    def submit(self, *job: Any) -> Future[Trial]:
        """Have a process make the trial."""
        return self._threads.submit(self._make_trial, *job)

    def close(self) -> None:
        """End all processes; trials in flight are lost."""
        self._closed = True
        for process in self._started:
            process.kill()
        self._threads.shutdown(cancel_futures=True)
        for process in self._started:
            for pipe in (process.stdin, process.stdout):
                with suppress(OSError):
                    cast("IO[bytes]", pipe).close()
            process.wait()

    def _make_trial(self, setting: Setting, repeat: int, check: bool = False) -> Trial:  # noqa: FBT001, FBT002
        try:
            process = self._process()
            pickle.dump((setting, repeat, check), cast("IO[bytes]", process.stdin))
            cast("IO[bytes]", process.stdin).flush()
            return cast("Trial", pickle.load(cast("IO[bytes]", process.stdout)))
        except (EOFError, OSError, pickle.UnpicklingError):
            self._own.process = None
            return Trial(setting, repeat, 0.0, {}, PROCESS_ENDED, check=check)

    def _process(self) -> subprocess.Popen[bytes]:
        """The process of this thread; a new one where there is none, or none any more."""
        process: subprocess.Popen[bytes] | None = getattr(self._own, "process", None)
        if process is None:
            if self._closed:
                raise EOFError
            process = self._own.process = _start()
            self._started.append(process)
            cast("IO[bytes]", process.stdin).write(self._runner)
        return process


def _start() -> subprocess.Popen[bytes]:
    """Start a worker, which Ctrl-C does not reach."""
    return start_module(
        "swapmeet.tuning.worker",
        environment=_ONE_THREAD,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
        creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
    )
