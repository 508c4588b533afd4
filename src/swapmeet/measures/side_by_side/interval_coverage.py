"""Coverage of the truth by intervals from a release, and errors as further releases show them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from swapmeet.base.arrays import Floats, Rows
from swapmeet.base.params import is_count
from swapmeet.comparison.score import Undefined
from swapmeet.errors import ParameterError
from swapmeet.measures.side_by_side.fit import Estimate

LEVEL = 0.95
TOLERATED = 0.03
"""Intervals that cover this much less often than they promise count as holding their promise."""
NOTICEABLE = 0.05
"""A bias of fewer standard errors is none."""
REPLICATES = 100
INTERCEPT = "intercept"


@dataclass(frozen=True, kw_only=True)
class TermCoverage:
    """Trust in the interval of one coefficient of a released model.

    `coverage` is the share of samples and releases whose interval covers the truth, where `level`
    is promised; `interval` says how exactly the replicates determine it. `bias` is the mean error
    that masking brings in, and `ratio` the true standard deviation of the released coefficient,
    both in units of the standard error that an analyst of the release reads off; `understated` says
    that the bias is towards 0. With the standard error multiplied by `widening`, the coverage is
    `corrected`. `original_coverage` is that of intervals from the original, which need not keep
    their promise either.
    """

    name: str
    level: float
    coverage: float
    interval: tuple[float, float]
    bias: float
    understated: bool
    ratio: float
    widening: float
    corrected: float
    original_coverage: float

    @property
    def holds(self) -> bool:
        """Return whether intervals cover about as often as they promise."""
        return self.coverage >= self.level - TOLERATED

    @property
    def correction(self) -> str:
        """Say what an analyst can do about an interval that covers too seldom, and what not."""
        parts = []
        if self.widening > 1.0:
            parts.append(f"multiply its standard error by {self.widening:.1f}")
        if self.corrected < self.level - TOLERATED and abs(self.bias) >= NOTICEABLE:
            how = "understated" if self.understated else "overstated"
            parts.append(
                f"the coefficient is {how} by {abs(self.bias):.1f} standard errors, which no "
                "factor mends"
            )
        return "; ".join(parts)


@dataclass(frozen=True, kw_only=True)
class IntervalCoverage:
    """Trust in the intervals of a model that is fitted to a release.

    Found from `replicates` further releases of the same original by the same method; in `failed`
    others the model could not be fitted. Without any result, `undefined` says why.
    """

    formula: str
    replicates: int
    failed: int = 0
    terms: tuple[TermCoverage, ...] = ()
    undefined: str = ""

    @property
    def slopes(self) -> tuple[TermCoverage, ...]:
        """The terms that sentences speak of: all but the intercept."""
        slopes = tuple(term for term in self.terms if term.name != INTERCEPT)
        return slopes or self.terms

    @property
    def worst(self) -> TermCoverage:
        """The term, the intercept aside, whose interval covers least often."""
        return min(self.slopes, key=lambda term: term.coverage)

    @property
    def sentence(self) -> str:
        """In words, with few digits, so that it may be published."""
        if self.undefined:
            return f"How often intervals of {self.formula} cover is not known: {self.undefined}."
        opening = (
            f"{self.formula}: of the {_percent(LEVEL)} intervals that are computed from such a "
            f"release, about {_span(self.slopes)} cover the truth"
        )
        wrong = sum(not term.holds for term in self.slopes)
        many = f" ({wrong} of {len(self.slopes)} terms too seldom)" if len(self.slopes) > 1 else ""
        held = (
            f"{opening}, as they should." if not wrong else f"{opening}{many}. {self._say_worst()}"
        )
        return f"{held} {self._say_failed()}".strip()

    def _say_worst(self) -> str:
        worst = self.worst
        worst_term = f"Worst is {worst.name} (about {_percent(worst.coverage)})"
        return f"{worst_term}: {worst.correction}." if worst.correction else f"{worst_term}."

    def _say_failed(self) -> str:
        total = self.replicates + self.failed
        failures = f"In {self.failed} of {total} further releases the model could not be fitted."
        return failures if self.failed else ""

    def to_dict(self) -> dict[str, Any]:
        """For machines."""
        fields = asdict(self)
        for row, term in zip(fields["terms"], self.terms, strict=True):
            row["interval"] = list(term.interval)
        fields["terms"] = list(fields["terms"])
        return {**fields, "undefined": self.undefined or None, "sentence": self.sentence}


def require_replicates(number: int) -> int:
    """Refuse a number of replicates that says nothing."""
    if not is_count(number, FEWEST):
        raise ParameterError(f"coverage: `replicates` must be a whole number, {FEWEST} or more.")
    return number


def cover(formula: str, original: Estimate, replicates: Replicates) -> IntervalCoverage:
    """Coverage of the truth by intervals from a release."""
    result = IntervalCoverage(
        formula=formula, replicates=len(replicates.whole), failed=replicates.failed
    )
    try:
        return replace(result, terms=_cover_terms(original, replicates))
    except Undefined as reason:
        return replace(result, undefined=str(reason))


def _cover_terms(original: Estimate, replicates: Replicates) -> tuple[TermCoverage, ...]:
    errors = replicates.find_errors(original)
    half = original.half_width(LEVEL)
    coverage, ratio = errors.cover(half), errors.sd / errors.reported
    widening = np.array([_round_up(value) for value in ratio])
    corrected = errors.cover(half * widening)
    low, high = replicates.resample(original, lambda some: some.cover(half))
    promised = _probability(half * original.errors / original.robust)
    return tuple(
        TermCoverage(
            name=name, level=LEVEL, coverage=float(coverage[j]),
            interval=(float(low[j]), float(high[j])),
            bias=float(errors.bias[j] / errors.reported[j]),
            understated=bool(errors.bias[j] * original.beta[j] < 0.0), ratio=float(ratio[j]),
            widening=float(widening[j]), corrected=float(corrected[j]),
            original_coverage=float(promised[j]),
        )
        for j, name in enumerate(original.names)
    )  # fmt: skip


def _probability(half: Floats) -> Floats:
    from scipy.special import ndtr

    coverage: Floats = 2.0 * ndtr(half) - 1.0
    return coverage


def _round_up(ratio: float) -> float:
    """The factor for standard errors, to a tenth upwards; 1 where they are wide enough.

    >>> _round_up(0.8), _round_up(1.04), _round_up(1.31)
    (1.0, 1.0, 1.4)
    """
    return 1.0 if ratio < 1.05 else float(np.ceil(10.0 * ratio - 1e-9) / 10.0)


def _percent(share: float) -> str:
    return f"{100.0 * share:.0f} %"


def _span(terms: Sequence[TermCoverage]) -> str:
    low, high = (f"{100.0 * f(term.coverage for term in terms):.0f}" for f in (min, max))
    return f"{low} %" if low == high else f"{low} to {high} %"


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
