"""How compiled loops are compiled."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np
import numpy.typing as npt
from numba import njit
from numba.core import event

from swapmeet.core.base.compile_watch import WATCH
from swapmeet.core.base.kernel_cache import choose_cache

if TYPE_CHECKING:
    from collections.abc import Callable

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Codes = npt.NDArray[np.int32]

_Function = TypeVar("_Function", bound="Callable[..., Any]")


_seen: set[Path] = set()


def kernel(function: _Function) -> _Function:
    """Compile once, keep the machine code on disk, run without the interpreter lock."""
    folder = Path(function.__code__.co_filename).parent
    if folder not in _seen:
        _seen.add(folder)
        forget_stale_code(folder)
    dispatcher: Any = njit(nogil=True)(function)
    dispatcher._cache = choose_cache(function)  # noqa: SLF001
    return cast("_Function", dispatcher)


def forget_stale_code(folder: Path) -> None:
    """Delete kept machine code in `folder` that is older than a source file there, or than this.

    A kernel's machine code contains the kernels it calls, but numba looks only at the kernel's own
    file to tell whether it is out of date.
    """
    sources = [*folder.glob("*.py"), Path(__file__)]
    newest = max(source.stat().st_mtime_ns for source in sources)
    for kept in (folder / "__pycache__").glob("*.nb[ic]"):
        try:
            if kept.stat().st_mtime_ns < newest:
                kept.unlink()
        except OSError:
            continue


class _CompileListener(event.Listener):
    """Hears from numba which function is being compiled; other people's are none of ours."""

    def on_start(self, event: Any) -> None:
        if _is_own(event):
            WATCH.begin()

    def on_end(self, event: Any) -> None:
        if _is_own(event):
            WATCH.end()


def _is_own(event: Any) -> bool:
    function = getattr(event.data.get("dispatcher"), "py_func", None)
    return str(getattr(function, "__module__", "")).startswith("swapmeet.")


event.register("numba:compile", _CompileListener())  # type: ignore[no-untyped-call]


@kernel
def lengthen(table: Ints) -> Ints:
    """A copy with twice the room; a loop, since assignment to a slice takes seconds to compile."""
    copy = np.empty((2 * table.shape[0], table.shape[1]), np.int64)
    for i in range(table.shape[0]):
        for j in range(table.shape[1]):
            copy[i, j] = table[i, j]
    return copy
