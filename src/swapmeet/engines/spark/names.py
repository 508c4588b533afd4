"""Names of columns that Spark takes, and those that are added to a frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from swapmeet.release.audit_folder import PRINT, ROW, STUCK

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "BLOCK",
    "PART",
    "PLACE",
    "PRINT",
    "REACH",
    "ROW",
    "STUCK",
    "TALLY",
    "plain",
    "quote",
    "select_plainly",
    "without_comments",
]

BLOCK = "__swapmeet_block"
REACH = "__swapmeet_reach"
PART = "__swapmeet_part"
PLACE = "__swapmeet_place"
TALLY = "__swapmeet_told"


def quote(name: str) -> str:
    """A column name as Spark takes it, whatever characters it has.

    >>> quote("a.b")
    '`a.b`'
    """
    return f"`{name.replace('`', '``')}`"


def plain(count: int) -> list[str]:
    """The names c0, c1 and so on: Spark's Arrow functions refuse dots."""
    return [f"c{i}" for i in range(count)]


def select_plainly(frame: Any, names: Sequence[str]) -> Any:
    """These columns under plain names."""
    from pyspark.sql import functions as F  # noqa: N812

    wanted = zip(names, plain(len(names)), strict=True)
    return frame.select(*(F.col(quote(name)).alias(alias) for name, alias in wanted))


def without_comments(kind: Any) -> Any:
    """A type of Spark without the comments and other metadata of the fields inside it."""
    from pyspark.sql.types import ArrayType, MapType, StructField, StructType

    if isinstance(kind, ArrayType):
        return ArrayType(without_comments(kind.elementType), kind.containsNull)
    if isinstance(kind, MapType):
        parts = (without_comments(kind.keyType), without_comments(kind.valueType))
        return MapType(*parts, kind.valueContainsNull)
    if not isinstance(kind, StructType):
        return kind
    return StructType(
        [StructField(f.name, without_comments(f.dataType), f.nullable) for f in kind.fields]
    )
