"""The outcome of masking after further steps for some rows, and with whom they may trade again."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from swapmeet.algorithms.encode import Points, Scale, Space
from swapmeet.base.parallel import ranges
from swapmeet.release.donors import MADE, SUPPRESSED, DonorMap, to_table_rows
from swapmeet.release.outcome import Outcome, extend_to_all_columns
from swapmeet.release.protection import Protection
from swapmeet.release.provenance import Provenance

if TYPE_CHECKING:
    from swapmeet.base.arrays import Flags, Floats, Ints
    from swapmeet.measures.risk.exposure import Exposure
    from swapmeet.release.audit import AuditRecord
    from swapmeet.tables.microdata import Microdata


@dataclass(frozen=True, repr=False, eq=False)
class Treatment:
    """The changes to the masked columns of a table so far.

    `rows_of_people` and `step_of_row` are those of `Protection`; `steps` the methods that traded
    again, None for one that suppressed cells. `people` are those for whom something was done.
    After a step, what the method said of its groups and of relations holds no longer, and is gone.
    """

    data: Microdata
    published: tuple[str, ...]
    outcome: Outcome
    rows_of_people: Ints
    step_of_row: Ints
    people: Ints
    steps: tuple[Any, ...] = ()

    def __repr__(self) -> str:
        return f"<Treatment of {self.data.n} rows by {len(self.steps)} steps>"

    def trade(
        self, method: Any, part: Outcome, rows: Ints, chosen: Flags, people: Ints
    ) -> Treatment:
        """Let some rows trade again, as `method` found for a table of these `rows` alone.

        Columns whose values only change places inside it do so, as they were released so far. Where
        values are drawn or made, only the `chosen` rows among them get new ones.
        """
        matrix, made = self.outcome.donors.matrix.copy(), dict(self.outcome.made)
        step = DonorMap.identity(*matrix.shape).matrix
        for j in range(len(self.data.names)):
            given = part.donors.matrix[:, j]
            if np.array_equal(np.sort(given), np.arange(len(rows))):
                step[rows, j] = rows[given]
            else:
                self._draw(j, rows[chosen], given[chosen], rows, matrix, made, part, chosen)
        for j, name in enumerate(self.data.names):
            matrix[:, j] = matrix[step[:, j], j]
            if name in made:
                made[name] = made[name][step[:, j]]
        whole = extend_to_all_columns(DonorMap(step), self.data.names, self.published)
        return self._after(
            method, matrix, made, people, whole.rows_of_people()[self.rows_of_people]
        )

    def suppress(self, rows: Ints, names: tuple[str, ...], people: Ints) -> Treatment:
        """Take the cells of some rows out of the release."""
        matrix = self.outcome.donors.matrix.copy()
        at = np.array([self.data.names.index(name) for name in names], np.int64)
        matrix[np.ix_(rows, at)] = SUPPRESSED
        return self._after(None, matrix, dict(self.outcome.made), people, self.rows_of_people)

    def describe(self, exposed: Ints) -> Protection:
        """For the audit record; `exposed` are those still above the limit."""
        return Protection(self.steps, self.step_of_row, self.rows_of_people, self.people, exposed)

    def count_cells(self, before: Treatment) -> tuple[int, int]:
        """Count the rows, and cells, that differ from an earlier treatment."""
        changed = _find_changed(before.outcome, self.outcome, self.data.names)
        return int(changed.any(axis=1).sum()), int(changed.sum())

    def _draw(
        self, j: int, cells: Ints, given: Ints, rows: Ints, matrix: Ints, made: dict[str, Any],
        part: Outcome, chosen: Flags,
    ) -> None:  # fmt: skip
        name = self.data.names[j]
        matrix[cells, j] = to_table_rows(given, rows)
        if (given == MADE).any():
            values = made.get(name, self.data[name].values).astype(np.float64).copy()
            values[cells] = part.made[name][chosen]
            made[name] = values

    def _after(
        self, method: Any, matrix: Ints, made: dict[str, Any], people: Ints, rows_of_people: Ints
    ) -> Treatment:
        stuck: dict[str, Ints] = {}
        for name, rows in self.outcome.stuck.items():
            still = rows[matrix[rows, self.data.names.index(name)] == rows]
            stuck |= {name: still} if len(still) else {}
        outcome = replace(self.outcome, donors=DonorMap(matrix), made=made, stuck=stuck, facts=())
        after = replace(
            self, outcome=outcome, rows_of_people=rows_of_people, steps=(*self.steps, method),
            people=np.union1d(self.people, people),
        )  # fmt: skip
        touched = _find_changed(self.outcome, outcome, self.data.names).any(axis=1)
        return replace(after, step_of_row=np.where(touched, len(after.steps), self.step_of_row))


def _find_changed(before: Outcome, after: Outcome, names: tuple[str, ...]) -> Flags:
    """Find the cells that now come from somebody else, or were made anew."""
    changed = after.donors.matrix != before.donors.matrix
    for j, name in enumerate(names):
        if name in after.made and name in before.made:
            made = after.donors.matrix[:, j] == MADE
            changed[:, j] |= made & (after.made[name] != before.made[name])
    return np.asarray(changed)


NOMINAL_WEIGHT = 0.1
"""What a different category counts in the distance of partners, so that categories may change."""
PAIRS = 4_000_000
"""About so many pairs of rows are compared at once."""


def find_rows(audit: AuditRecord, exposure: Exposure, people: Ints, known: tuple[str, ...]) -> Ints:
    """The released rows that give people away, in the order of `Release.data`.

    They stand in the people's places, hold most of their values, or are their records.
    """
    chosen = np.zeros(len(exposure.found), bool)
    chosen[people] = True
    places = audit.rows_of_people() if audit.owned else np.arange(len(chosen))
    rows = [people, places[people]]
    rows.append(places[exposure.copies.rows[chosen[exposure.copies.people]]])
    given = Provenance(_list_given(audit), audit.given.matrix, np.arange(len(chosen)))
    for columns in (given.columns, [n for n in given.columns if n not in known]):
        givers = given.find_givers(columns)
        rows.append(np.flatnonzero(chosen[np.maximum(givers, 0)] & (givers >= 0)))
    return np.unique(np.concatenate(rows))


def _list_given(audit: AuditRecord) -> tuple[str, ...]:
    return tuple(name for name in audit.columns if name not in audit.derived)


def spread_to_units(data: Microdata, rows: Ints) -> Ints:
    """All rows of the households, or persons, of some rows: whole units are protected."""
    units = data.person if data.household is None else data.household
    return rows if units is None else np.flatnonzero(np.isin(units, units[rows]))


def add_partners(data: Microdata, rows: Ints, count: int) -> Ints:
    """Some rows with the `count` nearest others of each, of the same stratum; whole units."""
    points = Space(Scale.UNIT, NOMINAL_WEIGHT).points(data)
    free = np.setdiff1d(np.arange(data.n), rows, assume_unique=True)
    chosen = [rows]
    for stratum in np.unique(data.strata[rows]).tolist():
        some, others = (one[data.strata[one] == stratum] for one in (rows, free))
        chosen.append(_find_nearest(points, some, others, count))
    return spread_to_units(data, np.unique(np.concatenate(chosen)))


def _find_nearest(points: Points, rows: Ints, others: Ints, count: int) -> Ints:
    """The nearest of the others to each row; all, where there are no more than asked for."""
    if len(others) <= count:
        return others
    flags = np.zeros(len(others), bool)
    there = points.of(others)
    for begin, end in ranges(len(rows), max(PAIRS // len(others), 1)):
        away = _measure(points.of(rows[begin:end]), there)
        flags[np.argpartition(away, count - 1, axis=1)[:, :count]] = True
    return others[flags]


def _measure(some: Points, others: Points) -> Floats:
    """Squared distances of each of some rows to each of the others."""
    away = np.zeros((some.n, others.n))
    for one, other in zip(some.numbers, others.numbers, strict=True):
        away += (one[:, np.newaxis] - other) ** 2
    for one, other, costs in zip(some.codes, others.codes, some.costs, strict=True):
        differ = one[:, np.newaxis] != other
        away += np.where(differ, costs[one][:, np.newaxis] + costs[other], 0.0)
    return away
