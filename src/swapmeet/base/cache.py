"""Work whose results several runs on the same data share."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, TypeVar, cast

MEMORY = 512 * 2**20
_ABSENT = object()

_Result = TypeVar("_Result")


@dataclass(frozen=True, repr=False, eq=False)
class Cache:
    """Results that runs on the same rows and strata, with other settings or seeds, need again.

    `neighbours` is the largest k for which lists of the nearest rows are worth keeping (0: none).
    Arrays of at most `memory` bytes are kept; those not asked for the longest go first. What is
    kept decides how long a run takes, never by which law it draws.

    >>> cache = Cache(neighbours=100)
    >>> cache.once("tree", lambda: "made")
    'made'
    >>> cache.once("tree", lambda: "made anew")
    'made'
    """

    neighbours: int = 0
    memory: int = MEMORY
    _kept: dict[Hashable, Any] = field(default_factory=dict, init=False)
    _turns: dict[Hashable, Lock] = field(default_factory=lambda: defaultdict(Lock), init=False)
    _lock: Lock = field(default_factory=Lock, init=False)

    def __repr__(self) -> str:
        return f"<Cache: {len(self._kept)} results of {self._used} bytes>"

    def once(self, key: Hashable, work: Callable[[], _Result]) -> _Result:
        """The result of `work` by this key, made by the first that asks while others wait.

        Work that fails leaves nothing behind: the next who asks tries again.
        """
        with self._lock:
            turn = self._turns[key]
        with turn:
            with self._lock:
                result = self._kept.get(key, _ABSENT)
            if result is _ABSENT:
                result = work()
            self._keep(key, result)
        return cast("_Result", result)

    def _keep(self, key: Hashable, result: object) -> None:
        """Put the result last, behind all that were asked for before, and make room."""
        with self._lock:
            self._kept.pop(key, None)
            self._kept[key] = result
            excess = self._used - self.memory
            for other in list(self._kept):
                if excess <= 0:
                    return
                if size := count_bytes(self._kept[other]):
                    del self._kept[other]
                    excess -= size

    @property
    def _used(self) -> int:
        return count_bytes(tuple(self._kept.values()))


def count_bytes(result: object) -> int:
    """The memory of an array, or of all arrays in a tuple."""
    if isinstance(result, tuple):
        return sum(map(count_bytes, result))
    return int(getattr(result, "nbytes", 0))
