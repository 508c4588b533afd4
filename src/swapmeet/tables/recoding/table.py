"""A table in memory after its steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from swapmeet.errors import warn
from swapmeet.tables.frame import Frame, Table
from swapmeet.tables.recoding.plan import RecodePlan
from swapmeet.tables.recoding.recode import parse_recodes
from swapmeet.tables.recoding.recoded import Recoded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from swapmeet.tables.recoding.recode import Recode


def recode_table(table: Table, recodes: Sequence[Recode]) -> Recoded[Table]:
    """The table after the steps; a step that cannot be, or leaves nothing, is refused."""
    if not recodes:
        return Recoded(table)
    RecodePlan(tuple(recodes)).require_columns(table.names)
    plan = RecodePlan.settle(recodes, lambda so_far, recode: so_far.count_levels(table, recode))
    native, tally = plan.apply(table)
    return Recoded(Table(native), plan, plan.conclude(tally))


def recode(data: Frame, *steps: str) -> Any:
    """The table with values recoded, step by step, as a frame of the same library.

    A step is a column and what becomes of it: "age: top 80", "age: bottom 18", "income: round
    1000", "age: cut 0, 18, 30, 65", "school: group primary, lower = low; upper = high", "birth:
    month" (or year, quarter, week, day, hour), "income: suppress >= 1000000", "job: suppress rare
    5", "job: group rare 5 = other". Types stay: dates stay dates, categories stay categories.

    >>> import pandas as pd
    >>> people = pd.DataFrame({"age": [17, 42, 93], "job": ["cook", "cook", "pilot"]})
    >>> recode(people, "age: top 80", "age: round 5").age.tolist()
    [15, 40, 80]
    """
    done = recode_table(Table.of(data), parse_recodes(steps))
    for note in done.notes:
        warn(note)
    return done.data.native
