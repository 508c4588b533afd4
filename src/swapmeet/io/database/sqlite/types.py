"""The column of SQLite that holds what an Arrow column holds, and how values get there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from swapmeet.errors import OutputError
from swapmeet.io.database.table_name import quote

if TYPE_CHECKING:
    from swapmeet.io.database.origin import DatabaseColumn


@dataclass(frozen=True, kw_only=True)
class NewColumn:
    """A column to make: its name, its declared type, and what its values are on the way there."""

    name: str
    declared: str
    arrow: Any
    carrier: Any
    not_null: bool = False

    @classmethod
    def of(cls, name: str, arrow: Any, like: DatabaseColumn | None) -> NewColumn:
        """As it was in the database, or as its values ask."""
        declared, carrier = declare(name, arrow)
        if like is None:
            return cls(name=name, declared=declared, arrow=arrow, carrier=carrier)
        return cls(
            name=name, declared=like.declared, arrow=arrow, carrier=carrier, not_null=like.not_null
        )

    @property
    def definition(self) -> str:
        """As it stands in `create table`."""
        return f"{quote(self.name)} {self.declared}{' not null' * self.not_null}"

    def carry(self, values: Any) -> Any:
        """Values as the driver takes them; days and moments as SQLite writes them."""
        kind = values.type
        if pt.is_dictionary(kind):
            values = values.cast(kind.value_type)
        elif isinstance(kind, pa.BaseExtensionType):
            values = values.storage
        try:
            return _spell(values, self.carrier)
        except pa.ArrowException:
            raise OutputError(
                f"column {self.name!r} of type {self.arrow} holds values that SQLite cannot hold. "
                "Drop the column. Nothing was written."
            ) from None


def declare(name: str, arrow: Any) -> tuple[str, Any]:
    """The type in SQL that holds such values, and the type that the driver takes them in."""
    kind = arrow.value_type if pt.is_dictionary(arrow) else arrow
    kind = kind.storage_type if isinstance(kind, pa.BaseExtensionType) else kind
    if pt.is_boolean(kind):
        return "BOOLEAN", pa.int64()
    if pt.is_integer(kind):
        return "INTEGER", pa.int64()
    if pt.is_floating(kind) or pt.is_decimal(kind):
        return "REAL", pa.float64()
    if pt.is_date(kind) or pt.is_timestamp(kind):
        return ("DATE" if pt.is_date(kind) else "DATETIME"), pa.string()
    if pt.is_binary(kind) or pt.is_large_binary(kind) or pt.is_fixed_size_binary(kind):
        return "BLOB", pa.binary()
    texts = (pt.is_string, pt.is_large_string, pt.is_string_view, pt.is_time, pt.is_null)
    if any(test(kind) for test in texts):
        return "TEXT", pa.string()
    raise OutputError(
        f"column {name!r} of type {arrow} has no place in a SQLite database. Drop it, or write "
        ".parquet. Nothing was written."
    )


def _spell(values: Any, carrier: Any) -> Any:
    if pt.is_timestamp(values.type):
        seconds = pa.timestamp("s", values.type.tz)
        whole = pc.all(pc.equal(values, values.cast(seconds, safe=False))).as_py()
        zone = "+00:00" if values.type.tz else ""
        values = values.cast(seconds) if whole is not False else values.cast(pa.timestamp("us"))
        return pc.strftime(values, format=f"%Y-%m-%d %H:%M:%S{zone}").cast(carrier)
    if pt.is_date(values.type):
        return pc.strftime(values, format="%Y-%m-%d").cast(carrier)
    return pc.cast(values, carrier)
