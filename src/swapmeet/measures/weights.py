"""Sampling weights: how many people of the population each row stands for.

A statistic that is weighted is that of R's package survey: a mean is Σwx / Σw (`svymean`), a
variance n / (n − 1) · Σw(x − mean)² / Σw (`svyvar`), the distribution function at x the weight of
the rows up to x over that of all (`svyquantile` inverts it). Rows without a value are left out.
Where chance matters, rows count as their effective number (Kish): (Σw)² / Σw², which is smaller the
more weights differ.

A weight that is the same in all rows changes none of these, and counts as none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.base.sentences import count, join_names
from swapmeet.comparison.comparison import BeforeAfter
from swapmeet.errors import SchemaError, TableError
from swapmeet.tables.schema import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from swapmeet.base.arrays import Floats
    from swapmeet.comparison.comparison import Comparison
    from swapmeet.tables.microdata import Microdata, Variable

WEIGHTED = "weighted by"
"""Among the details of a score: the column whose weights it takes."""
REMEDY = "Correct these rows or leave them out, or give the column the role keep."


def find_weights(data: Microdata) -> Floats | None:
    """The weight of each row, scaled to a mean of 1 in the whole table.

    None without a column of weights, and where all are the same.

    >>> from swapmeet.tables.schema import Role
    >>> from swapmeet.tables.microdata import Microdata, Variable
    >>> column = Variable("w", Kind.NUMERIC, np.array([1.0, 2.0, 3.0]), role=Role.WEIGHT)
    >>> find_weights(Microdata((column,), np.zeros(3, np.int32))).tolist()
    [0.5, 1.0, 1.5]
    """
    weight = data.weight
    if weight is None or weight.statistics.low == weight.statistics.high:
        return None
    relative: Floats = weight.values / weight.statistics.mean
    return relative


def find_effective_weights(data: Microdata) -> Floats | None:
    """The same, scaled to add up to the effective number of rows of the whole table."""
    weights = find_weights(data)
    if weights is None or data.weight is None:
        return None
    return weights * share_of_rows(data.weight)


def share_of_rows(weight: Variable) -> float:
    """The effective number of rows (Kish) as a share of their number."""
    facts = weight.statistics
    spread = facts.sd * np.sqrt((facts.present - 1.0) / facts.present) / facts.mean
    return float(1.0 / (1.0 + spread**2))


def is_weighted(comparison: Comparison) -> bool:
    """Return whether rows have weights that differ, in either table."""
    return any(
        data.weight is not None and data.weight.statistics.low < data.weight.statistics.high
        for data in (comparison.original, comparison.released)
    )


def find_weight_name(comparison: Comparison) -> str | None:
    """The column of weights, if they differ."""
    weight = comparison.original.weight
    return weight.name if weight is not None and is_weighted(comparison) else None


def find_worth(comparison: Comparison) -> float:
    """The effective number of rows as a share of all, of the table in which it is less; else 1."""
    weights = (comparison.original.weight, comparison.released.weight)
    return min((share_of_rows(weight) for weight in weights if weight is not None), default=1.0)


def name_weight(comparison: Comparison) -> dict[str, str]:
    """Return what the details of a score say about weights: nothing where there are none."""
    weight = comparison.original.weight
    return {} if weight is None else {WEIGHTED: weight.name}


def check_weights(comparison: Comparison) -> None:
    """Refuse weights that are missing, infinite, 0 or below, in original and release."""
    if comparison.original.weight is None:
        return
    name = comparison.original.weight.name
    sides = [("original", comparison.original[name]), ("release", comparison.released[name])]
    if all(_is_sound(variable) for _, variable in sides):
        return
    by_side = comparison.gather(_Flaws(name), (name,))
    problems = [
        f"in the {side}, {flaws.words}"
        for side, flaws in (("original", by_side.before), ("release", by_side.after))
        if flaws
    ]
    raise TableError(
        f"weight: {name!r} must be a number above 0 in every row; {'; '.join(problems)}. {REMEDY}"
    )


def refuse_flaws(name: str, values: Floats) -> None:
    """Refuse weights that are missing, infinite, 0 or below."""
    flaws = Flaws.of(values)
    if flaws:
        raise TableError(
            f"weight: {name!r} must be a number above 0 in every row; {flaws.words}. {REMEDY}"
        )


def refuse_several(names: Iterable[str]) -> None:
    """Refuse more than one column of weights."""
    listed = list(names)
    if len(listed) > 1:
        raise SchemaError(
            f"weight: a row has one weight; {join_names(some)} have this role. Choose one, and "
            "give the others the role keep."
            for some in [listed]
        )


def say_no_numbers(name: str) -> str:
    """Say what is wrong with a column of weights that holds something else."""
    return (
        f"weight: {name!r} does not hold numbers. A weight is a number above 0 in every row; name "
        "another column, or give this one the role keep."
    )


@dataclass(frozen=True)
class Flaws:
    """Count the weights that are missing, infinite, 0, and below 0."""

    missing: int
    infinite: int
    zero: int
    negative: int

    @classmethod
    def of(cls, values: Floats) -> Flaws:
        """Return what belongs to a column."""
        flags = (np.isnan(values), np.isinf(values), values == 0.0, values < 0.0)
        return cls(*(int(np.count_nonzero(some)) for some in flags))

    def __add__(self, other: Flaws) -> Flaws:
        pairs = zip(vars(self).values(), vars(other).values(), strict=True)
        return Flaws(*(one + more for one, more in pairs))

    def __bool__(self) -> bool:
        return any(vars(self).values())

    @property
    def words(self) -> str:
        """In words.

        >>> Flaws.of(np.array([np.nan, -1.0, 0.0, 2.0, 0.0])).words
        'it is missing in 1 row, 0 in 2 rows, and below 0 in 1 row'
        """
        labels = ("missing", "infinite", "0", "below 0")
        counts = [
            f"{label} in {count(number, 'row')}"
            for label, number in zip(labels, vars(self).values(), strict=True)
            if number
        ]
        return "it is " + (
            counts[0] if len(counts) == 1 else f"{', '.join(counts[:-1])}, and {counts[-1]}"
        )


@dataclass(frozen=True)
class _Flaws:
    """The flaws of a column of some rows."""

    name: str

    def __call__(self, piece: Comparison) -> BeforeAfter[Flaws]:
        before, after = (
            Flaws.of(data[self.name].values) for data in (piece.original, piece.released)
        )
        return BeforeAfter(before, after)


def _is_sound(variable: Variable) -> bool:
    facts = variable.statistics
    if variable.kind is Kind.NOMINAL:
        raise SchemaError([say_no_numbers(variable.name)])
    return not facts.missing and facts.low > 0.0 and bool(np.isfinite(facts.high))
