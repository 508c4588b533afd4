"""Disclosure by a sampling weight: it is published as it is, and may be as good as a name."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.base.sentences import agree, count, join_names, percent
from swapmeet.tables.role_hints import count_unique_weights

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy.typing as npt

    from swapmeet.base.arrays import Floats, Ints
    from swapmeet.comparison.comparison import Comparison

FEWEST = 5
"""Cells with fewer rows on average do not show whether a weight is the same in each by design."""
FIRST = 20_000
"""Relations that fail in so many rows are not looked for in all of them."""
MOST_KEYS = 12
"""Pairs of more columns than this are not tried."""


@dataclass(frozen=True, kw_only=True)
class WeightAsKey:
    """Count the `units` (rows or households) that have a weight no other has.

    `cells` are the columns that decide it: someone who knows these knows the weight.
    """

    alone: int
    units: int
    in_households: bool = False
    cells: tuple[str, ...] = ()

    @property
    def share(self) -> float:
        """The share of those with a weight of their own."""
        return self.alone / max(self.units, 1)

    def describe(self, name: str) -> Iterator[str]:
        """List what a curator should know, in sentences."""
        if self.alone:
            what = "household" if self.in_households else "row"
            yield (
                f"{name}: {self.alone:,} of {count(self.units, what)} ({percent(self.share)}) "
                f"{agree(self.alone, 'has', 'have')} a weight no other {what} has. Someone who "
                "knows it, for instance from another file of the same survey, finds "
                f"{agree(self.alone, 'it', 'them')} whatever was masked. Round the weights, or "
                "group them."
            )
        if self.cells:
            yield (
                f"{name}: it depends on {join_names(self.cells)} only, so someone who knows "
                f"{agree(len(self.cells), 'this', 'these')} about a person knows the weight, "
                "which is published as it is. Linkage takes that into account."
            )


def judge_weight(
    weights: Floats, keys: Mapping[str, npt.NDArray[np.generic]], household: Ints | None = None
) -> WeightAsKey:
    """Find what weights give away; `keys` are codes or numbers that an intruder knows.

    >>> judge_weight(np.array([1.0, 1.0, 2.0, 3.0, 3.0]), {}).alone
    1
    """
    owners = weights if household is None else weights[np.unique(household, return_index=True)[1]]
    return WeightAsKey(
        alone=count_unique_weights(owners), units=len(owners), in_households=household is not None,
        cells=_find_cells(weights, keys),
    )  # fmt: skip


def judge_comparison(comparison: Comparison) -> WeightAsKey | None:
    """That of the released weights, with what the verdict's intruder knows of the original.

    None without weights, and where rows are not in memory.
    """
    weight = comparison.released.weight
    if weight is None or not comparison.in_memory:
        return None
    names = [n for n in comparison.keys or comparison.known if n != weight.name]
    keys = {name: comparison.original[name].values for name in names}
    judgement = judge_weight(weight.values, {}, comparison.released.household)
    assert comparison.weights is not None
    return replace(judgement, cells=_find_cells(comparison.weights, keys))


def _find_cells(weights: Floats, keys: Mapping[str, npt.NDArray[np.generic]]) -> tuple[str, ...]:
    """The column, or else the two, in whose cells weights do not differ; none where all are one."""
    if not len(weights) or weights.min() == weights.max():
        return ()
    some = {name: values[:FIRST] for name, values in keys.items()}
    for names in _list_candidates(list(keys)):
        if _are_decided(weights[:FIRST], [some[n] for n in names], fewest=2) and _are_decided(
            weights, [keys[n] for n in names], fewest=FEWEST
        ):
            return names
    return ()


def _list_candidates(names: list[str]) -> Iterator[tuple[str, ...]]:
    yield from ((name,) for name in names)
    if len(names) <= MOST_KEYS:
        yield from combinations(names, 2)


def _code(values: npt.NDArray[np.generic]) -> tuple[Ints, int]:
    levels, codes = np.unique(values, return_inverse=True)
    return codes.astype(np.int64), len(levels)


def _are_decided(weights: Floats, columns: Sequence[npt.NDArray[np.generic]], fewest: int) -> bool:
    """Return whether each cell has one weight only, with so many rows per cell on average."""
    labels = np.zeros(len(weights), np.int64)
    for values in columns:
        codes, count = _code(values)
        labels = labels * count + codes
    labels, cells = _code(labels)
    first = np.zeros(cells)
    first[labels] = weights
    return cells * fewest <= len(weights) and bool((first[labels] == weights).all())
