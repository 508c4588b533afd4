"""Masked columns that follow from others, and of which nobody has said so."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from swapmeet.base.sentences import join_names
from swapmeet.errors import warn
from swapmeet.tables.conditions import Condition
from swapmeet.tables.frame import Table, reorder

if TYPE_CHECKING:
    from swapmeet.tables.schema import Schema

LOOKED_AT = 5_000
"""So many rows are looked at: this is a hint, and `inspect` looks at all."""


def warn_of_untied(schema: Schema, table: Table) -> None:
    """Warn, once for all, of columns that seem to follow from others and are masked apart."""
    columns = _find_untied(schema, table)
    if columns:
        warn(
            f"{join_names(columns)} {'seems' if len(columns) == 1 else 'seem'} to follow from "
            "other columns; masked apart, they no longer agree. `swapmeet inspect FILE` shows how "
            "to say so."
        )


def _find_untied(schema: Schema, table: Table) -> list[str]:
    """The columns of findings that are tied to no other, in some rows of the table."""
    from swapmeet.inspecting.columns import Columns
    from swapmeet.inspecting.findings import find_followers

    some = np.arange(min(len(table), LOOKED_AT))
    few = table if len(table) <= LOOKED_AT else Table(reorder(table.native, some))
    tied = {name for names in schema.ties.together for name in names}
    tied |= {one.name for one in schema.ties.derivations}
    tied |= {name for text in schema.ties.rules for name in Condition(text).columns}
    follow = find_followers(Columns(few, schema.in_order(few.names)))
    return list(dict.fromkeys(name for name in follow if name not in tied))
