"""The author's random queries, asked of many releases at once.

All tables are counted by race, education, sex, age and occupation first; a query then adds up a
part of the counts. The measure `queries` asks the same queries of one release (`sizes`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from parts.kl_theta.tables import KEYS, SENSITIVE, read_adult

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt
    import pandas as pd

    Counts = npt.NDArray[np.int32]
    Floats = npt.NDArray[np.float64]

DEFAULT = {"race": 3, "education": 8, "sex": 2, "age": 35}
"""How many values a query selects; of ages, how many years lie between the first and the last."""
QUERIES = 1_000


@dataclass(frozen=True, kw_only=True)
class Cube:
    """Counts of tables of the same people, and the values along each side."""

    counts: Counts
    """By age, table, race, education, sex and occupation, of all people younger than the age of
    this place; the first table is the original."""
    ages: npt.NDArray[np.int64]

    @classmethod
    def of(cls, tables: Sequence[pd.DataFrame]) -> Cube:
        """The original and its releases."""
        sides = [_find_values(name) for name in (*KEYS, SENSITIVE)]
        shape = tuple(map(len, sides))
        counted = []
        for table in tables:
            codes = [
                np.searchsorted(side, table[name].to_numpy().astype(side.dtype))
                for side, name in zip(sides, (*KEYS, SENSITIVE), strict=True)
            ]
            places = np.ravel_multi_index(codes, shape)
            counted.append(np.bincount(places, minlength=np.prod(shape)).reshape(shape))
        by_age = np.moveaxis(np.stack(counted), 4, 0).astype(np.int32)
        below = np.zeros((1, *by_age.shape[1:]), np.int32)
        return cls(counts=np.concatenate([below, by_age.cumsum(axis=0)]), ages=sides[3])

    def ask(self, sizes: Mapping[str, int], queries: int, seed: int) -> Floats:
        """The sum of χ² errors of each release over random queries."""
        generator = np.random.default_rng(seed)
        errors = np.zeros(self.counts.shape[1] - 1)
        for _ in range(queries):
            races, educations, sexes = (
                generator.choice(self.counts.shape[side + 2], sizes[key], replace=False)
                for side, key in enumerate(KEYS[:3])
            )
            first, last = self._draw_window(sizes["age"], generator)
            within = (self.counts[last] - self.counts[first])[:, races][:, :, educations]
            errors += _compare(within[:, :, :, sexes].sum(axis=(1, 2, 3)))
        return errors

    def _draw_window(self, width: int, generator: np.random.Generator) -> tuple[int, int]:
        starts = self.ages[self.ages <= max(self.ages[-1] - width, self.ages[0])]
        low = generator.choice(starts)
        return int(np.searchsorted(self.ages, low)), int(
            np.searchsorted(self.ages, low + width, side="right")
        )


@cache
def _find_values(name: str) -> npt.NDArray[np.generic]:
    column = read_adult()[name].to_numpy()
    return np.unique(column if column.dtype.kind in "iu" else column.astype(str))


def _compare(found: Counts) -> Floats:
    """Σ (x − y)² / (x + y) over occupations, of each release."""
    before, after = found[0].astype(float), found[1:].astype(float)
    total = np.maximum(before + after, 1.0)
    return ((before - after) ** 2 / total).sum(axis=1)
