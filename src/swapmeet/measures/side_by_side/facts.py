"""Changes of columns, rows and correlations: the facts that reports are written from."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from functools import partial
from typing import Any

import numpy as np

from swapmeet.base.arrays import Flags, Floats, Ints
from swapmeet.comparison.comparison import Comparison
from swapmeet.comparison.score import Undefined
from swapmeet.comparison.sums import Sums
from swapmeet.measures.utility.columns import standardize
from swapmeet.measures.utility.correlations import list_pairs
from swapmeet.measures.utility.pearson import correlations_of
from swapmeet.tables.microdata import LARGEST, Variable
from swapmeet.tables.schema import Kind

CLEAR = 0.01
"""A number differs clearly if by more than this share of itself, or of the standard deviation."""
HARDLY = 0.01
"""A column hardly changed if fewer of the values that are left differ clearly from the owner's."""
MOSTLY = 0.5
"""A column changed in most rows if at least this share of its values differs clearly."""


class Extent(StrEnum):
    """Difference of a column from the owners' values."""

    EXACT = "exact"
    HARDLY = "hardly changed"
    PARTLY = "partly changed"
    MOSTLY = "changed in most rows"
    UNKNOWN = "not known"


@dataclass(frozen=True, kw_only=True)
class ColumnFacts:
    """Changes of one column; shares are of all rows, and None where owners are unknown.

    `masked` says that its role has it masked. `changed` values differ from the owner's at all,
    `clearly_changed` ones by more than a hundredth of the value or of the standard deviation (any
    other category does). `suppressed` values were present before and are missing now. Shares that
    are missing are None where nobody counted. `spread` is the standard deviation of the release as
    a multiple of the original's: below 1, values lie closer together than they did; None for
    categories and for columns without variation.
    """

    name: str
    kind: str
    masked: bool
    changed: float | None = None
    clearly_changed: float | None = None
    suppressed: float | None = None
    missing_before: float | None = None
    missing_after: float | None = None
    spread: float | None = None

    @property
    def extent(self) -> Extent:
        """Say in one word how far the column differs from the owners' values."""
        if self.changed is None or self.clearly_changed is None:
            return Extent.UNKNOWN
        if self.changed == 0.0:
            return Extent.EXACT
        left = 1.0 - (self.suppressed or 0.0)
        if self.clearly_changed - (self.suppressed or 0.0) < HARDLY * left:
            return Extent.HARDLY
        return Extent.PARTLY if self.clearly_changed < MOSTLY else Extent.MOSTLY


@dataclass(frozen=True, kw_only=True)
class CorrelationChange:
    """The correlations before and after, over pairs of columns of which one is masked at least.

    `size_before` and `size_after` are means of their absolute values; `before` and `after` are the
    correlation of the pair that changes most.
    """

    size_before: float
    size_after: float
    pair: tuple[str, str]
    before: float
    after: float


@dataclass(frozen=True, kw_only=True)
class ReleaseFacts:
    """Changes of the columns, of whole rows, and of the correlations.

    `same_rows` is the share of rows none of whose values differs clearly from the owner's; None
    where owners are unknown.
    """

    columns: tuple[ColumnFacts, ...]
    same_rows: float | None = None
    correlations: CorrelationChange | None = None

    def having(self, *extents: Extent) -> tuple[ColumnFacts, ...]:
        """The columns that changed so far."""
        return tuple(column for column in self.columns if column.extent in extents)

    def to_dict(self) -> dict[str, Any]:
        """For machines."""
        columns = [{**asdict(column), "extent": str(column.extent)} for column in self.columns]
        return {**asdict(self), "columns": columns}


def gather_facts(comparison: Comparison, *, doubtful: bool = False) -> ReleaseFacts:
    """The facts of a release, from all rows; `doubtful` owners are taken for unknown ones."""
    owned = comparison.owners_known and not doubtful
    counts = comparison.gather(partial(_count_cells, _find_scales(comparison), owned=owned))
    shares = counts.cells / max(comparison.n, 1)
    return ReleaseFacts(
        columns=tuple(
            _describe_column(comparison, variable, share, owned=owned)
            for variable, share in zip(comparison.original.variables, shares, strict=True)
        ),
        same_rows=counts.same / max(comparison.n, 1) if owned else None,
        correlations=_find_correlations(comparison),
    )


@dataclass(frozen=True, repr=False, eq=False)
class _Counts(Sums):
    """Of each column the cells changed, clearly changed, suppressed, missing before and after."""

    cells: Ints
    same: int


def _count_cells(scales: tuple[float, ...], piece: Comparison, *, owned: bool) -> _Counts:
    """Count the cells of a piece; rows are compared only where owners are known."""
    same = np.ones(piece.original.n, bool)
    cells: list[tuple[int, ...]] = []
    for before, scale in zip(piece.original.variables, scales, strict=True):
        after = piece.released[before.name]
        gone = int(before.missing.sum()), int(after.missing.sum())
        if not owned:
            cells.append((0, 0, 0, *gone))
            continue
        changed, clearly = _find_changes(before, after, scale)
        suppressed = after.missing & ~before.missing
        cells.append((*(int(flags.sum()) for flags in (changed, clearly, suppressed)), *gone))
        same &= ~clearly
    return _Counts(np.array(cells, np.int64).reshape(-1, 5), int(same.sum()))


def _find_changes(before: Variable, after: Variable, scale: float) -> tuple[Flags, Flags]:
    """Flag the values that differ from the owner's, and those that clearly do."""
    same = (before.values == after.values) | (before.missing & after.missing)
    if before.kind is Kind.NOMINAL:
        return ~same, ~same
    with np.errstate(invalid="ignore", over="ignore"):
        distance, size = np.abs(after.values - before.values), np.abs(before.values)
        near = (distance <= CLEAR * scale) & ((distance <= CLEAR * size) | (size == 0.0))
    return ~same, ~same & ~near


def _find_scales(comparison: Comparison) -> tuple[float, ...]:
    """The standard deviation of each column of the original; 0 for categories."""
    return tuple(
        0.0 if v.kind is Kind.NOMINAL else _find_spread(comparison, v.name)[0]
        for v in comparison.original.variables
    )


def _find_spread(comparison: Comparison, name: str) -> tuple[float, float]:
    """The standard deviations before and after; 0 where they are none or beyond all bounds."""
    return comparison.once(_find_spreads)[name]


def _find_spreads(comparison: Comparison) -> dict[str, tuple[float, float]]:
    """Compute them for all columns with numbers, weighted if rows have weights."""
    both = comparison.tables
    names = [n for n in comparison.numeric if all(d[n].statistics.size <= LARGEST for d in both)]
    before, after = standardize(comparison, tuple(names))
    spreads = dict(zip(names, zip(before.spread, after.spread, strict=True), strict=True))
    nothing = (0.0, 0.0)
    return {name: _make_finite(*spreads.get(name, nothing)) for name in comparison.numeric}


def _make_finite(*spreads: float) -> tuple[float, float]:
    before, after = (float(one) if np.isfinite(one) else 0.0 for one in spreads)
    return before, after


def _describe_column(
    comparison: Comparison, variable: Variable, shares: Floats, *, owned: bool
) -> ColumnFacts:
    changed, clearly, suppressed, before, after = map(float, shares)
    return ColumnFacts(
        name=variable.name,
        kind=str(variable.kind),
        masked=variable.name in comparison.masked,
        changed=changed if owned else None,
        clearly_changed=clearly if owned else None,
        suppressed=suppressed if owned else None,
        missing_before=before,
        missing_after=after,
        spread=_find_ratio(comparison, variable),
    )


def _find_ratio(comparison: Comparison, variable: Variable) -> float | None:
    """The standard deviation after, as a multiple of that before."""
    if variable.kind is Kind.NOMINAL:
        return None
    before, after = _find_spread(comparison, variable.name)
    return after / before if before > 0.0 else None


def _find_correlations(comparison: Comparison) -> CorrelationChange | None:
    """The change of the correlations; None where there are none."""
    try:
        matrices = comparison.once(correlations_of)
        matrices.numbers.require(2)
        first, second = list_pairs(matrices)
    except Undefined:
        return None
    before, after = matrices.original[first, second], matrices.released[first, second]
    most = int(np.argmax(np.abs(after - before)))
    names = matrices.numbers.names
    return CorrelationChange(
        size_before=float(np.abs(before).mean()),
        size_after=float(np.abs(after).mean()),
        pair=(names[first[most]], names[second[most]]),
        before=float(before[most]),
        after=float(after[most]),
    )
