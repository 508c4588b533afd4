"""Counts of the values of a column, before and after."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np

from swapmeet.base.arrays import Counts, Floats
from swapmeet.comparison.comparison import Comparison
from swapmeet.measures.side_by_side.bins import (
    LEAST,
    are_whole,
    calendar_edges,
    count_in_bins,
    even_edges,
    even_ratios,
    is_skewed,
    is_small,
    join_small_bins,
    write_moment,
)
from swapmeet.tables.microdata import Variable
from swapmeet.tables.schema import Kind

Pair = tuple[Variable, Variable]

MOST_LEVELS = 20
"""So many levels are counted on their own; the others together."""
OTHERS, MISSING = "others", "missing"
PARTED = 10_000


@dataclass(frozen=True)
class Distribution:
    """The rows in each group of a column's values, in both tables.

    Columns with numbers have bins: `edges` are the inner ones, an edge belongs to the bin above it,
    and the outermost bins are open; `whole` says whether all numbers are whole, `by_ratio` whether
    edges grow by ratios, and `seconds` is the unit of dates, which count from 1970. Nominal columns
    have no edges: their levels are in the order of their frequency in the original and are called
    by their rank, and rare ones are counted together; `names` has their values, for pictures that
    insiders ask for, and never becomes text or JSON by itself. Missing values are a group of their
    own, or counted with the last one where they are few. No count is from 1 to `least` - 1; a table
    of fewer rows has no groups at all.
    """

    column: str
    kind: str
    edges: tuple[float, ...] | None
    labels: tuple[str, ...]
    original: tuple[int, ...]
    released: tuple[int, ...]
    least: int = LEAST
    whole: bool = False
    by_ratio: bool = False
    seconds: float | None = None
    names: tuple[str, ...] = field(default=(), repr=False, compare=False)

    @property
    def misplaced(self) -> float:
        """The share of rows that would have to change group to make both tables the same."""
        one, other = (np.array(c) / max(sum(c), 1) for c in (self.original, self.released))
        return float(np.abs(one - other).sum() / 2.0)

    def to_dict(self) -> dict[str, Any]:
        """For machines, without the values of categories."""
        return {name: value for name, value in asdict(self).items() if name != "names"}

    def rename(self, labels: Mapping[str, str]) -> Distribution:
        """With labels instead of the values that they stand for."""
        return replace(self, names=tuple(labels.get(name, name) for name in self.names))

    def coarse(self) -> Distribution:
        """For the public: counts to the nearest multiple of the least, and no values."""
        original, released = (
            tuple(self.least * round(count / self.least) for count in counts)
            for counts in (self.original, self.released)
        )
        return replace(self, original=original, released=released, names=())


def compare_distribution(
    comparison: Comparison, column: str, *, least: int = LEAST
) -> Distribution:
    """The distribution of a column of both tables."""
    pair = comparison.original[column], comparison.released[column]
    nominal = pair[0].kind is Kind.NOMINAL
    groups = _by_level(pair, least) if nominal else _by_number(pair, least)
    if not is_small(np.array([groups.original, groups.released]), least):
        return groups
    return replace(
        groups, edges=None if nominal else (), labels=(), original=(), released=(), names=()
    )


def _by_number(pair: Pair, least: int) -> Distribution:
    present = [variable.values[~variable.missing] for variable in pair]
    both = np.concatenate(present)
    seconds, whole = pair[0].seconds, are_whole(both)
    by_ratio = seconds is None and is_skewed(both)
    every = _choose_edges(both, seconds, by_ratio=by_ratio)
    counts = np.stack([count_in_bins(values, every) for values in present], axis=1)
    missing = _missing(pair)
    pooled = _is_pooled(missing, counts, least)
    if pooled:
        counts = np.vstack([counts, missing])
    starts = join_small_bins(counts, least)
    counts = np.add.reduceat(counts, starts)
    edges = tuple(every[start - 1] for start in starts[1:])
    names = _name_periods(edges, seconds) if seconds else _names_of_bins(edges, whole=whole)
    labels, counts = _ended(names, counts, missing, pooled=pooled)
    return Distribution(
        *_named(pair), edges, labels, *_tables(counts), least, whole, by_ratio, seconds
    )


def _choose_edges(values: Floats, seconds: float | None, *, by_ratio: bool) -> list[float]:
    if seconds:
        return calendar_edges(values, seconds)
    return even_ratios(values) if by_ratio else even_edges(values)


def _by_level(pair: Pair, least: int) -> Distribution:
    levels = pair[0].levels
    counts = np.stack([np.bincount(v.values[~v.missing], minlength=levels) for v in pair], axis=1)
    order = np.lexsort((-counts[:, 1], -counts[:, 0]))
    missing = _missing(pair)
    pooled = _is_pooled(missing, counts, least)
    large = [code for code in order if counts[code].any() and not is_small(counts[code], least)]
    large = large[:MOST_LEVELS]
    shown = [counts[code] for code in large]
    rest = counts.sum(axis=0) - sum(shown) + missing * pooled
    while shown and is_small(rest, least):
        rest = rest + shown.pop()
    ranks = [name_rank(number) for number in range(1, len(shown) + 1)]
    values = _list_values(pair[0], large[: len(shown)])
    others = [OTHERS] if rest.any() else []
    table = np.array([*shown, *([rest] if others else [])], np.int64).reshape(-1, 2)
    labels, ended = _ended([*ranks, *others], table, missing, pooled=pooled)
    names = (*values, *labels[len(values) :]) if values else ()
    return Distribution(*_named(pair), None, labels, *_tables(ended), least, names=names)


def _list_values(variable: Variable, codes: Sequence[int]) -> list[str]:
    """The values of some levels as text; nothing where they are not at hand."""
    if variable.dictionary is None:
        return []
    values = (variable.dictionary[int(code)].as_py() for code in codes)
    return [f"{value:g}" if isinstance(value, float) else str(value) for value in values]


def _named(pair: Pair) -> tuple[str, str]:
    return pair[0].name, str(pair[0].kind)


def _tables(counts: Counts) -> tuple[tuple[int, ...], tuple[int, ...]]:
    return tuple(counts[:, 0].tolist()), tuple(counts[:, 1].tolist())


def _missing(pair: Pair) -> Counts:
    return np.array([int(variable.missing.sum()) for variable in pair])


def _is_pooled(missing: Counts, present: Counts, least: int) -> bool:
    """Return whether missing values are counted with others, as they or the others are few."""
    few = is_small(missing, least) or is_small(present.sum(axis=0), least)
    return bool(missing.any()) and few


def _ended(
    names: list[str], counts: Counts, missing: Counts, *, pooled: bool
) -> tuple[tuple[str, ...], Counts]:
    """The groups, with what is said about missing values at the end."""
    if pooled:
        return (*names[:-1], f"{names[-1]} or {MISSING}"), counts
    if missing.any():
        return (*names, MISSING), np.vstack([counts, missing])
    return tuple(names), counts


def _names_of_bins(edges: Sequence[float], *, whole: bool) -> list[str]:
    """Bins in words.

    >>> _names_of_bins([0.5, 1.5], whole=False)
    ['below 0.5', '0.5 to below 1.5', '1.5 or more']
    >>> _names_of_bins([2.0, 3.0, 10.0], whole=True)
    ['1 or less', '2', '3 to 9', '10 or more']
    """
    if not edges:
        return ["any value"]
    first = f"{_write(edges[0] - 1)} or less" if whole else f"below {_write(edges[0])}"
    between = [_name_of_bin(low, high, whole=whole) for low, high in pairwise(edges)]
    return [first, *between, f"{_write(edges[-1])} or more"]


def _name_of_bin(low: float, high: float, *, whole: bool) -> str:
    if not whole:
        return f"{_write(low)} to below {_write(high)}"
    return _write(low) if high - low == 1.0 else f"{_write(low)} to {_write(high - 1)}"


def _write(edge: float) -> str:
    """Thousands are parted from 10,000 on: 1950 may be a year."""
    return f"{edge:,.10g}" if abs(edge) >= PARTED else f"{edge:.10g}"


def _name_periods(edges: Sequence[float], seconds: float) -> list[str]:
    """Bins of dates in words.

    >>> _name_periods([11323.0, 11688.0], 86_400.0)
    ['before 2001', '2001 to before 2002', '2002 or later']
    """
    if not edges:
        return ["any value"]
    dates = [write_moment(edge, seconds) for edge in edges]
    between = [f"{low} to before {high}" for low, high in pairwise(dates)]
    return [f"before {dates[0]}", *between, f"{dates[-1]} or later"]


def name_rank(number: int) -> str:
    """A place in an order.

    >>> [name_rank(number) for number in (1, 2, 3, 4, 11, 12, 13, 21)]
    ['1st', '2nd', '3rd', '4th', '11th', '12th', '13th', '21st']
    """
    teens = 11 <= number % 100 <= 13
    ending = "th" if teens else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"
