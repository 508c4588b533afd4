"""Columns that look like a household's or person's number or a sampling weight, without the role.

Each is judged by its name first, and its values must bear the name out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.base.sentences import count
from swapmeet.tables.arrow import Family
from swapmeet.tables.role import Role
from swapmeet.tables.survey_names import (
    measures_bodies,
    numbers_households,
    numbers_persons,
    perhaps_weighs,
    surely_weighs,
)

if TYPE_CHECKING:
    from swapmeet.base.arrays import Floats, Ints, ShortInts
    from swapmeet.tables.frame import Table

FEW = 10
"""Fewer units, or rows, say nothing."""
LARGEST = 200
"""A unit of more rows is no household; of one person there may be more."""
SHARED = 1.05
"""Rows of a household, on average, at the least."""
PER_HOUSEHOLD = 20
"""... and at the most."""
COUNTING = 0.9
"""Of numbers that count persons inside a household, so many steps go up by one, or to the start."""
PER_PERSON = 1.2
"""Rows of a person, on average, at the least."""
HEAVY = 400.0
"""No body has this mean weight in pounds or kilograms."""
EVEN = 0.01
"""Weights that were scaled have a mean of 1, but for so much."""
NUMBERS = {Family.INTEGER, Family.FLOAT, Family.DECIMAL}


@dataclass(frozen=True)
class RoleHint:
    """The role that a column looks made for, and why."""

    role: Role
    reason: str

    @property
    def sentence(self) -> str:
        """Say what there is to say about it."""
        return f"looks like {_CALLED[self.role]}: {self.reason}."


_CALLED = {
    Role.HOUSEHOLD: "the number of a household",
    Role.PERSON: "the number of a person with several rows",
    Role.WEIGHT: "a sampling weight",
}


def find_role_hint(name: str, table: Table) -> RoleHint | None:
    """The role that a column's name and values suggest, if any.

    >>> import pandas as pd
    >>> from swapmeet.tables.frame import Table
    >>> people = pd.DataFrame({"hhid": [n // 3 for n in range(90)], "age": [30] * 90})
    >>> find_role_hint("hhid", Table(people)).reason
    'its name says so, and 30 distinct values are shared by 90 rows'
    """
    if numbers_households(name) or numbers_persons(name):
        return _judge_units(name, table)
    if surely_weighs(name) or perhaps_weighs(name):
        return _judge_weight(name, table)
    return None


def count_unique_weights(numbers: Floats) -> int:
    """Count the rows that have a weight that no other row has."""
    counts = np.unique(numbers[~np.isnan(numbers)], return_counts=True)[1]
    return int((counts == 1).sum())


def tell_lonely_weights(numbers: Floats) -> str:
    """Say how many rows have a weight of their own.

    >>> tell_lonely_weights(np.array([1.0, 1.0])), tell_lonely_weights(np.array([1.0, 2.0, 2.0]))
    ('none is unique', '1 is unique')
    """
    alone = count_unique_weights(numbers)
    return f"{f'{alone:,}' if alone else 'none'} {'are' if alone > 1 else 'is'} unique"


def could_weigh(numbers: Floats, *, constant: bool = False) -> bool:
    """Return whether the numbers are finite, positive and, unless they may be `constant`, vary."""
    there = numbers[~np.isnan(numbers)]
    if len(there) < max(FEW, 0.9 * len(numbers)):
        return False
    varies = constant or there.min() < there.max()
    return bool((there > 0.0).all() and np.isfinite(there).all() and varies)


def _judge_units(name: str, table: Table) -> RoleHint | None:
    if table.family(name) not in {Family.INTEGER, Family.FLOAT, Family.TEXT, Family.CATEGORY}:
        return None
    codes = table.codes(name).codes
    sizes = np.bincount(codes[codes >= 0])
    sizes = sizes[sizes > 0]
    if len(sizes) < FEW or sizes.sum() < len(codes):
        return None
    household = numbers_households(name)
    if not (_are_households(sizes) if household else _are_persons(sizes, codes)):
        return None
    rows = f"{count(len(sizes), 'distinct value')} are shared by {count(len(codes), 'row')}"
    role = Role.HOUSEHOLD if household else Role.PERSON
    return RoleHint(role, f"its name says so, and {rows}")


def _are_households(sizes: Ints) -> bool:
    return bool(SHARED <= sizes.mean() <= PER_HOUSEHOLD and sizes.max() <= LARGEST)


def _are_persons(sizes: Ints, codes: ShortInts) -> bool:
    """Numbers that count up and begin anew again and again count persons inside something else."""
    counting = (np.diff(codes) == 1) | (codes[1:] == codes.min())
    return bool(sizes.mean() >= PER_PERSON and counting.mean() < COUNTING)


def _judge_weight(name: str, table: Table) -> RoleHint | None:
    if table.family(name) not in NUMBERS:
        return None
    numbers = table.numbers(name)
    named = surely_weighs(name)
    if not could_weigh(numbers, constant=named):
        return None
    single = str(table.plain(name).type) in {"float", "halffloat"}
    why = "its name says so" if named else _tell_from_bodies(numbers, table, single=single)
    if why is None:
        return None
    alone = tell_lonely_weights(numbers)
    return RoleHint(Role.WEIGHT, f"{why}, all values are positive, and {alone}")


def _tell_from_bodies(numbers: Floats, table: Table, *, single: bool) -> str | None:
    """Say why these are not body weights; numbers of `single` precision have fewer digits."""
    there = numbers[~np.isnan(numbers)]
    whole = bool((there == np.rint(there)).all())
    if abs(there.mean() - 1.0) <= EVEN and not whole:
        return "the mean of its values is 1"
    if any(map(measures_bodies, table.names)):
        return None
    if there.mean() >= HEAVY and not whole:
        return "its values add up to far more than the number of rows"
    rounding = 6e-8 * 1000 * there if single else 1e-6
    fine = bool((np.abs(there * 1000 - np.rint(there * 1000)) > rounding).any())
    if fine and not _are_parts(there):
        return "its values have more than three decimals"
    return None


def _are_parts(numbers: Floats) -> bool:
    """Return whether all are one number over whole ones, such as 100 over the household's size."""
    parts = numbers.max() / numbers
    return bool(parts.max() <= LARGEST and (np.abs(parts - np.rint(parts)) <= 1e-6).all())
