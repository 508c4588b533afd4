"""The rows treated for exposed people, and the rows they may trade with again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from swapmeet.algorithms.encode import Scale, Space
from swapmeet.base.parallel import ranges
from swapmeet.release.provenance import Provenance

if TYPE_CHECKING:
    from swapmeet.algorithms.encode import Points
    from swapmeet.base.arrays import Floats, Ints
    from swapmeet.measures.risk.exposure import Exposure
    from swapmeet.release.audit import AuditRecord
    from swapmeet.tables.microdata import Microdata

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
    found = np.zeros(len(others), bool)
    there = points.of(others)
    for begin, end in ranges(len(rows), max(PAIRS // len(others), 1)):
        away = _measure(points.of(rows[begin:end]), there)
        found[np.argpartition(away, count - 1, axis=1)[:, :count]] = True
    return others[found]


def _measure(some: Points, others: Points) -> Floats:
    """Squared distances of each of some rows to each of the others."""
    away = np.zeros((some.n, others.n))
    for one, other in zip(some.numbers, others.numbers, strict=True):
        away += (one[:, np.newaxis] - other) ** 2
    for one, other, costs in zip(some.codes, others.codes, some.costs, strict=True):
        differ = one[:, np.newaxis] != other
        away += np.where(differ, costs[one][:, np.newaxis] + costs[other], 0.0)
    return away
