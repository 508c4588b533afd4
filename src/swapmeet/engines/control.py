"""People of the same population who are not in the file: the control of a membership attack."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from swapmeet.errors import SchemaError, TableError, UsageError, did_you_mean
from swapmeet.io.document import get_frame
from swapmeet.tables.frame import Table

if TYPE_CHECKING:
    from collections.abc import Iterable

    from swapmeet.engines.protocol import Engine
    from swapmeet.tables.recoding.recoded import Recoded
    from swapmeet.tables.schema import Column


def recode_control(control: Table | None, recoded: Recoded[Any]) -> Table | None:
    """People who are not in the file, as an intruder would recode them."""
    if control is None or recoded.plan is None:
        return control
    return Table(recoded.plan.apply(control)[0])


def open_control(control: Any, engine: Engine[Any, Any], columns: Iterable[Column]) -> Table | None:
    """The table of people who are not in the file, if there is one; it must have all columns."""
    if control is None:
        return None
    if not engine.in_memory:
        raise UsageError("assess: `control` needs tables in memory.")
    table = Table.of(get_frame(control))
    absent = [column.name for column in columns if column.name not in table.names]
    if absent:
        raise SchemaError(
            f"control: no column {name!r}{did_you_mean(name, table.names)} The people who are not "
            "in the file need all columns that original and release share."
            for name in absent
        )
    if not len(table):
        raise TableError("control: the table of people who are not in the file has no rows.")
    return table
