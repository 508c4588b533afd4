"""Memory that another process takes, on each system, without a library."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any, Final


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
