"""A data file that was read: its table, and everything its format needs to be written again."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


@dataclass(frozen=True, kw_only=True, eq=False)
class Document:
    """What `read` returns and `write` imitates.

    `frame` is the typed table that a method masks: a pyarrow table for csv, parquet and arrow, a
    pandas frame for the others. `kinds` holds what the file itself says of its columns
    ("nominal", "ordinal" or "numeric"), where it does; `labels` its labels of values by column, and
    `weight` the column that it names as the weight of its rows. `layout` belongs to the module of
    the format: the cells and the settings as they stand in the file. Cells are never part of the
    repr.
    """

    path: Path
    format: str
    frame: Any = field(repr=False)
    kinds: Mapping[str, str] = field(default_factory=dict)
    labels: Mapping[str, Mapping[Any, str]] = field(default_factory=dict, repr=False)
    weight: str | None = None
    layout: Any = field(default=None, repr=False)
