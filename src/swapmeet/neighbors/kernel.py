"""How the compiled loops of this package are compiled."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np
import numpy.typing as npt
from numba import njit

if TYPE_CHECKING:
    from collections.abc import Callable

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Codes = npt.NDArray[np.int32]

_Function = TypeVar("_Function", bound="Callable[..., Any]")


def kernel(function: _Function) -> _Function:
    """Compile once, keep the machine code on disk, run without the interpreter lock."""
    return cast("_Function", njit(nogil=True, cache=True)(function))


@kernel
def longer(table: Ints) -> Ints:
    """A copy with twice the room; a loop, since assignment to a slice takes seconds to compile."""
    copy = np.empty((2 * table.shape[0], table.shape[1]), np.int64)
    for i in range(table.shape[0]):
        for j in range(table.shape[1]):
            copy[i, j] = table[i, j]
    return copy


def _forget_stale_code(folder: Path) -> None:
    """Delete kept machine code that is older than any source file here.

    A kernel's machine code contains the kernels it calls, but numba looks only at the kernel's own
    file to tell whether it is out of date.
    """
    newest = max(source.stat().st_mtime_ns for source in folder.glob("*.py"))
    for kept in (folder / "__pycache__").glob("*.nb[ic]"):
        try:
            if kept.stat().st_mtime_ns < newest:
                kept.unlink()
        except OSError:
            continue


_forget_stale_code(Path(__file__).parent)
