"""Releases by MEWS and MEDS with a given number of groups, and what their notes say."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import swapmeet as sm

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd


class Partition(NamedTuple):
    """What the notes of a release say of its groups."""

    degree: int
    depth: int
    alone: int
    odd: int

    @property
    def exposure(self) -> float:
        """The largest chance to name a partner, for whoever knows the groups."""
        return 1.0 / max(self.depth - 1, 1)


def read_partition(release: sm.Release) -> Partition:
    """The figures of the notes: degree, smallest group, rows alone, rows left over."""
    text = " ".join(map(str, release.notes))
    degree, depth = re.search(r"partition degree (\d+), minimal depth (\d+)", text).groups()
    alone, odd = re.search(r"(\d+) of \d+ rows (?:is|are) alone in a \w+ and (\d+)", text).groups()
    return Partition(int(degree), int(depth), int(alone), int(odd))


def mask(table: pd.DataFrame, method: sm.Method, seed: int) -> sm.Release:
    """A release of a table of numbers."""
    schema = sm.Schema.infer(table).assign(numeric=list(table))
    return sm.mask(table, method, schema=schema, seed=seed)


def find_bins(table: pd.DataFrame, columns: Sequence[str], degree: int) -> int:
    """The number of intervals whose cells that hold rows are nearest to a degree."""
    bins = np.arange(2, 401)
    degrees = [count_cells(table, columns, one) for one in bins]
    return int(bins[np.argmin(np.abs(np.array(degrees) - degree))])


def count_cells(table: pd.DataFrame, columns: Sequence[str], bins: int) -> int:
    """Cells that hold rows."""
    return len(np.unique(place(table, columns, bins, table)))


def place(table: pd.DataFrame, columns: Sequence[str], bins: int, grid: pd.DataFrame) -> np.ndarray:
    """The cell of each row in an equi-width grid over the range of `grid`."""
    cell = np.zeros(len(table), np.int64)
    for name in columns:
        low, high = grid[name].min(), grid[name].max()
        own = np.floor((table[name].to_numpy() - low) / (high - low) * bins).astype(np.int64)
        cell = cell * bins + np.clip(own, 0, bins - 1)
    return cell
