"""Conditions that nobody meets: what is said about them, without a value of anybody."""

from __future__ import annotations

from typing import TYPE_CHECKING

from swapmeet.base.sentences import count, join_names

if TYPE_CHECKING:
    from swapmeet.tables.conditions import Condition
    from swapmeet.tables.frame import Table


def describe_levels(table: Table, condition: Condition) -> str:
    """List how many values each column of a condition has, in case nobody meets it.

    >>> import pandas as pd
    >>> from swapmeet.tables.frame import Table
    >>> from swapmeet.tables.conditions import Condition
    >>> describe_levels(Table(pd.DataFrame({"sex": ["f", "m", "f"]})), Condition('sex = "w"'))
    "'sex' has 2 values; see how they are written"
    """
    counts = [
        f"{name!r} has {count(table.codes(name).levels, 'value')}" for name in condition.columns
    ]
    return f"{join_names(counts)}; see how they are written"
