"""What methods share that let values trade inside groups such that relations stay."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from swapmeet.core.base.notes import MergeableNote

if TYPE_CHECKING:
    from collections.abc import Sequence

    from swapmeet.algorithms.exchange.matched.remainder import Remainder
    from swapmeet.core.base.jit import Ints
    from swapmeet.core.base.parallel import Workers
    from swapmeet.core.base.seeds import Streams
    from swapmeet.core.tables.microdata import Microdata

PULLED_BACK = (
    "Values are exchanged such that relations stay: what an intruder knows of a row makes some "
    "values of its group likelier than others, as it does in the original."
)
"""The caution of a method that exchanges so while other columns stay in place."""


class Exchange(NamedTuple):
    """Who gives to whom, (rows, units), and what is left of the gap; rows in no group stay."""

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
    from swapmeet.algorithms.exchange.matched import (
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


def note_remainder(left: Remainder, rows: int) -> MergeableNote:
    """What the curator is told of relations, for a block of so many rows."""
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
        f"what is left of relations: correlations differ by at most {correlation:g}, means of "
        f"numbers by category by at most {means:g} standard deviations, tables of two columns in "
        f"at most {100 * table:g} % of the rows."
    )


def round_up(figure: float) -> float:
    """A bound with one digit that matters, never below the figure.

    >>> round_up(0.000138), round_up(0.2), round_up(0.0)
    (0.0002, 0.2, 0.0)
    """
    near = float(f"{figure:.0e}")
    return near if near >= figure else near + float(f"1e{math.floor(math.log10(figure))}")
