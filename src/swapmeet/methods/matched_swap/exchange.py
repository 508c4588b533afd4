"""Base of methods that let values trade inside groups so that relations stay."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from swapmeet.algorithms.encode import Space
from swapmeet.base.arrays import Ints
from swapmeet.base.notes import MergeableNote, list_counts, max_by_column
from swapmeet.base.parallel import Workers
from swapmeet.base.seeds import Streams
from swapmeet.base.sentences import percent
from swapmeet.tables.microdata import Microdata

if TYPE_CHECKING:
    from swapmeet.methods.matched_swap.trading import Features, Matching
    from swapmeet.methods.matched_swap.trading.matching import Remainder

BLOCK = 1_000
"""Relations are matched in blocks of about so many rows that are near in space."""
CAP = 0.1
"""The share of a row's values that may come from one person, unless chance often gives more."""

LEAST_BOUND = 1e-4
"""Smallest number that is given as a bound, unless it is 0."""
FEW_COLUMNS = 12
"""For more columns than these, counts are given as one."""

PULLED_BACK = (
    "Values are exchanged so that relations stay. What an intruder knows about a row therefore "
    "makes some values of its group more likely than others, as in the original."
)
"""The caution of a method that exchanges so while other columns stay in place."""


class Exchange(NamedTuple):
    """Match donors, (rows, units), and what is left of the gap; rows in no group stay."""

    donors: Ints
    facts: tuple[str, ...]


def exchange_units(
    data: Microdata,
    labels: Ints,
    units: Sequence[Sequence[str]],
    streams: Streams,
    workers: Workers,
) -> Exchange:
    """Let each unit of columns trade as one inside groups, while all other columns stay.

    The relations of pairs of columns are kept, over all rows that are in a group (-1 is none)
    and no more than these: where some columns stay, each relation more, such as those of parts of
    the table, leaves fewer arrangements and brings more values back to their own row.
    """
    from swapmeet.methods.matched_swap.trading import (
        Groups,
        Keeping,
        encode_features,
        match_within_groups,
    )

    donors = np.repeat(np.arange(data.n)[:, np.newaxis], len(units), axis=1)
    rows = np.flatnonzero(labels >= 0)
    if not len(rows):
        return Exchange(donors, ())
    some, own = data.block(rows), np.unique(labels[rows], return_inverse=True)[1]
    features = encode_features(some, Keeping(), units)
    groups = Groups(own, np.zeros(int(own.max()) + 1, np.int64))
    matching = match_within_groups(groups, features, len(units), streams.within("matched"), workers)
    donors[rows] = rows[matching.donors]
    return Exchange(donors, (note_remainder(matching.remainder, len(rows)),))


def exchange_columns(
    data: Microdata, labels: Ints, k: int, space: Space, streams: Streams, workers: Workers
) -> Exchange:
    """Let each column trade by itself inside groups, so that relations stay.

    Groups of fewer than `k` rows take no part: they have no room for the limit on the values of
    one person in a row, and would lift it for all. Their rows stay.
    """
    from swapmeet.methods.matched_swap.trading import (
        Groups,
        Keeping,
        encode_features,
        match_within_groups,
    )

    columns = len(data.variables)
    donors = np.repeat(np.arange(data.n)[:, np.newaxis], columns, axis=1)
    rows = np.flatnonzero(np.bincount(labels)[labels] >= k)
    if not len(rows):
        return Exchange(donors, ())
    some, own = data.block(rows), np.unique(labels[rows], return_inverse=True)[1]
    features = encode_features(some, Keeping(classes=True))
    groups = Groups(own, gather_blocks(some, own, space))
    limit = find_limit(columns, k)
    matching = match_within_groups(groups, features, limit, streams.within("matched"), workers)
    donors[rows] = rows[matching.donors]
    facts = list_matching_facts(matching, len(groups.blocks))
    return Exchange(donors, (*facts, *list_oddities(features)))


def find_limit(columns: int, k: int, cap: float = CAP) -> int:
    """The largest number of cells of one person in a row.

    Never below what chance seldom exceeds, two standard deviations above the mean of a group of k:
    rows that are full for a person show that what is still unknown is in the others.

    >>> find_limit(9, 2), find_limit(9, 10), find_limit(9, 10, cap=0.5)
    (7, 2, 4)
    """
    mean = columns / k
    by_chance = mean + 2.0 * math.sqrt(mean * (1.0 - 1.0 / k))
    return max(2, int(cap * columns + 1e-9), int(by_chance))


def gather_blocks(data: Microdata, labels: Ints, space: Space) -> Ints:
    """The block of each group."""
    from swapmeet.methods.matched_swap.similar import gather_groups

    if data.n < 2 * BLOCK:
        return np.zeros(int(labels.max(initial=-1)) + 1, np.int64)
    return gather_groups(space.within(data.names).points(data), labels, BLOCK)


def list_units(data: Microdata) -> list[tuple[str, ...]]:
    """List what trades by itself: each column, or each set of columns that belong together."""
    sets = {name: one for one in data.together for name in one}
    return list(dict.fromkeys(sets.get(name, (name,)) for name in data.names))


def spread_units(donors: Ints, units: Sequence[Sequence[str]], data: Microdata) -> Ints:
    """The donors of units, (rows, units), as those of columns."""
    unit_of = {name: at for at, names in enumerate(units) for name in names}
    return donors[:, [unit_of[name] for name in data.names]]


def list_matching_facts(
    matching: Matching, groups: int, columns: int | None = None
) -> Iterator[MergeableNote]:
    """Note for the curator about two columns and more that traded in so many groups.

    With more `columns` than trade by themselves, some belong together.
    """
    rows, units = matching.donors.shape
    if units < 2 or not rows:
        return
    yield MergeableNote.of(
        _say_together,
        {"limit": max, "mean": sum, "highest": sum, "groups": sum},
        rows=rows,
        columns=units,
        joint=units < (columns or units),
        limit=matching.limit,
        mean=float(matching.together.mean()) * rows,
        highest=float(matching.together.max()) * rows,
        groups=groups,
    )
    yield note_remainder(matching.remainder, rows)


def list_oddities(features: Features) -> Iterator[str]:
    """Note for the curator about relations that are not kept, or that there are none."""
    if len(features.begins) == 2:
        what = "column" if len(np.unique(features.columns)) < 2 else "set of columns"
        yield f"one {what} only: there are no relations to keep, and its values are permuted."
    if features.pooled:
        yield MergeableNote.of(
            _say_pooled, {"counts": max_by_column, "parts": sum}, counts=features.pooled, parts=1
        )


def note_remainder(left: Remainder, rows: int) -> MergeableNote:
    """Note for the curator about relations, for a block of so many rows."""
    figures = {name: figure * rows for name, figure in left._asdict().items()}
    return MergeableNote.of(_say_remainder, dict.fromkeys(figures, sum), rows=rows, **figures)


def _say_remainder(rows: int, correlation: float, means: float, table: float) -> str:
    """The figures are those of blocks, times their rows.

    The gap of the whole is the mean of the gaps of its blocks, by rows, and so no larger than the
    mean of their sizes.
    """
    figures = (left / max(rows, 1) for left in (correlation, means, table))
    correlation, means, table = (round_up(figure) for figure in figures)
    return (
        f"relations between columns: correlations differ by at most {_say_bound(correlation)}, "
        f"means of numbers by category by at most {_say_bound(means)} standard deviations, tables "
        f"of two columns in at most {_say_bound(100 * table)} % of the rows."
    )


def _say_bound(bound: float) -> str:
    """A bound without a power of ten: what is below 0.0001 is also bounded by that."""
    return f"{max(bound, LEAST_BOUND):g}" if bound else "0"


def _say_together(
    rows: int, columns: int, limit: int, mean: float, highest: float, groups: int,
    *, joint: bool = False,
) -> str:  # fmt: skip
    """`mean` and `highest`, over all two columns, are times the rows, so that blocks add up."""
    mean, highest, chance = (figure / max(rows, 1) for figure in (mean, highest, groups))
    values = "values (columns that belong together count as one)" if joint else "values"
    return (
        f"no row has more than {limit} of its {columns} {values} from one person; two values of "
        f"one person meet in {percent(mean)} of rows on average (any pair of columns: at most "
        f"{percent(highest)}; chance: {percent(chance)})."
    )


def _say_pooled(counts: dict[str, int], parts: int) -> str:
    """Of several parts of a table, which are masked apart, each column's largest count."""
    many = f"{sum(counts.values())} in {len(counts)} columns"
    most = "" if parts == 1 else f", or fewer, in each of {parts} parts of the table"
    return (
        "categories that are rare, or too many, and whose relations are kept as if they were one: "
        f"{list_counts(counts) if len(counts) <= FEW_COLUMNS else many}{most}."
    )


def round_up(figure: float) -> float:
    """A bound with one digit that matters, never below the figure.

    >>> round_up(0.000138), round_up(0.2), round_up(0.0)
    (0.0002, 0.2, 0.0)
    """
    near = float(f"{figure:.0e}")
    return near if near >= figure else near + float(f"1e{math.floor(math.log10(figure))}")
