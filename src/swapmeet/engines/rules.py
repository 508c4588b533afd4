"""Rules that the method broke are repaired by donors that the method itself gave a row."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa

from swapmeet.release.changes import RuleCount
from swapmeet.release.donors import SUPPRESSED, DonorMap
from swapmeet.tables.arrow import cells_of
from swapmeet.tables.ties import merge_sets

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from swapmeet.base.arrays import Flags, Rows
    from swapmeet.base.row_hash import RowHash
    from swapmeet.release.outcome import Outcome
    from swapmeet.tables.conditions import Condition
    from swapmeet.tables.derived_columns import FittedDerivation
    from swapmeet.tables.expressions.values import ColumnSource
    from swapmeet.tables.rests import RestLedger
    from swapmeet.tables.units import Level, Units


@dataclass(frozen=True, repr=False, eq=False)
class ProposedRows:
    """Some released rows, if certain columns came from other donors; derived ones follow."""

    origin: ColumnSource
    released: ColumnSource
    rows: Rows
    donors: Rows
    moved: Sequence[str]
    derived: Mapping[str, FittedDerivation]
    rests: RestLedger
    _held: dict[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<ProposedRows: {len(self.rows)}>"

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all columns."""
        return self.released.names

    def family(self, name: str) -> str:
        """Return the sort of values that the column holds."""
        return self.released.family(name)

    def plain(self, name: str) -> Any:
        """The column as one Arrow array."""
        if name not in self._held:
            self._held[name] = self._find(name)
        return self._held[name]

    def _find(self, name: str) -> Any:
        if name in self.derived:
            rest = self.rests.choose(name, self.donors if name in self.moved else None, self.rows)
            return self.derived[name].compute(self, self.origin.plain(name).type, rest)
        if name in self.moved:
            return cells_of(self.origin.plain(name), pa.array(self.donors))
        return cells_of(self.released.plain(name), pa.array(self.rows))


class BoundRule(NamedTuple):
    """A rule, and the masked columns whose values decide whether it holds."""

    rule: Condition
    moved: tuple[str, ...]


class Repair(NamedTuple):
    """The outcome after repairs, and which rows lost values, by rule."""

    outcome: Outcome
    suppressed: dict[str, Flags]


@dataclass(frozen=True, repr=False, eq=False)
class RepairTask:
    """View of a repair: the original rows, and how released ones follow from them.

    `names` are the masked columns, in the order of the donor map. `numbers` are those of the rows
    in the whole table, which decide in what order donors are tried; `rests` are what is left of
    columns that nearly follow from others. Where rows belong to units,
    `levels` say which columns move once for all rows of a unit: they are repaired so, too.
    """

    names: tuple[str, ...]
    origin: ColumnSource
    derived: Mapping[str, FittedDerivation]
    numbers: Rows
    hashing: RowHash
    rests: RestLedger
    suppress: bool = True
    levels: tuple[Level, ...] = ()

    def __repr__(self) -> str:
        return f"<RepairTask of {len(self.numbers)} rows>"

    def repair(
        self, rules: Iterable[BoundRule], outcome: Outcome, released: ColumnSource
    ) -> Repair:
        """Let rows that break a rule take its columns from one of their donors.

        Rules that share columns are repaired as one. What no donor repairs is suppressed, or left.
        """
        matrix = outcome.donors.matrix.copy()
        lost: dict[str, Flags] = {}
        for group in group_rules(self._at_finest_level(one) for one in rules):
            broken = {one.rule.text: one.rule.breaks(released) for one in group}
            level = self._find_level(group[0].moved)
            for rows, some in _by_pattern(group, broken, level):
                left = self._try_donors(rows, some, group, released, matrix)
                if len(left) and self.suppress:
                    lost |= self._suppress(left, some, matrix, lost)
        return Repair(_with_donors(outcome, matrix, self.names), lost)

    def _try_donors(
        self, rows: Rows, broken: list[BoundRule], group: list[BoundRule], released: ColumnSource,
        matrix: Rows,
    ) -> Rows:  # fmt: skip
        """Repair what can be repaired; the rows that are left."""
        level = self._find_level(group[0].moved)
        few = list(dict.fromkeys(name for one in broken for name in one.moved))
        many = list(dict.fromkeys(name for one in group for name in one.moved))
        candidates = self._list_candidates(rows, matrix, level)
        left = np.arange(len(rows))
        for names in (few, many) if len(many) > len(few) else (few,):
            for turn in range(candidates.shape[1] if names else 0):
                some = left[candidates[left, turn] >= 0]
                if not len(some):
                    continue
                donors = candidates[some, turn]
                good = self._obey(rows[some], donors, names, group, released)
                good = good if level is None else _agree(good, level.units, rows[some])
                at = [self.names.index(name) for name in names]
                matrix[np.ix_(rows[some[good]], at)] = donors[good, np.newaxis]
                left = np.setdiff1d(left, some[good], assume_unique=True)
        return rows[left]

    def _obey(
        self,
        rows: Rows,
        donors: Rows,
        names: list[str],
        group: list[BoundRule],
        released: ColumnSource,
    ) -> Flags:
        """Flag the rows that break no rule of a group if these columns come from these donors."""
        proposed = ProposedRows(
            self.origin, released, rows, donors, names, self.derived, self.rests
        )
        broken = [one.rule.breaks(proposed) for one in group]
        return ~np.logical_or.reduce(broken)

    def _list_candidates(self, rows: Rows, matrix: Rows, level: Level | None) -> Rows:
        """The donors of each row in a random order, each once, the row itself last; -1 is none.

        All rows of a unit have the same order.
        """
        columns = self._list_columns(level)
        given = matrix[np.ix_(rows, columns)]
        whose, own, donor = self.numbers[rows], rows, given
        if level is not None and level.units is not None:
            whose = own = level.units.of_row[rows]
            donor = np.where(given < 0, given, level.units.of_row[given])
        cells = whose[:, np.newaxis] * len(columns) + np.arange(len(columns))
        words = self.hashing.bits(cells.ravel()).reshape(cells.shape) >> np.uint64(1)
        words[donor == own[:, np.newaxis]] |= np.uint64(1 << 63)
        ordered = np.take_along_axis(given, np.argsort(words, axis=1), axis=1)
        return _without_repeats(np.maximum(ordered, -1))

    def _list_columns(self, level: Level | None) -> Rows:
        """The columns whose donors may give: those of a level, for others may give elsewhere."""
        names = self.names if level is None else level.columns
        return np.array([self.names.index(name) for name in names], np.int64)

    def _at_finest_level(self, one: BoundRule) -> BoundRule:
        """The rule with those of its columns that can move without moving more than one unit."""
        level = self._find_level(one.moved)
        if level is None:
            return one
        return one._replace(moved=tuple(name for name in one.moved if name in level.columns))

    def _find_level(self, names: tuple[str, ...]) -> Level | None:
        """The finest level that has some of these columns."""
        return next((one for one in reversed(self.levels) if set(one.columns) & set(names)), None)

    def _suppress(
        self, rows: Rows, broken: list[BoundRule], matrix: Rows, lost: Mapping[str, Flags]
    ) -> dict[str, Flags]:
        suppressions = {}
        for one in broken:
            at = np.array([self.names.index(name) for name in one.moved], np.int64)
            matrix[np.ix_(rows, at)] = SUPPRESSED
            flags = lost.get(one.rule.text, np.zeros(len(matrix), bool)).copy()
            flags[rows] = bool(one.moved)
            suppressions[one.rule.text] = flags
        return suppressions


def group_rules(rules: Iterable[BoundRule]) -> list[list[BoundRule]]:
    """Rules that share columns; a rule without masked columns is on its own."""
    rules = list(rules)
    sets = merge_sets([one.moved for one in rules if one.moved])
    groups = [[one for one in rules if set(one.moved) & set(names)] for names in sets]
    return [*groups, *([one] for one in rules if not one.moved)]


def count_rules(
    rules: Iterable[BoundRule],
    before: ColumnSource,
    after: ColumnSource,
    suppressed: Mapping[str, Flags],
) -> tuple[RuleCount, ...]:
    """Say what became of each rule, from the release before and after repairs."""
    return tuple(_count(one.rule, before, after, suppressed) for one in rules)


def _count(
    rule: Condition, before: ColumnSource, after: ColumnSource, suppressed: Mapping[str, Flags]
) -> RuleCount:
    broken = rule.breaks(before)
    left = rule.breaks(after) if after is not before else broken
    lost = broken & ~left & suppressed.get(rule.text, np.zeros(len(broken), bool))
    repaired = broken & ~left & ~lost
    return RuleCount(rule.shown, *(int(flags.sum()) for flags in (broken, repaired, lost, left)))


def _by_pattern(
    group: list[BoundRule], broken: Mapping[str, Flags], level: Level | None
) -> list[tuple[Rows, list[BoundRule]]]:
    """The rows that break the same rules of a group, with these rules; whole units at a level."""
    flags = np.array([broken[one.rule.text] for one in group])
    if level is not None and level.units is not None:
        flags = np.array([_spread_to_units(one, level.units) for one in flags])
    rows = np.flatnonzero(flags.any(axis=0))
    if not len(rows):
        return []
    patterns, at = np.unique(flags[:, rows], axis=1, return_inverse=True)
    return [
        (rows[at == i], [one for one, is_broken in zip(group, pattern, strict=True) if is_broken])
        for i, pattern in enumerate(patterns.T)
    ]


def _spread_to_units(flags: Flags, units: Units) -> Flags:
    """All rows of units of which some are flagged."""
    return np.bincount(units.of_row, weights=flags)[units.of_row] > 0


def _agree(good: Flags, units: Units | None, rows: Rows) -> Flags:
    """Rows of units all of whose rows are good; they are all there."""
    if units is None:
        return good
    whose = units.of_row[rows]
    return np.asarray(np.bincount(whose, weights=~good)[whose] == 0)


def _without_repeats(candidates: Rows) -> Rows:
    """Each candidate of a row once, where it comes first."""
    order = np.argsort(candidates, axis=1, kind="stable")
    ordered = np.take_along_axis(candidates, order, axis=1)
    again = np.zeros(candidates.shape, bool)
    again[:, 1:] = ordered[:, 1:] == ordered[:, :-1]
    flags = np.empty_like(again)
    np.put_along_axis(flags, order, again, axis=1)
    return np.where(flags, -1, candidates)


def _with_donors(outcome: Outcome, matrix: Rows, names: tuple[str, ...]) -> Outcome:
    """The outcome with other donors; cells that no longer stay are no longer stuck."""
    stuck: dict[str, Any] = {}
    for name, rows in outcome.stuck.items():
        still = rows[matrix[rows, names.index(name)] == rows]
        if len(still):
            stuck[name] = still
    return replace(outcome, donors=DonorMap(matrix, outcome.donors.givers), stuck=stuck)
