"""Memory that was freed, which the C library keeps for itself until it is told otherwise."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def return_freed_memory() -> None:
    """Give what was freed back to the system, where the C library can (glibc).

    Every thread frees into a store of its own, from which others do not take: work that wanders
    between threads needs several times its memory otherwise.
    """
    trim = _find_trim()
    if trim is not None:
        trim(0)


@cache
def _find_trim() -> Callable[[int], int] | None:
    try:
        found: Callable[[int], int] = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):
        return None
    return found
