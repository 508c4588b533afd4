"""Values as codes that people and released rows share."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

    Ints = npt.NDArray[np.int64]
    Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, repr=False, eq=False)
class SharedCodes:
    """The code of each person's value, and of each released one; `count` codes in all."""

    people: Ints
    rows: Ints
    count: int

    def __repr__(self) -> str:
        return f"<SharedCodes of {self.count} values>"

    @cached_property
    def chances(self) -> Floats:
        """The share of released rows that hold each value."""
        return np.bincount(self.rows, minlength=self.count) / max(len(self.rows), 1)

    @cached_property
    def _order(self) -> tuple[Ints, Ints]:
        order = np.argsort(self.people, kind="stable")
        return order, np.searchsorted(self.people[order], np.arange(self.count + 1))

    def find_people(self, code: int) -> Ints:
        """Everybody who has this value."""
        order, starts = self._order
        return order[starts[code] : starts[code + 1]]


def code_both(people: Iterable[npt.NDArray[Any]], rows: Iterable[npt.NDArray[Any]]) -> SharedCodes:
    """Codes of the combinations of values in some columns; a missing value is a value.

    >>> codes = code_both([np.array([5.0, 7.0, np.nan])], [np.array([7.0, np.nan, 5.0])])
    >>> codes.people.tolist(), codes.rows.tolist()
    ([0, 1, 2], [1, 2, 0])
    """
    pairs = list(zip(people, rows, strict=True))
    n = len(pairs[0][0])
    labels = np.zeros(n + len(pairs[0][1]), np.int64)
    for one, other in pairs:
        codes = np.unique(np.concatenate([one, other]), return_inverse=True)[1]
        labels = labels * (int(codes.max(initial=0)) + 1) + codes
        labels = np.unique(labels, return_inverse=True)[1]
    return SharedCodes(labels[:n], labels[n:], int(labels.max(initial=-1)) + 1)
