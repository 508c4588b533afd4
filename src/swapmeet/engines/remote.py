"""Comparisons whose rows are not in memory: on a disk, or in a cluster."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from swapmeet.comparison.comparison import Comparison
from swapmeet.comparison.values import alone

if TYPE_CHECKING:
    from collections.abc import Iterable

    from swapmeet.base.arrays import Rows


@dataclass(frozen=True, repr=False, eq=False)
class RemoteComparison(Comparison):
    """A comparison of `size` rows that are elsewhere.

    `original` and `released` have no rows, only columns and what is known of all their rows.
    """

    size: int = field(kw_only=True)

    @property
    def in_memory(self) -> bool:
        return False

    @property
    def n(self) -> int:
        return self.size

    @property
    def most_sampled(self) -> int:
        """None beyond what every measure has, where nobody says what the memory holds."""
        return 0

    def add_weight(self, names: Iterable[str] | None) -> tuple[str, ...]:
        """The columns that a piece has: those named, or all, and the weight."""
        if names is None:
            return self.original.names
        weight = self.original.weight
        return tuple(dict.fromkeys((*names, *([] if weight is None else [weight.name]))))

    def sample(self, rows: Rows) -> Comparison:
        small = self.pick_rows(rows)
        one, other = (alone(data) for data in (small.original, small.released))
        return replace(
            small, original=one, released=other, keys=self.keys, level=self.level,
            provenance=self.sample_provenance(rows),
        )  # fmt: skip
