"""Names of columns that Spark takes, and those that are added to a frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

ROW = "__swapmeet_row"
BLOCK = "__swapmeet_block"
PART = "__swapmeet_part"
PLACE = "__swapmeet_place"
STUCK = "__swapmeet_stuck"
TOLD = "__swapmeet_told"


def quoted(name: str) -> str:
    """A column name as Spark takes it, whatever characters it has.

    >>> quoted("a.b")
    '`a.b`'
    """
    return f"`{name.replace('`', '``')}`"


def plain(count: int) -> list[str]:
    """The names c0, c1 and so on: Spark's Arrow functions refuse dots."""
    return [f"c{i}" for i in range(count)]


def plainly_named(frame: Any, names: Sequence[str]) -> Any:
    """These columns under plain names."""
    from pyspark.sql import functions as F  # noqa: N812

    wanted = zip(names, plain(len(names)), strict=True)
    return frame.select(*(F.col(quoted(name)).alias(alias) for name, alias in wanted))
