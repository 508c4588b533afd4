"""Sampling weights: how many people each row stands for, and what a published weight gives away.

A statistic that is weighted is that of R's package survey: a mean is Σwx / Σw (`svymean`), a
variance n / (n − 1) · Σw(x − mean)² / Σw (`svyvar`), the distribution function at x the weight of
the rows up to x over that of all (`svyquantile` inverts it). Rows without a value are left out.
Where chance matters, rows count as their effective number (Kish): (Σw)² / Σw², which is smaller the
more weights differ.

A weight that is the same in all rows changes none of these, and counts as none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations

import numpy as np
import numpy.typing as npt

from swapmeet.base.arrays import Floats, Ints
from swapmeet.base.sentences import agree, count, join_names, percent
from swapmeet.comparison.comparison import Comparison
from swapmeet.comparison.sums import BeforeAfter, Sums
from swapmeet.errors import SchemaError, TableError
from swapmeet.tables.microdata import Microdata, Variable
from swapmeet.tables.role_hints import count_unique_weights
from swapmeet.tables.schema import Kind

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
        for data in comparison.tables
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
    by_side = comparison.gather(partial(_find_flaws, name), (name,))
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
class Flaws(Sums):
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


def _find_flaws(name: str, piece: Comparison) -> BeforeAfter[Flaws]:
    """The flaws of a column of some rows."""
    return BeforeAfter.of(lambda data: Flaws.of(data[name].values), piece)


def _is_sound(variable: Variable) -> bool:
    facts = variable.statistics
    if variable.kind is Kind.NOMINAL:
        raise SchemaError([say_no_numbers(variable.name)])
    return not facts.missing and facts.low > 0.0 and bool(np.isfinite(facts.high))


FEWEST = 5
"""Cells with fewer rows on average do not show whether a weight is the same in each by design."""
FIRST = 20_000
"""Relations that fail in so many rows are not looked for in all of them."""
MOST_KEYS = 12
"""Pairs of more columns than this are not tried."""


@dataclass(frozen=True, kw_only=True)
class WeightAsKey:
    """Count the `units` (rows or households) that have a weight no other has.

    `cells` are the columns that decide it: someone who knows these knows the weight.
    """

    alone: int
    units: int
    in_households: bool = False
    cells: tuple[str, ...] = ()

    @property
    def share(self) -> float:
        """The share of those with a weight of their own."""
        return self.alone / max(self.units, 1)

    def describe(self, name: str) -> Iterator[str]:
        """List what a curator should know, in sentences."""
        if self.alone:
            what = "household" if self.in_households else "row"
            yield (
                f"{name}: {self.alone:,} of {count(self.units, what)} ({percent(self.share)}) "
                f"{agree(self.alone, 'has', 'have')} a weight no other {what} has. Someone who "
                "knows it, for instance from another file of the same survey, finds "
                f"{agree(self.alone, 'it', 'them')} whatever was masked. Round the weights, or "
                "group them."
            )
        if self.cells:
            yield (
                f"{name}: it depends on {join_names(self.cells)} only, so someone who knows "
                f"{agree(len(self.cells), 'this', 'these')} about a person knows the weight, "
                "which is published as it is. Linkage takes that into account."
            )


def judge_weight(
    weights: Floats, keys: Mapping[str, npt.NDArray[np.generic]], household: Ints | None = None
) -> WeightAsKey:
    """Find what weights give away; `keys` are codes or numbers that an intruder knows.

    >>> judge_weight(np.array([1.0, 1.0, 2.0, 3.0, 3.0]), {}).alone
    1
    """
    owners = weights if household is None else weights[np.unique(household, return_index=True)[1]]
    return WeightAsKey(
        alone=count_unique_weights(owners), units=len(owners), in_households=household is not None,
        cells=_find_cells(weights, keys),
    )  # fmt: skip


def judge_comparison(comparison: Comparison) -> WeightAsKey | None:
    """That of the released weights, with what the verdict's intruder knows of the original.

    None without weights, and where rows are not in memory.
    """
    weight = comparison.released.weight
    if weight is None or not comparison.in_memory:
        return None
    names = [n for n in comparison.keys or comparison.known if n != weight.name]
    keys = {name: comparison.original[name].values for name in names}
    judgement = judge_weight(weight.values, {}, comparison.released.household)
    assert comparison.weights is not None
    return replace(judgement, cells=_find_cells(comparison.weights, keys))


def _find_cells(weights: Floats, keys: Mapping[str, npt.NDArray[np.generic]]) -> tuple[str, ...]:
    """The column, or else the two, in whose cells weights do not differ; none where all are one."""
    if not len(weights) or weights.min() == weights.max():
        return ()
    some = {name: values[:FIRST] for name, values in keys.items()}
    for names in _list_candidates(list(keys)):
        if _are_decided(weights[:FIRST], [some[n] for n in names], fewest=2) and _are_decided(
            weights, [keys[n] for n in names], fewest=FEWEST
        ):
            return names
    return ()


def _list_candidates(names: list[str]) -> Iterator[tuple[str, ...]]:
    yield from ((name,) for name in names)
    if len(names) <= MOST_KEYS:
        yield from combinations(names, 2)


def _code(values: npt.NDArray[np.generic]) -> tuple[Ints, int]:
    levels, codes = np.unique(values, return_inverse=True)
    return codes.astype(np.int64), len(levels)


def _are_decided(weights: Floats, columns: Sequence[npt.NDArray[np.generic]], fewest: int) -> bool:
    """Return whether each cell has one weight only, with so many rows per cell on average."""
    labels = np.zeros(len(weights), np.int64)
    for values in columns:
        codes, count = _code(values)
        labels = labels * count + codes
    labels, cells = _code(labels)
    first = np.zeros(cells)
    first[labels] = weights
    return cells * fewest <= len(weights) and bool((first[labels] == weights).all())
