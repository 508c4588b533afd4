"""Interval disclosure by robust Mahalanobis distances: sdcMicro's dRiskRMD."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np

from swapmeet.encode import Points
from swapmeet.intervals import of_share
from swapmeet.measures import CONFIDENCE, Comparison, Measure, Score, Undefined
from swapmeet.neighbors import Rule, Search, Task, draw_members
from swapmeet.params import Number
from swapmeet.risk.closeness import by_values
from swapmeet.risk.linkage import of_1000
from swapmeet.risk.robust import robust_scatter

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]
    Flags = npt.NDArray[np.bool_]

STRETCH = 0.05
"""How much of its robust distance a record's interval is, before `k`."""


@dataclass(frozen=True, kw_only=True)
class IntervalRMD(Measure):
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

    name: ClassVar[str] = "interval-rmd"
    question: ClassVar[str] = "How many people have a value released close to the true one?"
    in_sample: ClassVar[str] = ", in which more records stand alone than in the whole file"

    k: Annotated[float, Number(above=True), "how wide intervals are, by outlyingness"] = 0.01
    k2: Annotated[
        float, Number(above=True), "a released record stands alone if no other is so near"
    ] = 0.05

    def score(self, comparison: Comparison) -> Score:
        comparison.require_owners()
        names, used, original, released = _standardised(comparison)
        scatter = robust_scatter(original, names, comparison.streams.stream("mcd"))
        outlying = STRETCH * scatter.distances(original, original.mean(axis=0))
        close = disclosed(original, released, self.k * outlying)
        lonely = close & stands_alone(released, self.k2, comparison)
        sentence = (
            f"For {of_1000(close.mean())} people at least one of {len(names)} values is released "
            "within a margin of the true one that grows with how unusual the person is, and for "
            f"{of_1000(lonely.mean(), bare=True)} no other released record is near besides; an "
            "unchanged release would give all, and 0 is best."
        )
        records = np.zeros(comparison.n)
        records[used] = close
        return self.scored(
            close.mean(),
            sentence,
            interval=of_share(float(close.sum()), len(close), CONFIDENCE),
            records=records,
            details={
                **figures(close, lonely, outlying),
                "columns": len(names),
                "rows": int(used.sum()),
                "rows left out": int((~used).sum()),
                "log determinant": scatter.determinant,
            },
        )


def disclosed(original: Floats, released: Floats, reach: Floats) -> Flags:
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
    task = Task(
        points, np.zeros(n, np.int32), Rule(eps=within), np.empty((n, 0), np.int64),
        comparison.streams, comparison.workers,
    )  # fmt: skip
    return draw_members(task, Search()) == 0


def _standardised(comparison: Comparison) -> tuple[list[str], Flags, Floats, Floats]:
    """Names of the columns, the rows used, and these in both files: (rows, columns)."""
    numbers = comparison.once(by_values).all()
    used = ~np.any(np.isnan(numbers.original + numbers.released), axis=0)
    if not used.any():
        raise Undefined("no record is without a missing number in both files")
    original, released = numbers.original[:, used], numbers.released[:, used]
    varying = np.ptp(original, axis=1) > 0.0
    if not varying.any():
        raise Undefined("the numbers that the intruder knows are the same for everybody")
    names = [name for name, varies in zip(numbers.names, varying, strict=True) if varies]
    return names, used, _scaled(original[varying]), _scaled(released[varying])


def _scaled(columns: Floats) -> Floats:
    spread = np.array([column.std(ddof=1) if np.ptp(column) > 0.0 else 1.0 for column in columns])
    return ((columns - columns.mean(axis=1, keepdims=True)) / spread[:, np.newaxis]).T
