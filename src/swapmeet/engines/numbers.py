"""Numbers of households and persons in a release: those of the table, dealt anew at random."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from swapmeet.tables.role import Role
from swapmeet.tables.units import Units

if TYPE_CHECKING:
    from swapmeet.base.arrays import Ints
    from swapmeet.base.seeds import Seed
    from swapmeet.tables.frame import Table
    from swapmeet.tables.microdata import Microdata
    from swapmeet.tables.schema import Schema


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
