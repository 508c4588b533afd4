"""A data file that was read: its table, and everything its format needs to be written again."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from swapmeet.io.feature import Feature
    from swapmeet.tables.schema import Schema


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Document:
    """Result of `read`; `mask`, `assess`, `inspect` and `tune` take it, `write` imitates it.

    `frame` is the typed table that a method masks: a pyarrow table for csv, parquet and arrow, a
    pandas frame for the others. `kinds` holds what the file itself says of its columns
    ("nominal", "ordinal" or "numeric"), where it does; `labels` its labels of values by column, and
    `weight` the column that it names as the weight of its rows. `layout` belongs to the module of
    the format: the cells and the settings as they stand in the file. Cells are never part of the
    repr. `key` stands for this reading of the file: by it a release knows the document it is of.
    """

    path: Path
    format: str
    frame: Any
    kinds: Mapping[str, str] = field(default_factory=dict)
    labels: Mapping[str, Mapping[Any, str]] = field(default_factory=dict)
    weight: str | None = None
    layout: Any = None
    key: object = field(init=False, default_factory=object)

    def __repr__(self) -> str:
        from swapmeet.io.formats import FORMATS

        size = f"{len(self):,} rows and {len(self.names)} columns"
        options = "".join(f", {name} {value!r}" for name, value in self.options.items())
        labels = f", labels of {len(self.labels)}" if self.labels else ""
        weight = f", weight {self.weight!r}" if self.weight else ""
        title = FORMATS[self.format].title if self.format in FORMATS else self.format
        return f"<Document {self.path.name}: {title}, {size}{options}{labels}{weight}>"

    def __len__(self) -> int:
        return len(self.frame)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns, in order."""
        from swapmeet.io.publication import name_columns

        return tuple(name_columns(self.frame))

    @property
    def options(self) -> dict[str, Any]:
        """Return the options with which `read` reads the file so, found out or given."""
        from swapmeet.io.formats import FORMATS

        return FORMATS[self.format].find_options(self) if self.format in FORMATS else {}

    @property
    def column_labels(self) -> Mapping[str, str]:
        """Return what the file calls its columns besides their names, where it does."""
        from swapmeet.io.feature import Feature

        return self._features.get(Feature.COLUMN_LABELS, {})

    @property
    def missing_codes(self) -> Mapping[str, Any]:
        """Return what the file says about codes for missing values, by column; in `frame` they
        are missing.
        """
        from swapmeet.io.feature import Feature

        return self._features.get(Feature.MISSING_CODES, {})

    @property
    def schema(self) -> Schema:
        """Kinds and roles as the values and the file itself suggest them.

        To say more of the columns: `document.schema.assign(drop=["id"], weight=["w"])`.
        """
        from swapmeet.tables.frame import Table
        from swapmeet.tables.schema import Schema

        return Schema.guess(Table.of(self.frame), self.kinds)

    @cached_property
    def _features(self) -> dict[Feature, Any]:
        from swapmeet.io.formats import FORMATS

        kind = FORMATS.get(self.format)
        return {} if kind is None else kind.find_features(self, self.names)


def get_frame(data: Any) -> Any:
    """The table of a document; anything else is a table already."""
    return data.frame if isinstance(data, Document) else data


def open_release(release: Any, original: Any) -> Any:
    """The table of a release that was read, in the terms of the document that was masked."""
    if not (isinstance(release, Document) and isinstance(original, Document)):
        return get_frame(release)
    from swapmeet.io.release_table import restore_columns

    return restore_columns(release, original).frame
