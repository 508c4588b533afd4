"""From a table in memory to its release."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.engines.checks import require_something_to_mask
from swapmeet.engines.local.save import write_release
from swapmeet.engines.tally import Tally
from swapmeet.engines.ties import FittedTies, fit_ties
from swapmeet.engines.unit_checks import check_units, describe_units, require_nested_places
from swapmeet.release.audit import AuditRecord
from swapmeet.release.fingerprint import Fingerprint
from swapmeet.release.outcome import Outcome, extend_to_all_columns
from swapmeet.release.release import Release
from swapmeet.tables.frame import Frame, Table
from swapmeet.tables.microdata import Microdata
from swapmeet.tables.schema import Role, Schema
from swapmeet.tables.traces import describe_left_out, remove_traces
from swapmeet.tables.units import Units

if TYPE_CHECKING:
    from collections.abc import Callable

    from swapmeet.base.arrays import Ints
    from swapmeet.base.seeds import Seed
    from swapmeet.engines.local.engine import Local
    from swapmeet.methods import Method
    from swapmeet.release.donors import DonorMap
    from swapmeet.release.protection import Protection

    FindProtection = Callable[[DonorMap], Protection]


def mask_table(engine: Local, table: Table, method: Method, schema: Schema, seed: Seed) -> Release:
    """Run the method on the masked columns, move the values, and write down what was done."""
    task = MaskingTask.of(table, method, schema, seed)
    return task.release(engine.run(method, task.data, seed))


@dataclass(frozen=True, repr=False, eq=False)
class MaskingTask:
    """A table that is about to be masked: `data` has its masked columns as arrays.

    From what a method did to these, `release` makes the release.
    """

    table: Table
    method: Method
    schema: Schema
    seed: Seed
    data: Microdata
    ties: FittedTies
    numbers: dict[str, Ints]

    def __repr__(self) -> str:
        return f"<MaskingTask of {len(self.table)} rows>"

    @classmethod
    def of(cls, table: Table, method: Method, schema: Schema, seed: Seed) -> MaskingTask:
        """Refuse what cannot be masked, before any work."""
        require_something_to_mask(len(table), schema)
        data = Microdata.of(table, schema, method.find_context(schema))
        check_units(table, data, schema)
        if not method.moves_units:
            require_nested_places(data)
        ties = fit_ties(schema, lambda: [table])
        data = ties.rests.put_into(data, table)
        return cls(table, method, schema, seed, data, ties, deal_numbers(table, data, schema, seed))

    def release(self, outcome: Outcome, protect: FindProtection | None = None) -> Release:
        """Move the values, derive columns, repair rules, and write down what was done.

        `protect` tells, from the donors after repairs, for whom protection was raised.
        """
        rows, schema = np.arange(len(self.table)), self.schema
        tied = self.ties.apply(
            outcome, self.table, self.data, schema.published, self.seed, rows,
            numbers=self.numbers,
        )  # fmt: skip
        tally = Tally(schema, len(self.table), audited=False)
        tally.add(0, rows, self.data, tied)
        published, traces = remove_traces(tied.released.native)
        audit = self._record(tied.outcome, published, owned=tally.is_owned(self.method))
        if protect is not None:
            audit = replace(audit, protection=protect(tied.outcome.donors))
        remarks = (
            *describe_units(self.data, self.method), *self.ties.list_facts(),
            *describe_left_out(traces),
        )  # fmt: skip
        summary = tally.summarize(self.method, self.seed, remarks)
        return Release(**summary, data=published, audit=audit, writer=write_release)

    def _record(self, outcome: Outcome, published: Frame, *, owned: bool) -> AuditRecord:
        """Owners of the cells, and what distinguishes this release from any other."""
        names, derived = self.schema.published, self.schema.having(Role.DERIVED)
        return AuditRecord(
            self.seed,
            names,
            extend_to_all_columns(outcome.donors, self.data.names, names, self.numbers, derived),
            self.seed.stream("order").permutation(len(self.table)),
            outcome.stuck,
            owned,
            self.method,
            Fingerprint.of(self.seed, Table(published), names),
            recodes=self.schema.recodes,
            derived=derived,
            rests=self.schema.ties.rests,
        )


def deal_numbers(table: Table, data: Microdata, schema: Schema, seed: Seed) -> dict[str, Ints]:
    """List by column of household or person numbers the row each row takes its number from.

    Households take the number of any household, persons that of any person. Where persons are
    numbered inside households, the numbers of each household are dealt among its persons.
    """
    dealt = {}
    for name in schema.having(Role.HOUSEHOLD):
        assert data.household is not None
        dealt[name] = _deal(Units(data.household), seed.stream("numbers", "household"))
    for name in schema.having(Role.PERSON):
        assert data.person is not None
        persons, stream = Units(data.person), seed.stream("numbers", "person")
        inside = is_numbered_inside_households(table, name, persons)
        dealt[name] = _deal(persons, stream, data.household if inside else None)
    return dealt


def is_numbered_inside_households(table: Table, name: str, persons: Units) -> bool:
    """Return whether the same number means another person in another household."""
    return table.codes(name).levels < persons.count


def _deal(units: Units, stream: np.random.Generator, within: Ints | None = None) -> Ints:
    """A random permutation of units, as rows that give to rows; `within` larger ones if given."""
    drawn = stream.permutation(units.count)
    if within is None:
        return units.spread(drawn)
    larger = within[units.first]
    donors = np.empty(units.count, np.int64)
    donors[np.argsort(larger, kind="stable")] = drawn[np.argsort(larger[drawn], kind="stable")]
    return units.spread(donors)
