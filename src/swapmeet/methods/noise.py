"""Additive noise, independent or correlated (Kim 1986; Brand 2002)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from swapmeet.algorithms.normal import whiten
from swapmeet.base.arrays import Floats, Ints
from swapmeet.base.notes import MergeableNote, list_counts, sum_by_column
from swapmeet.base.parallel import Workers, ranges
from swapmeet.base.params import BOTH, Number, OneOf, Switch, Tries
from swapmeet.base.seeds import ROWS_PER_STREAM, Streams
from swapmeet.intruders.evidence import Evidence, Gaussian, Likelihood
from swapmeet.methods.base import Method
from swapmeet.methods.description import Description, PublicSetting, describe_size, describe_use
from swapmeet.release.donors import MADE, DonorMap
from swapmeet.release.outcome import Outcome, name_columns
from swapmeet.tables.microdata import Microdata, Variable
from swapmeet.tables.schema import Kind

LOUDEST = 1000.0
"""The highest level."""
TELLING = 1e-9
"""Columns that vary less than this, in rows where both have a value, have no correlation."""

CAUTIONS = (
    (
        "Small noise on a column with large gaps between its values is undone by rounding "
        "to the nearest of them; extremes may stay extreme."
    ),
    (
        "Noise that is independent from column to column averages out over columns that "
        "carry the same information; correlated noise does not."
    ),
    (
        "Nominal columns cannot get noise: they are released as they are, or masked by "
        "another method."
    ),
)


@dataclass(frozen=True, kw_only=True)
class Noise(Method):
    """Each value gets a random number added, drawn from a normal law with mean 0.

    Its standard deviation is `level` times that of the column, so that a column's own becomes
    sqrt(1 + level²) times as large; a higher level hides more and blurs more. Independent noise
    weakens all correlations by 1 / (1 + level²); `correlated` noise has the correlations of the
    data and leaves them as they are, but hides less from an intruder who makes use of them.

    A column that holds nothing but whole numbers gets whole ones (`whole` keep), and no value
    leaves the observed range of its column (`bounds` observed): values that would are reflected
    at its end, so that they do not pile up there; means move inwards and the spread is lower. With
    `bounds` none and `whole` ignore the noise is what the papers describe. Strata play no part: a
    value that is made belongs to no other row.

    Departure: `level` is a standard deviation in both cases; sdcMicro's `noise` is a variance in
    the correlated one.

    Reference: Kim (1986); Brand (2002).

    >>> import swapmeet as sm
    >>> people = sm.datasets.load("diabetes")[["bmi", "bp"]]
    >>> release = sm.mask(people, sm.Noise(level=0.2, bounds="none"), seed=1)
    >>> bool((release.data["bmi"] != people["bmi"]).all())
    True
    """

    name = "noise"
    title = "noise addition"
    summary = "each number gets a random one added, which may follow correlations"
    makes_values = True
    takes = frozenset({Kind.NUMERIC})
    remedy = "A higher level lets a column change more."
    grows = ("level",)

    level: Annotated[
        float,
        Number(0.0, LOUDEST, above=True),
        "standard deviation of the noise as a share of the column's own",
        Tries(0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 0.9, 1.2),
    ] = 0.1
    correlated: Annotated[
        bool, Switch(), "whether the noise has the correlations of the data; else it has none", BOTH
    ] = False
    whole: Annotated[
        str,
        OneOf(("keep", "ignore")),
        "columns of whole numbers only: their noisy values are rounded (keep) or not (ignore)",
    ] = "keep"
    bounds: Annotated[
        str,
        OneOf(("observed", "none")),
        "noisy values are reflected at the ends of the column's observed range, or go anywhere",
    ] = "observed"

    @property
    def description(self) -> Description:
        return Description(
            title=self.title,
            people="A random number is added to each number, or taken from it.",
            analysts="Models for measurement error can allow for noise that was added.",
            settings=(
                PublicSetting(
                    "size of the noise, in standard deviations of the column",
                    describe_size(self.level),
                ),
                PublicSetting("the noise follows the correlations", describe_use(self.correlated)),
            ),
            cautions=CAUTIONS,
        )

    def check(self, data: Microdata) -> None:
        super().check(data)
        data.require_finite()

    def outcome(self, data: Microdata, streams: Streams, workers: Workers) -> Outcome:
        columns = [_Column.of(variable) for variable in data.variables]
        noisy = [column for column in columns if column.spread > 0]
        root = _root_of_correlations(noisy, data.n) if self.correlated else None
        made = {column.name: column.values.copy() for column in noisy}
        reflected = np.zeros((-(-data.n // ROWS_PER_STREAM), len(noisy)), np.int64)

        def some_rows(begin: int, end: int) -> None:
            block = begin // ROWS_PER_STREAM
            noise = _draw(noisy, end - begin, streams, block)
            noise = noise if root is None else root @ noise
            for number, column in enumerate(noisy):
                values = made[column.name][begin:end]
                values += self.level * column.spread * noise[number]
                reflected[block, number] = self._fit(values, column)

        workers.each(some_rows, data.n, size=ROWS_PER_STREAM, label="noise")
        still = [column.name for column in columns if column not in noisy]
        return Outcome(
            DonorMap(_donors(columns, data.n)),
            made=made,
            facts=tuple(self._facts(noisy, reflected.sum(axis=0))),
            notes=_note_constant(still),
        )

    def attack(self, seen: Evidence) -> tuple[Likelihood, ...]:
        """Rows lie around their people as the noise does; correlated noise as a whole.

        What rounding adds is counted in; reflection at the ends of a range is not.
        """
        columns = [_Column.of(variable) for variable in seen.people.variables]
        noisy = [column for column in columns if column.spread > 0]
        if not noisy:
            return ()
        names = tuple(column.name for column in noisy)
        widths = np.array([self._width(column) for column in noisy])[:, np.newaxis]
        people = np.stack([column.values for column in noisy]) / widths
        rows = np.stack([seen.released[name].values for name in names]) / widths
        if not self.correlated:
            return tuple(Gaussian((name,), people[[j]], rows[[j]]) for j, name in enumerate(names))
        shares = self.level * np.array([column.spread for column in noisy]) / widths[:, 0]
        root = shares[:, np.newaxis] * _root_of_correlations(noisy, seen.people.n)
        both = whiten(np.hstack([people, rows]), root @ root.T + np.diag(1.0 - shares**2))
        return (Gaussian(names, both[:, : seen.people.n], both[:, seen.people.n :]),)

    def _width(self, column: _Column) -> float:
        """The standard deviation of what was added to a column, with rounding."""
        rounding = 1.0 / 12.0 if self.whole == "keep" and column.whole else 0.0
        return float(np.sqrt((self.level * column.spread) ** 2 + rounding))

    def _fit(self, values: Floats, column: _Column) -> int:
        """Bring noisy values into what the column may hold; how many were reflected."""
        outside = np.empty(0, np.int64)
        if self.bounds == "observed":
            outside = np.flatnonzero((values < column.low) | (values > column.high))
            values[outside] = _reflect(values[outside], column.low, column.high)
        if self.whole == "keep" and column.whole:
            np.rint(values, out=values)
        return len(outside)

    def _facts(self, noisy: list[_Column], reflected: Ints) -> Iterator[str]:
        rounded = [column.name for column in noisy if column.whole and self.whole == "keep"]
        if rounded:
            yield f"{name_columns(rounded)}: noisy values were rounded to whole numbers."
        if reflected.any():
            counts = {c.name: int(count) for c, count in zip(noisy, reflected, strict=True)}
            yield MergeableNote.of(_say_reflections, {"counts": sum_by_column}, counts=counts)


@dataclass(frozen=True, repr=False, eq=False)
class _Column:
    """Facts about a column that noise needs; `spread` is 0 where none can be added."""

    name: str
    values: Floats
    low: float = 0.0
    high: float = 0.0
    centre: float = 0.0
    spread: float = 0.0
    whole: bool = False

    @classmethod
    def of(cls, variable: Variable) -> _Column:
        facts = variable.statistics
        if not facts.varies:
            return cls(variable.name, variable.values)
        return cls(
            variable.name,
            variable.values,
            facts.low,
            facts.high,
            centre=facts.mean,
            spread=facts.sd,
            whole=facts.whole,
        )


def _say_reflections(counts: dict[str, int]) -> str:
    return f"values reflected at the ends of the observed range: {list_counts(counts)}."


def _draw(columns: list[_Column], rows: int, streams: Streams, block: int) -> Floats:
    """Standard normal numbers, a row for each column."""
    draws = np.empty((len(columns), rows))
    for column, numbers in zip(columns, draws, strict=True):
        streams.stream("noise", column.name, block).standard_normal(out=numbers)
    return draws


def _reflect(values: Floats, low: float, high: float) -> Floats:
    """Fold values back into the range, as often as it takes."""
    width = high - low
    folded = width - np.abs((values - low) % (2.0 * width) - width)
    return np.clip(low + folded, low, high)


def _root_of_correlations(columns: list[_Column], n: int) -> Floats:
    """Return a root that makes independent numbers as correlated as the columns."""
    values, vectors = np.linalg.eigh(_correlations(columns, n))
    root = (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
    return root / np.sqrt((root**2).sum(axis=1, keepdims=True))


def _correlations(columns: list[_Column], n: int) -> Floats:
    """Correlations over the rows where both columns have a value; 0 where there is nothing to see.

    With missing values the matrix may have negative eigenvalues.
    """
    products, sums, squares, counts = np.zeros((4, len(columns), len(columns)))
    for begin, end in ranges(n, ROWS_PER_STREAM):
        scores = np.array([(c.values[begin:end] - c.centre) / c.spread for c in columns])
        scores = scores.reshape(len(columns), end - begin)
        present = ~np.isnan(scores) * 1.0
        scores[np.isnan(scores)] = 0.0
        products += scores @ scores.T
        sums += scores @ present.T
        squares += scores**2 @ present.T
        counts += present @ present.T
    counts = np.maximum(counts, 1.0)
    variances = np.maximum(squares - sums**2 / counts, 0.0)
    scales = np.sqrt(variances * variances.T)
    telling = scales > TELLING * counts
    sums_of_products = np.where(telling, products - sums * sums.T / counts, 0.0)
    correlations = np.clip(sums_of_products / np.where(telling, scales, 1.0), -1.0, 1.0)
    np.fill_diagonal(correlations, 1.0)
    return correlations


def _donors(columns: list[_Column], n: int) -> Ints:
    """Missing values stay; the others are made where there is noise."""
    donors = np.empty((len(columns), n), np.int64)
    donors[:] = np.arange(n)
    for column, rows in zip(columns, donors, strict=True):
        if column.spread > 0:
            rows[~np.isnan(column.values)] = MADE
    return donors.T


def _note_constant(names: list[str]) -> tuple[str, ...]:
    note = f"{name_columns(names)}: no noise, because all values are the same or missing."
    return (note,) if names else ()
