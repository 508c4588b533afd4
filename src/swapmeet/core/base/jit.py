"""Compilation of loops."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np
from numba import njit
from numba.core import event

from swapmeet.core.base.compile_watch import WATCH
from swapmeet.core.base.kernel_cache import KernelCache

if TYPE_CHECKING:
    from collections.abc import Callable

    from swapmeet.core.base.arrays import Ints


_Function = TypeVar("_Function", bound="Callable[..., Any]")


def kernel(function: _Function) -> _Function:
    """Compile once, keep the machine code on disk, run without the interpreter lock."""
    dispatcher: Any = njit(nogil=True)(function)
    dispatcher._cache = KernelCache(function)  # noqa: SLF001
    return cast("_Function", dispatcher)


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
