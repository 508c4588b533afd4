"""Interval disclosure by robust Mahalanobis distances: sdcMicro's dRiskRMD."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Any

import numpy as np

from swapmeet.algorithms.encode import Points
from swapmeet.algorithms.neighbors import DrawTask, NeighborSearch, Rule, draw_members
from swapmeet.base.arrays import Flags, Floats
from swapmeet.base.params import Number
from swapmeet.comparison.comparison import Comparison
from swapmeet.comparison.intervals import of_share
from swapmeet.comparison.score import CONFIDENCE, Score, Undefined
from swapmeet.comparison.sums import LEAST, MOST, OF_ROWS, Sums
from swapmeet.intruders.nearest_records import of_1000
from swapmeet.measures.base import Coverage, RiskMeasure
from swapmeet.measures.risk.closeness import by_values
from swapmeet.measures.risk.robust import Scatter, robust_scatter

LARGEST_SEARCH = 100_000
"""Where more rows are not in memory, a random sample shows who is unusual or alone."""
STRETCH = 0.05
"""Share of its robust distance that a record's interval is, before `k`."""


@dataclass(frozen=True, kw_only=True)
class IntervalRMD(RiskMeasure):
    """The share of records with some released value in an interval that outlyingness widens.

    Both files are standardised, each by its own means and standard deviations. Around each original
    value lies an open interval of half the width k · 0.05 · d, with d the record's Mahalanobis
    distance from the mean in the robust covariance (minimum covariance determinant) of the
    original: the more outlying a record, the wider. A record is disclosed if *any* of its released
    values lies in its interval. An unchanged release scores 1.

    The details have sdcMicro's further figures: `risk2` counts only disclosed records that stand
    alone, with no other released record within `k2`; `wrisk1` and `wrisk2` are their numbers, times
    the mean interval (0.05 · d) summed over them, by the number of rows.

    Records with a missing number in either file are left out and counted; a constant column of the
    original is left out. Not defined where half of the records lie on a plane (a column with one
    value for half of them, columns that add up), or with fewer than five records for each column.

    Departures from sdcMicro: the covariance is found by exchanges besides concentration steps, does
    not depend on a seed, and a plane is named rather than passed over in silence.

    Reference: sdcMicro, `dRiskRMD`; Templ and Meindl (2008).
    """

    name = "interval-rmd"
    growth = "rows × columns²"
    question = "How many people have a value released close to the true one?"
    coverage = Coverage.ALL

    k: Annotated[float, Number(above=True), "how wide intervals are, by outlyingness"] = 0.01
    k2: Annotated[
        float, Number(above=True), "a released record is alone if no other is this near"
    ] = 0.05

    def score(self, comparison: Comparison) -> Score:
        comparison.require_owners()
        scales = _Scales.of(comparison)
        few = _few(comparison)
        _, original, released = scales.apply(few)
        scatter = robust_scatter(original, scales.names, comparison.streams.stream("mcd"))
        look = _Look(scales, scatter, self.k, comparison.in_memory)
        tally = comparison.gather(look, scales.names)
        outlying = look.outlyingness(original)
        close = is_disclosed(original, released, self.k * outlying)
        lonely = close & stands_alone(released, self.k2, comparison)
        share = tally.close / tally.rows
        sentence = (
            f"For {of_1000(share)} people at least one of {len(scales.names)} values is released "
            "within a margin of the true one that grows with how unusual the person is, and for "
            f"{of_1000(lonely.mean(), bare=True)} no other released record is near; an "
            "unchanged release would give 1,000, and 0 is best."
        )
        if few.n < comparison.n:
            sentence += f" Who is unusual, and who is alone, is judged by {few.n:,} random rows."
        return self.make_score(
            share,
            sentence,
            interval=of_share(float(tally.close), tally.rows, CONFIDENCE),
            records=tally.records,
            details={
                **figures(close, lonely, outlying),
                "wrisk1": share * tally.weight,
                "columns": len(scales.names),
                "rows": tally.rows,
                "rows left out": comparison.n - tally.rows,
                "log determinant": scatter.determinant,
            },
        )


def _few(comparison: Comparison) -> Comparison:
    """All rows that are in memory, or else a random sample."""
    if comparison.in_memory:
        return comparison
    n, stream = comparison.n, comparison.streams.stream("mcd", "rows")
    rows = stream.choice(n, LARGEST_SEARCH, replace=False) if n > LARGEST_SEARCH else np.arange(n)
    return comparison.pick_rows(np.sort(rows))


def is_disclosed(original: Floats, released: Floats, reach: Floats) -> Flags:
    """The rows that have some value nearer than the row's reach."""
    low, high = original - reach[:, np.newaxis], original + reach[:, np.newaxis]
    return np.any((released > low) & (released < high), axis=1)


def figures(close: Flags, lonely: Flags, outlying: Floats) -> dict[str, Any]:
    """The figures that sdcMicro gives besides the first."""
    return {
        "risk2": float(lonely.mean()),
        "wrisk1": float(close.mean() * outlying[close].sum()),
        "wrisk2": float(lonely.mean() * outlying[lonely].sum()),
    }


def stands_alone(released: Floats, within: float, comparison: Comparison) -> Flags:
    """The rows that have no other within a distance."""
    n = len(released)
    points = Points(
        np.array(released.T, order="C"), np.empty((0, n), np.int32), np.zeros((0, 1)), ()
    )
    task = DrawTask(
        points, np.zeros(n, np.int32), Rule(eps=within), np.empty((n, 0), np.int64),
        comparison.streams, comparison.workers,
    )  # fmt: skip
    return draw_members(task, NeighborSearch()).sizes == 0


@dataclass(frozen=True, repr=False, eq=False)
class _Look:
    """People who have some value released close to the true one."""

    scales: _Scales
    scatter: Scatter
    k: float
    keep: bool

    def __call__(self, piece: Comparison) -> _Found:
        used, original, released = self.scales.apply(piece)
        outlying = self.outlyingness(original)
        close = is_disclosed(original, released, self.k * outlying)
        records = None
        if self.keep:
            records = np.zeros(piece.n)
            records[used] = close
        return _Found(len(close), int(close.sum()), float(outlying[close].sum()), records)

    def outlyingness(self, original: Floats) -> Floats:
        """Width of each record's interval, before `k`."""
        return STRETCH * self.scatter.distances(original, np.zeros(original.shape[1]))


@dataclass(frozen=True, repr=False, eq=False)
class _Found(Sums):
    """Numbers of rows that were looked at and disclosed, and their total outlyingness."""

    rows: int
    close: int
    weight: float
    records: Floats | None = field(metadata=OF_ROWS)


@dataclass(frozen=True, repr=False, eq=False)
class _Scales:
    """Means and standard deviations of the columns, over the rows without a missing number.

    Of either, the first row is that of the original, the second that of the release.
    """

    names: tuple[str, ...]
    mean: Floats
    spread: Floats

    @classmethod
    def of(cls, comparison: Comparison) -> _Scales:
        """Of the columns that vary in the original."""
        names = comparison.once(by_values).names
        sums = comparison.gather(partial(_summed, names, None), names)
        if not sums.rows:
            raise Undefined("no record is without a missing number in both files")
        mean = sums.total / sums.rows
        squares = comparison.gather(partial(_summed, names, mean), names).squares
        spread = np.sqrt(squares / max(sums.rows - 1, 1))
        varying = (sums.low[0] < sums.high[0]) & (spread[0] > 0.0)
        if not varying.any():
            raise Undefined("the numbers that the intruder knows are the same for everybody")
        spread = np.where((sums.low < sums.high) & (spread > 0.0), spread, 1.0)
        kept = tuple(name for name, varies in zip(names, varying, strict=True) if varies)
        return cls(kept, mean[:, varying], spread[:, varying])

    def apply(self, piece: Comparison) -> tuple[Flags, Floats, Floats]:
        """The rows used, and these in both files: (rows, columns)."""
        used, both = _complete(piece, self.names)
        scaled = (both - self.mean[:, :, np.newaxis]) / self.spread[:, :, np.newaxis]
        return used, scaled[0].T, scaled[1].T


@dataclass(frozen=True, repr=False, eq=False)
class _Sums(Sums):
    rows: int
    low: Floats = field(metadata=LEAST)
    high: Floats = field(metadata=MOST)
    total: Floats
    squares: Floats


def _summed(names: tuple[str, ...], mean: Floats | None, piece: Comparison) -> _Sums:
    """Sums and extremes of the rows without a missing number; squares around the mean."""
    _, both = _complete(piece, names)
    low, high = both.min(axis=2, initial=np.inf), both.max(axis=2, initial=-np.inf)
    total = both.sum(axis=2)
    if mean is not None:
        both = (both - mean[:, :, np.newaxis]) ** 2
    return _Sums(both.shape[2], low, high, total, both.sum(axis=2))


def _complete(piece: Comparison, names: tuple[str, ...]) -> tuple[Flags, Floats]:
    """The rows that have all numbers in both files, and these: (files, columns, rows)."""
    both = np.array([
        [data[name].values for name in names] for data in piece.tables
    ])  # fmt: skip
    used = ~np.isnan(both).any(axis=(0, 1))
    return used, both if used.all() else both[:, :, used]
