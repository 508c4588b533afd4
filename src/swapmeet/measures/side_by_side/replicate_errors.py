"""The error of a coefficient from a release, as further releases show it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.comparison.score import Undefined

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from swapmeet.base.arrays import Floats, Rows
    from swapmeet.measures.side_by_side.estimate import Estimate

FEWEST = 20
"""Fewer releases that could be fitted say nothing."""
PART = 0.5
"""Random parts of a table have this share of its rows."""
RESAMPLES = 200


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Errors:
    """The errors of released coefficients, one column each.

    `bias` is the mean error that masking brings in, `deviations` are what it brings in besides, in
    one sample and release and in another; `carried` is the standard deviation of that part of the
    sampling error which the release carries on, and `reported` the standard error that an analyst
    of the release reads off.
    """

    bias: Floats
    deviations: Floats
    carried: Floats
    reported: Floats

    @property
    def sd(self) -> Floats:
        """The true standard deviation of a released coefficient."""
        return np.hypot(self.carried, np.sqrt((self.deviations**2).mean(axis=0)))

    def cover(self, half: float | Floats) -> Floats:
        """Return how often an interval of `half` reported standard errors to each side covers."""
        from scipy.special import ndtr

        carried = np.maximum(self.carried, 1e-9 * self.reported)
        shifts, width = self.bias + self.deviations, half * self.reported
        inside = ndtr((width - shifts) / carried) - ndtr((-width - shifts) / carried)
        coverage: Floats = inside.mean(axis=0)
        return coverage


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Replicates:
    """Results of a model in further releases: of all rows, and of random parts of them.

    `parts` are pairs of estimates, from a part of the original and from the release of that part.
    """

    whole: Sequence[Estimate]
    parts: Sequence[tuple[Estimate, Estimate]]
    failed: int
    stream: np.random.Generator

    def find_errors(
        self, original: Estimate, whole: Rows | None = None, parts: Rows | None = None
    ) -> Errors:
        """The errors by all replicates, or by some of them.

        Releases of all rows show the bias: it depends on how dense the rows lie. Those of parts
        show how masking errs in one sample and in another, which releases of one and the same
        sample cannot (microaggregation makes the same release of it each time), and how far a
        sampling error is carried on: the slope of the released coefficient on the original one.
        """
        self._require_enough()
        beta, errors = (array if whole is None else array[whole] for array in self._of_whole)
        slopes, deviations = self._compare_parts(parts)
        result = Errors(
            bias=beta.mean(axis=0) - original.beta,
            deviations=deviations,
            carried=np.abs(slopes) * original.robust,
            reported=np.sqrt((errors**2).mean(axis=0)),
        )
        flat = (result.reported <= 0.0) | (original.robust <= 0.0)
        if flat.any():
            name = original.names[int(np.argmax(flat))]
            raise Undefined(f"the standard error of {name} is 0")
        return result

    def resample(
        self, original: Estimate, look: Callable[[Errors], Floats]
    ) -> tuple[Floats, Floats]:
        """Between which values a figure lies, by what so many replicates leave open."""
        sizes = len(self.whole), len(self.parts)
        figures = [
            look(self.find_errors(original, *(self.stream.integers(0, n, n) for n in sizes)))
            for _ in range(RESAMPLES)
        ]
        low, high = np.quantile(np.stack(figures), [0.025, 0.975], axis=0)
        return low, high

    @property
    def _of_whole(self) -> tuple[Floats, Floats]:
        beta = np.stack([one.beta for one in self.whole])
        return beta, np.stack([one.errors for one in self.whole])

    def _compare_parts(self, chosen: Rows | None) -> tuple[Floats, Floats]:
        """Slopes of released on original coefficients, and what they leave unexplained."""
        before, after = (np.stack([pair[i].beta for pair in self.parts]) for i in (0, 1))
        if chosen is not None:
            before, after = before[chosen], after[chosen]
        before, after = before - before.mean(axis=0), after - after.mean(axis=0)
        squares = (before**2).sum(axis=0)
        slopes = (before * after).sum(axis=0) / np.where(squares > 0.0, squares, np.inf)
        lost = len(before) / (len(before) - 2)
        return slopes, np.sqrt(PART * lost) * (after - slopes * before)

    def _require_enough(self) -> None:
        number = len(self.whole)
        if number < FEWEST:
            raise Undefined(
                f"it could be fitted to {number} of {number + self.failed} further releases only"
            )
        if len(self.parts) < FEWEST:
            raise Undefined(
                "it could be fitted to few releases of half of the rows; a category may be too rare"
            )
