"""A release that is compared with its original and thrown away: it is never made as a table."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from swapmeet.base.parallel import Workers
from swapmeet.base.progress import Progress, silent
from swapmeet.comparison.comparison import Comparison, ownership_of
from swapmeet.comparison.knowledge import Knowledge
from swapmeet.engines.local.engine import Local
from swapmeet.measures.matching import choose_keys
from swapmeet.release.donors import MADE, SUPPRESSED
from swapmeet.release.outcome import Outcome, extend_to_all_columns, is_owned
from swapmeet.release.provenance import Provenance
from swapmeet.tables.frame import Table, reorder
from swapmeet.tables.microdata import Microdata, Variable
from swapmeet.tables.rests import RestColumn, find_rest_columns
from swapmeet.tables.schema import Kind, Role

if TYPE_CHECKING:
    from swapmeet.base.arrays import Flags, Floats, Ints
    from swapmeet.base.seeds import Seed
    from swapmeet.engines.ties import FittedTies
    from swapmeet.methods import Method


@dataclass(frozen=True, repr=False, eq=False)
class TrialData:
    """A table as arrays: `masked` has the masked columns, `published` all published ones.

    Values are moved in the arrays; only made ones take the way through the type of their column,
    which `frame` knows. `before` has the published columns before they were recoded, if they were,
    in the same codes. With `ties`, `frame` has all columns that they speak of.
    """

    frame: Any
    masked: Microdata
    published: Microdata
    known: tuple[str, ...]
    at_most: int | None
    level: Knowledge = Knowledge.KEYS
    before: Microdata | None = None
    ties: FittedTies | None = None
    progress: Progress = silent

    def compare_both(self, method: Method, seed: Seed) -> tuple[Comparison, Comparison]:
        """A release beside the table as it was masked, for risk, and as it was, for loss."""
        plain = self.compare(method, seed)
        risk = plain.with_rests()
        if self.before is None:
            return risk, plain
        return risk, replace(plain, original=self.before)

    def compare(self, method: Method, seed: Seed) -> Comparison:
        """Mask the table and set the release beside the original, as `assess` compares them."""
        outcome, released, tied = self._release(method, seed)
        owned = is_owned(method, outcome.donors.in_place)
        names, derived = self.published.names, self._derived
        donors = extend_to_all_columns(outcome.donors, self.masked.names, names, derived=derived)
        origin = Provenance.of(donors, names, method, owned=owned, derived=derived)
        return Comparison(
            original=replace(self.published, cache=self.masked.cache),
            released=released.take(origin.place) if owned else released,
            ownership=ownership_of(owned, self.known, self._changing),
            masked=self._changing,
            known=self.known,
            at_most=self.at_most,
            workers=Workers(1, self.progress),
            keys=self._keys,
            level=self.level,
            provenance=origin,
            rests=self._list_rests(tied, origin.place if owned else None),
        )

    def take(self, rows: Ints) -> TrialData:
        """Only these rows, as a table of its own."""
        return replace(
            self,
            frame=reorder(self.frame, rows),
            masked=self.masked.take(rows),
            published=self.published.take(rows),
            before=None if self.before is None else self.before.take(rows),
        )

    @property
    def _keys(self) -> tuple[str, ...]:
        """Return what the intruder of a verdict knows: the columns named, else the keys."""
        columns = list(self.published.variables)
        return choose_keys(None if self.known == self.masked.names else self.known, columns)

    @property
    def _derived(self) -> tuple[str, ...]:
        return tuple(v.name for v in self.published.variables if v.role is Role.DERIVED)

    @property
    def _changing(self) -> tuple[str, ...]:
        """The columns that are masked, or follow from such, in the order of the table."""
        return tuple(v.name for v in self.published.variables if v.role.changes)

    def _list_rests(self, released: Table | None, order: Ints | None) -> tuple[RestColumn, ...]:
        """Rests of columns that nearly follow from others."""
        if self.ties is None or released is None or not self.ties.rests:
            return ()
        schema = self.ties.schema
        return find_rest_columns(schema.ties.rests, schema, (Table(self.frame), released), order)

    def _release(self, method: Method, seed: Seed) -> tuple[Outcome, Microdata, Table | None]:
        """Mask, repair rules, and return the outcome and the released values.

        Columns that follow from others are in the table besides, if there are such.
        """
        outcome = Local(threads=1, progress=self.progress).run(method, self.masked, seed)
        if self.ties is None or not (self.ties.derived or self.ties.rules):
            return outcome, self._move(outcome), None
        table = Table(self.frame)
        tied = self.ties.apply(
            outcome, table, self.masked, table.names, seed, np.arange(self.masked.n)
        )
        moved = self._move(tied.outcome)
        columns = [self.ties.schema[one.name] for one in self.ties.derived]
        before, after = Microdata.of_both(table, tied.released, columns)
        fresh = {v.name: _recode(self.published[v.name], b, v) for b, v in
                 zip(before.variables, after.variables, strict=True)}  # fmt: skip
        variables = tuple(fresh.get(v.name, v) for v in moved.variables)
        return tied.outcome, replace(moved, variables=variables), tied.released

    def _move(self, outcome: Outcome) -> Microdata:
        donors = dict(zip(self.masked.names, outcome.donors.matrix.T, strict=True))
        variables = tuple(
            self._move_values(variable, donors[variable.name], outcome.made.get(variable.name))
            if variable.name in donors
            else variable
            for variable in self.published.variables
        )
        return replace(self.published, variables=variables)

    def _move_values(
        self,
        variable: Variable,
        donors: Ints,
        made: Floats | None,
    ) -> Variable:
        values = variable.values[np.maximum(donors, 0)]
        values[donors == SUPPRESSED] = -1 if variable.kind is Kind.NOMINAL else np.nan
        if made is not None:
            cells = donors == MADE
            values[cells] = self._cast_made_values(variable.name, made, cells)[cells]
        return replace(variable, values=values)

    def _cast_made_values(self, name: str, made: Floats, cells: Flags) -> Floats:
        """Made values as the column's type holds them."""
        column = Table(Table(self.frame).take({}, [name]))
        return Table(column.put({name: made}, {name: cells})).numbers(name)


def _recode(own: Variable, before: Variable, after: Variable) -> Variable:
    """The values `after`, in the codes that the column itself has for levels of the original."""
    if own.kind is not Kind.NOMINAL:
        return replace(own, values=after.values, whole=None)
    codes = np.full(after.levels + 1, -1, own.values.dtype)
    known = before.values >= 0
    codes[before.values[known]] = own.values[known]
    new = np.flatnonzero(codes[:-1] < 0)
    codes[new] = own.levels + np.arange(len(new))
    return replace(own, values=codes[after.values], levels=own.levels + len(new), whole=None)
