"""Sum of what was done to the blocks of a table: one path to changes, notes and record."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from swapmeet.engines.blocks import BlockNotes, merge_block_notes
from swapmeet.errors import warn
from swapmeet.release.audit import AuditRecord
from swapmeet.release.changes import (
    CellCounts,
    ChangeCounts,
    ColumnChange,
    RuleCount,
    find_rounded,
    merge_rule_counts,
    notes_of,
)
from swapmeet.release.donors import MADE, DonorMap, to_table_rows
from swapmeet.release.outcome import Outcome, is_owned
from swapmeet.tables.schema import Role, Schema

if TYPE_CHECKING:
    from swapmeet.base.arrays import Ints
    from swapmeet.base.seeds import Seed
    from swapmeet.engines.ties import TiedRelease
    from swapmeet.methods import Method
    from swapmeet.release.fingerprint import Fingerprint
    from swapmeet.tables.microdata import Microdata


REPAIRED = (
    "repaired rows have the columns of a rule from one of their donors: what is said here of "
    "groups, of values from one person and of relations is as it was before."
)


class Tally:
    """Counts and sentences of the blocks so far; with donors and stuck rows if asked for."""

    def __init__(self, schema: Schema, rows: int, *, audited: bool) -> None:
        self._schema, self._rows = schema, rows
        changing = [column.name for column in schema if column.role.changes]
        self._counts = ChangeCounts(dict.fromkeys(changing, CellCounts()))
        self._rules: tuple[RuleCount, ...] = ()
        self._notes: dict[int, BlockNotes] = {}
        self._stuck_rows: dict[str, list[Ints]] = {}
        self._stuck: Counter[str] = Counter()
        self._rounded: set[str] = set()
        self._in_place = np.ones(len(schema.masked), bool)
        self._donors = self._own_rows() if audited else None

    def __repr__(self) -> str:
        return f"<Tally of {len(self._notes)} blocks>"

    def add(self, number: int, rows: Ints, data: Microdata, tied: TiedRelease) -> None:
        """Count what was done to a block with these rows, its own before its guests."""
        outcome, released = tied.outcome, tied.released
        self._counts += ChangeCounts.of(data, outcome.donors, released, tied.derived)
        self._counts += ChangeCounts(tied.derived)
        self._rules = merge_rule_counts(self._rules, tied.rules)
        self._notes[number] = BlockNotes(data.own, outcome.facts, outcome.notes)
        self._rounded.update(find_rounded(released, outcome))
        self._in_place &= outcome.donors.in_place
        for name, stuck in outcome.stuck.items():
            self._stuck[name] += len(stuck)
        if self._donors is not None:
            self._keep(rows, data, outcome)

    def merge(self, other: Tally) -> None:
        """Add what was counted elsewhere, of other blocks; without donors."""
        self._counts += other._counts
        self._notes.update(other._notes)
        self._stuck.update(other._stuck)
        self._rounded |= other._rounded
        self._rules = merge_rule_counts(self._rules, other._rules)
        self._in_place &= other._in_place

    @property
    def blocks(self) -> frozenset[int]:
        """The numbers of the blocks."""
        return frozenset(self._notes)

    def is_owned(self, method: Method) -> bool:
        """Return whether released rows are about somebody."""
        return is_owned(method, self._in_place)

    def suppressed(self, name: str) -> int:
        """Count the cells of a column that were suppressed."""
        return self._counts.columns.get(name, CellCounts()).suppressed

    def changes(self) -> tuple[ColumnChange, ...]:
        """Return how much of each column moved and changed."""
        return self._counts.shares(self._rows)

    def summarize(
        self, method: Method, seed: Seed, remarks: tuple[str, ...] = ()
    ) -> dict[str, Any]:
        """The fields of a `Summary`; what a curator must know is warned of besides."""
        facts, notes = self.facts_and_notes(method)
        for note in notes:
            warn(note)
        return {
            "rows": self._rows,
            "schema": self._schema,
            "method": method.name,
            "settings": method.settings(),
            "changes": self.changes(),
            "notes": (*facts, *remarks, *notes),
            "reproducible": seed.chosen,
            "rules": self._rules,
        }

    def facts_and_notes(self, method: Method) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return what blocks noted, each thing once, and what a curator must know."""
        facts, notes = self._merge_notes()
        rounded = [name for name in self._schema.masked if name in self._rounded]
        stuck = {name: self._stuck[name] for name in self._schema.masked}
        moved = tuple(change for change in self.changes() if change.name in stuck)
        more = notes_of(method, moved, rounded, stuck, self._rows)
        kept = [one.describe(self._rows) for one in self._rules if not one.left]
        if any(one.repaired or one.suppressed for one in self._rules):
            kept.append(REPAIRED)
        broken = [one.describe(self._rows) for one in self._rules if one.left]
        return (*facts, *kept), (*notes, *more, *broken)

    def record(
        self, method: Method, seed: Seed, owner: Ints, fingerprint: Fingerprint
    ) -> AuditRecord:
        """The audit record; `owner` has the row that each released row stands for."""
        assert self._donors is not None
        masked = self._schema.masked
        stuck = {name: np.sort(np.concatenate(self._stuck_rows[name]))
                 for name in masked if name in self._stuck_rows}  # fmt: skip
        donors, owned = DonorMap(self._donors.T), self.is_owned(method)
        columns = self._schema.published
        return AuditRecord(
            seed, columns, donors, owner, stuck, owned, method, fingerprint,
            recodes=self._schema.recodes, derived=self._schema.having(Role.DERIVED),
            rests=self._schema.ties.rests,
        )  # fmt: skip

    def _merge_notes(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        if len(self._notes) == 1:
            (only,) = self._notes.values()
            return only.facts, only.notes
        return merge_block_notes(self._notes, self._rows)

    def _own_rows(self) -> Ints:
        donors = np.tile(np.arange(self._rows), (len(self._schema.published), 1))
        derived = self._schema.having(Role.DERIVED)
        donors[[self._schema.published.index(name) for name in derived]] = MADE
        return donors

    def _keep(self, rows: Ints, data: Microdata, outcome: Outcome) -> None:
        assert self._donors is not None
        for name, given in zip(data.names, outcome.donors.matrix.T, strict=True):
            place = self._schema.published.index(name)
            self._donors[place, rows[: data.own]] = to_table_rows(given, rows)
        for name, stuck in outcome.stuck.items():
            self._stuck_rows.setdefault(name, []).append(rows[stuck])
