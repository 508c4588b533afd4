"""Ties of columns kept in a release: derived columns and rules."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from swapmeet.base.row_hash import RowHash
from swapmeet.base.sentences import join_names
from swapmeet.engines.rules import BoundRule, RepairTask, count_rules
from swapmeet.errors import SchemaError, TableError
from swapmeet.release.changes import CellCounts, RuleCount
from swapmeet.release.donors import MADE, DonorMap
from swapmeet.release.outcome import Outcome, apply_outcome
from swapmeet.tables.conditions import Condition
from swapmeet.tables.derivations import order_derivations
from swapmeet.tables.derived_columns import Failures, FittedDerivation, TableFacts, fit_derivations
from swapmeet.tables.frame import Table
from swapmeet.tables.rests import OpenColumns, Rest, RestLedger, Rests
from swapmeet.tables.ties import find_sets
from swapmeet.tables.units import Level, find_levels

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from swapmeet.base.arrays import Rows
    from swapmeet.base.seeds import Seed
    from swapmeet.tables.microdata import Microdata
    from swapmeet.tables.schema import Schema
    from swapmeet.tables.statistics import ColumnStatistics, PartialStatistics


class TiedRelease(NamedTuple):
    """Rows in which derived columns follow and rules hold, and what that took.

    `rules` has the counts of each rule, `derived` those of each derived column.
    """

    outcome: Outcome
    released: Table
    rules: tuple[RuleCount, ...] = ()
    derived: Mapping[str, CellCounts] = {}


@dataclass(frozen=True, repr=False, eq=False)
class FittedTies:
    """Derivations and rules that the whole original obeys.

    `gaps` has, by derived column, the rows in which either it alone or what it follows from is
    missing. `statistics` are those of what is left of columns that nearly follow.
    """

    schema: Schema
    derived: tuple[FittedDerivation, ...] = ()
    rules: tuple[BoundRule, ...] = ()
    gaps: Mapping[str, int] = field(default_factory=dict)
    statistics: Mapping[str, ColumnStatistics] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<FittedTies: {len(self.derived)} derived columns, {len(self.rules)} rules>"

    @cached_property
    def rests(self) -> Rests:
        """The columns of which a rest is masked in their place."""
        nearly = tuple(one for one in self.derived if one.derivation.has_rest)
        return Rests(self.schema, nearly, self.statistics)

    def apply(
        self,
        outcome: Outcome,
        table: Table,
        data: Microdata,
        columns: tuple[str, ...],
        seed: Seed,
        rows: Rows,
        *,
        grains: Mapping[str, int] | None = None,
        levels: Mapping[str, Any] | None = None,
        numbers: Mapping[str, Rows] | None = None,
    ) -> TiedRelease:
        """Move the values, derive columns from them, and repair rules.

        `rows` are their numbers in the whole table; `levels` has what codes stand for in columns of
        categories that are packed, `numbers` the donors of columns with numbers of units.
        """
        origin = OpenColumns(table, self.schema, levels or {})
        rests = self.rests.find(origin)

        def release(done: Outcome) -> tuple[Table, OpenColumns]:
            plain = _without_rests(done, data, self.rests.names)
            moved = apply_outcome(plain, table, data, columns, grains, numbers)
            return self._derive(moved, origin, self._move_rests(rests, done, data))

        released, seen = release(outcome)
        if not self.rules:
            return TiedRelease(outcome, released, (), self._count_derived(origin, seen, data.own))
        task = RepairTask(
            data.names, origin, {one.name: one for one in self.derived}, rows,
            RowHash.of(seed.stream("rules")),
            RestLedger(rests, self._move_rests(rests, outcome, data)),
            suppress=self.schema.ties.unrepaired == "suppress", levels=_find_levels(data),
        )  # fmt: skip
        fixed, lost = task.repair(self.rules, outcome, seen)
        after = seen
        if not np.array_equal(fixed.donors.matrix, outcome.donors.matrix):
            released, after = release(fixed)
        counts = count_rules(self.rules, seen, after, lost)
        return TiedRelease(fixed, released, counts, self._count_derived(origin, after, data.own))

    def list_facts(self) -> Iterator[str]:
        """Return what the record says about columns that belong together or follow from others."""
        for names in find_sets(self.schema):
            yield f"{join_names(names)} moved as one: in each row they come from one donor."
        for one in self.derived:
            gaps = self.gaps.get(one.name, 0)
            more = f"; in {gaps:,} rows of the original only one side is missing" if gaps else ""
            parents = join_names(one.derivation.parents)
            rest = " and a rest, which moved in its place" * one.derivation.has_rest
            yield f"{one.name} was computed anew from the released {parents}{rest}{more}."

    def _move_rests(
        self, rests: Mapping[str, Rest], done: Outcome, data: Microdata
    ) -> dict[str, Rest]:
        """Rests of columns, as they were moved or made."""
        return {
            one.name: rests[one.name].move(
                done.donors.matrix[:, data.names.index(one.name)], done.made.get(one.name),
                one.facts.decimals[one.name],
            )
            for one in self.rests.derivations
        }  # fmt: skip

    def _derive(
        self, moved: Table, origin: OpenColumns, rests: Mapping[str, Rest]
    ) -> tuple[Table, OpenColumns]:
        seen = OpenColumns(moved, self.schema, origin.levels)
        for one in self.derived:
            values = one.compute(seen, origin.plain(one.name).type, rests.get(one.name))
            stored = self._store(one.name, values, origin)
            moved = Table(moved.set_columns({one.name: stored}))
            seen = OpenColumns(moved, self.schema, origin.levels)
        return moved, seen

    def _store(self, name: str, values: Any, origin: OpenColumns) -> Any:
        """Values as the table keeps them: categories by number, a gap by its code."""
        codes = self.schema[name].missing
        if codes and values.null_count and not origin.table.missing(name):
            values = values.fill_null(pa.scalar(codes[0]).cast(values.type))
        if name not in origin.levels:
            return values
        levels = origin.levels[name]
        places = pc.index_in(values.cast(levels.type), value_set=levels)
        if places.null_count > values.null_count:
            raise TableError(refuse_category(name))
        return places.cast(origin.table.cells(name).type)

    def _count_derived(
        self, origin: OpenColumns, after: OpenColumns, own: int
    ) -> dict[str, CellCounts]:
        return {
            one.name: _compare(origin.plain(one.name).slice(0, own), after.plain(one.name))
            for one in self.derived
        }


def refuse_category(name: str) -> str:
    """Message where a derived value is none of the categories of its column."""
    return (
        f"column {name!r} holds categories, and what follows from the released values is none of "
        "them. Convert the column to text first."
    )


def fit_ties(schema: Schema, pieces: Callable[[], Iterable[Table]]) -> FittedTies:
    """Derivations and rules, checked in the original, whose pieces are read twice.

    What the original breaks is refused with how often.
    """
    ties = bind_ties(schema)
    if not ties.derived and not ties.rules:
        return ties
    facts = TableFacts()
    for number, piece in enumerate(pieces()):
        part = find_facts(ties, piece)
        facts = facts.merge(part) if number else part
    ties = ties_with_facts(ties, facts)
    checks = [check_piece(ties, piece) for piece in pieces()]
    return require_obeyed(ties, checks)


def list_tied(schema: Schema) -> tuple[str, ...]:
    """The columns that derivations and rules speak of."""
    ties = bind_ties(schema)
    derivations = [one.derivation for one in ties.derived]
    named = [name for one in derivations for name in (one.name, *one.parents)]
    named += [name for one in ties.rules for name in one.rule.columns]
    return tuple(name for name in schema.names if name in named)


def bind_ties(schema: Schema) -> FittedTies:
    """The derivations and rules of a schema, of which nothing is known yet."""
    derivations = order_derivations(schema.ties.derive)
    parents = {one.name: one.parents for one in derivations}
    rules = [Condition(text) for text in schema.ties.rules]
    bound = tuple(BoundRule(rule, _find_moved(rule.columns, parents, schema)) for rule in rules)
    return FittedTies(schema, fit_derivations(derivations, TableFacts()), bound)


def ties_with_facts(ties: FittedTies, facts: TableFacts) -> FittedTies:
    """The same with what is known of the whole table."""
    derivations = tuple(one.derivation for one in ties.derived)
    return FittedTies(ties.schema, fit_derivations(derivations, facts), ties.rules)


def find_facts(ties: FittedTies, piece: Table) -> TableFacts:
    """Facts that must be known about a piece of the original."""
    seen = OpenColumns(piece, ties.schema)
    return TableFacts.of(tuple(one.derivation for one in ties.derived), seen)


class PieceCheck(NamedTuple):
    """Obedience of a piece of a table, by derived column and by rule; and what is left."""

    derived: dict[str, Failures]
    rules: dict[str, int]
    rows: int
    rests: dict[str, PartialStatistics]


def check_piece(ties: FittedTies, piece: Table) -> PieceCheck:
    """Measure how far a piece of the original obeys its derivations and rules."""
    seen = OpenColumns(piece, ties.schema)
    return PieceCheck(
        {one.name: one.compare(seen) for one in ties.derived},
        {one.rule.text: int(one.rule.breaks(seen).sum()) for one in ties.rules},
        len(piece),
        ties.rests.gather(seen),
    )


def require_obeyed(ties: FittedTies, checks: list[PieceCheck]) -> FittedTies:
    """The ties, if the original obeys them; else how often it does not."""
    rows = sum(check.rows for check in checks)
    problems = []
    gaps: dict[str, int] = {}
    for one in ties.derived:
        failures = sum((check.derived[one.name] for check in checks), Failures())
        gaps[one.name] = failures.open
        if failures.broken and not one.derivation.has_rest:
            problems.append(_refuse_derivation(one, failures.broken, rows))
    for bound in ties.rules:
        broken = sum(check.rules[bound.rule.text] for check in checks)
        if broken:
            problems.append(
                f"rule {bound.rule.shown}: the original breaks it in {broken:,} of {rows:,} rows. "
                "Correct these rows or the rule first: a release cannot be better than its table."
            )
    if problems:
        raise SchemaError(problems)
    statistics = ties.rests.with_statistics(check.rests for check in checks).statistics
    return FittedTies(ties.schema, ties.derived, ties.rules, gaps, statistics)


def _refuse_derivation(one: FittedDerivation, broken: int, rows: int) -> str:
    decimals = one.facts.decimals.get(one.name)
    digits = "" if not decimals else f" to {decimals} decimal{'' if decimals == 1 else 's'}"
    return (
        f"derive {one.derivation.shown}: in {broken:,} of {rows:,} rows of the original the column "
        f"is something else{digits}. Correct these rows or the expression, or leave it out."
    )


def _find_moved(
    names: Iterable[str], parents: Mapping[str, tuple[str, ...]], schema: Schema
) -> tuple[str, ...]:
    """The masked columns that decide on columns: through derived ones, and with their sets."""
    columns: dict[str, None] = {}
    waiting = list(names)
    while waiting:
        name = waiting.pop(0)
        waiting += parents.get(name, ())
        if name in schema.names and schema[name].role.masked:
            columns[name] = None
    for one in find_sets(schema):
        if columns.keys() & set(one):
            columns |= dict.fromkeys(one)
    return tuple(name for name in schema.masked if name in columns)


def _without_rests(done: Outcome, data: Microdata, names: tuple[str, ...]) -> Outcome:
    """The outcome without made rests, which are no values of their columns."""
    made = [name for name in names if name in done.made]
    if not made:
        return done
    matrix = done.donors.matrix.copy()
    for name in made:
        column = matrix[:, data.names.index(name)]
        column[column == MADE] = np.flatnonzero(column == MADE)
    left = {name: values for name, values in done.made.items() if name not in made}
    return replace(done, donors=DonorMap(matrix, done.donors.givers), made=left)


def _find_levels(data: Microdata) -> tuple[Level, ...]:
    """The levels of columns, where rows belong to units."""
    has_units = data.household is not None or data.person is not None
    return tuple(find_levels(data)) if has_units else ()


def _compare(before: Any, after: Any) -> CellCounts:
    """Count the cells of a derived column that are other ones, or gone."""
    was, is_ = (np.asarray(c.is_null(nan_is_null=True)) for c in (before, after))
    same = np.asarray(pc.fill_null(pc.equal(before, after), False))  # noqa: FBT003
    changed = ~same & ~(was & is_)
    return CellCounts(
        changed=int(changed.sum()), suppressed=int((is_ & ~was).sum()), made=int((~is_).sum())
    )
