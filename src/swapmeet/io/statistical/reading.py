"""Files of statistical packages, read in a process of their own with limits.

A damaged file of a few bytes can keep the reader of such files busy for minutes and make it take
all memory, or crash it. Its process may take much more than a file of this size ever needs, and
no more; it starts without the current folder on its path.
"""

from __future__ import annotations

import atexit
import json
import math
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import pandas as pd
import pyarrow as pa
import pyarrow.types as pt

from swapmeet.errors import FileError, UsageError
from swapmeet.io.statistical import StatisticalFormat, reader_process

MEMORY: Final = "SWAPMEET_READER_MEMORY"
SECONDS: Final = "SWAPMEET_READER_SECONDS"
"""Names of environment variables that allow a reader more, in MB and in seconds."""
_MB: Final = 10**6
_WATCHED_EVERY: Final = 0.1
_SMALL: Final = 5 * _MB
"""Bytes of a file whose reader then waits for the next; that of a large one ends."""
_IDLE: Final[list[subprocess.Popen[bytes]]] = []
_OWNERS: Final[dict[int, int]] = {}
_WAITED: Final = 10
"""Seconds of the clock for each second of work: the machine may have other things to do."""


@dataclass(frozen=True, kw_only=True)
class ReaderLimits:
    """Bytes of memory, and seconds of work."""

    memory: int
    seconds: int

    @classmethod
    def of(cls, path: Path) -> ReaderLimits:
        """Set a file's limits: 1 GB and 15 seconds, more for each byte; or a user's own."""
        size = path.stat().st_size
        return cls(
            memory=_read_variable(MEMORY) * _MB or 1000 * _MB + 300 * size,
            seconds=_read_variable(SECONDS) or 15 + size // (_MB // 10),
        )


def read_apart(
    kind: StatisticalFormat, path: Path, encoding: str | None, **options: Any
) -> tuple[pd.DataFrame, Any]:
    """The cells of a file as stored, and what it says of them, as pyreadstat gives them."""
    limits = ReaderLimits.of(path)
    given = {"encoding": encoding, "disable_datetime_conversion": True, **options}
    request = {
        "reader": kind.reader, "path": str(path.absolute()), "options": given,
        "memory": limits.memory, "seconds": limits.seconds,
    }  # fmt: skip
    code, table, exceeded = _ask(request, limits, keep=path.stat().st_size < _SMALL)
    if table is None:
        raise _explain(kind, path, limits, code, exceeded)
    return _restore(table)


def _ask(
    request: dict[str, Any], limits: ReaderLimits, *, keep: bool
) -> tuple[int, pa.Table | None, list[str]]:
    """Result of the reader: how it ended, its table, and what it took too much of."""
    process, answered = _find_process(), False
    try:
        with _watch(process, limits) as exceeded:
            code, table = _converse(process, request)
        answered = code == reader_process.DAMAGED or table is not None
        return code, table, exceeded
    finally:
        if answered and keep:
            _IDLE.append(process)
        else:
            _end(process)


def _converse(process: subprocess.Popen[bytes], request: dict[str, Any]) -> tuple[int, Any]:
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(json.dumps(request).encode() + b"\n")
        process.stdin.flush()
        said = process.stdout.readline()
        if said.strip() == b"0":
            with pa.ipc.open_stream(process.stdout) as stream:
                return 0, stream.read_all()
    except (pa.ArrowException, OSError, EOFError):
        said = b""
    return int(said) if said else process.wait(), None


def _find_process() -> subprocess.Popen[bytes]:
    """A reader that waits, or a new one; those of a process that this one was forked from go on."""
    while _IDLE:
        process = _IDLE.pop()
        if process.poll() is None and _OWNERS.get(process.pid) == os.getpid():
            return process
    command = [sys.executable, "-P", str(Path(reader_process.__file__))]
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        env={**os.environ, **threads},
    )  # fmt: skip
    _OWNERS[process.pid] = os.getpid()
    return process


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()


@atexit.register
def _end_all() -> None:
    while _IDLE:
        _end(_IDLE.pop())


@contextmanager
def _watch(process: subprocess.Popen[bytes], limits: ReaderLimits) -> Iterator[list[str]]:
    """Kill the process where it takes too much; the list says of what."""
    exceeded: list[str] = []
    over, begin = threading.Event(), time.monotonic()

    def look() -> None:
        while not over.wait(_WATCHED_EVERY):
            if time.monotonic() - begin > _WAITED * limits.seconds:
                exceeded.append("seconds")
            elif measure_memory(process) > limits.memory + 300 * _MB:
                exceeded.append("memory")
            if exceeded:
                process.kill()
                return

    watcher = threading.Thread(target=look, daemon=True)
    watcher.start()
    try:
        yield exceeded
    finally:
        over.set()
        watcher.join()


def _explain(
    kind: StatisticalFormat, path: Path, limits: ReaderLimits, code: int, exceeded: list[str]
) -> FileError:
    if code == reader_process.TOO_LARGE or "memory" in exceeded:
        return _limit_error(path, f"{limits.memory // _MB} MB of memory", MEMORY)
    if "seconds" in exceeded or -code == _CPU_SIGNAL:
        return _limit_error(path, f"{limits.seconds} seconds", SECONDS)
    if code == reader_process.DAMAGED:
        return damage_error(kind, path)
    return FileError(
        f"{path}: the reader of {kind.title} files broke down on it; the file is probably damaged. "
        "Save it again, or as another format."
    )


_CPU_SIGNAL: Final = 24


def _limit_error(path: Path, what: str, variable: str) -> FileError:
    return FileError(
        f"{path}: takes more than {what} to read, far more than a file of this size should; "
        f"it is probably damaged. If it is not, allow more by the environment variable {variable}."
    )


def damage_error(kind: StatisticalFormat, path: Path) -> FileError:
    """Message about a file that cannot be read."""
    return FileError(f"{path}: is not a readable {kind.title} file, or it is cut off.")


def _restore(table: pa.Table) -> tuple[pd.DataFrame, Any]:
    said = json.loads(table.schema.metadata[b"said"])
    metadata, mixed = SimpleNamespace(**decode(said["metadata"])), set(said["mixed"])
    kinds = metadata.readstat_variable_types
    columns = {
        name: _to_series(column, is_mixed=name in mixed, is_text=kinds.get(name) == "string")
        for name, column in zip(table.column_names, table.columns, strict=True)
    }
    return pd.DataFrame(columns), metadata


def _to_series(column: Any, *, is_mixed: bool, is_text: bool) -> pd.Series[Any]:
    """A column in the type that pyreadstat gives it: missing is NaN, but for text."""
    if is_mixed:
        cells = [json.loads(cell) for cell in column.to_pylist()]
        return pd.Series([math.nan if cell is None else cell for cell in cells], dtype=object)
    if pt.is_string(column.type) or (pt.is_null(column.type) and (is_text or not len(column))):
        return pd.Series(column.to_pylist())
    numbers = column.cast(pa.float64()) if column.null_count else column
    return pd.Series(numbers.to_numpy(zero_copy_only=False))


def decode(thing: Any) -> Any:
    """The inverse of `reader_process.encode`.

    >>> decode({"dict": [[1.0, ["one"]]]})
    {1.0: ['one']}
    """
    if isinstance(thing, list):
        return [decode(each) for each in thing]
    if not isinstance(thing, dict):
        return thing
    if "moment" in thing:
        return datetime.fromisoformat(thing["moment"])
    return {decode(key): decode(value) for key, value in thing["dict"]}


def _read_variable(name: str) -> int:
    text = os.environ.get(name, "0")
    if not text.isdecimal():
        raise UsageError(f"environment variable {name} must be a whole number.")
    return int(text)


def measure_memory(process: subprocess.Popen[bytes]) -> int:
    """Bytes that a process takes; 0 where that cannot be told."""
    try:
        return _ASK.get(sys.platform, _ask_ps)(process.pid)
    except (OSError, ValueError, IndexError):
        return 0


def _read_proc(pid: int) -> int:
    import resource

    return (
        int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
        * resource.getpagesize()
    )


def _ask_ps(pid: int) -> int:
    command = ["/bin/ps", "-o", "rss=", "-p", str(pid)]
    said = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    return int(said.split()[0]) * 1024


def _ask_windows(pid: int) -> int:
    """The memory that is promised to a process, by PROCESS_MEMORY_COUNTERS.PagefileUsage."""
    import ctypes

    kernel: Any = ctypes.__dict__["windll"].kernel32

    class Counters(ctypes.Structure):
        _fields_ = (
            ("cb", ctypes.c_uint32),
            ("PageFaultCount", ctypes.c_uint32),
            *((f"size_{place}", ctypes.c_size_t) for place in range(8)),
        )

    counters = Counters(cb=ctypes.sizeof(Counters))
    kernel.OpenProcess.restype = ctypes.c_void_p
    handle = ctypes.c_void_p(kernel.OpenProcess(_LOOK, False, pid))  # noqa: FBT003
    try:
        kernel.K32GetProcessMemoryInfo(handle, ctypes.byref(counters), counters.cb)
    finally:
        kernel.CloseHandle(handle)
    return int(counters.size_6)


_ASK: Final = {"linux": _read_proc, "win32": _ask_windows}
_LOOK: Final = 0x1000
"""The right to ask for facts about a process, PROCESS_QUERY_LIMITED_INFORMATION."""
