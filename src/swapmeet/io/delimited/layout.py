"""Form of a delimited text: its dialect, its titles, and the look of its columns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pyarrow.compute as pc

from swapmeet.io.delimited.cells import format_cells
from swapmeet.io.delimited.dialect import Dialect, required_delimiter
from swapmeet.io.delimited.look import Look, rewrite_cells

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path


@dataclass(frozen=True, repr=False)
class TextLayout:
    """Titles as they stand in the text; how columns look, and which have decimal commas."""

    dialect: Dialect
    header: Mapping[str, str] = field(default_factory=dict)
    decimal_comma: frozenset[str] = frozenset()
    kinds: Mapping[str, Any] = field(default_factory=dict)
    looks: Mapping[str, Look] = field(default_factory=dict)

    def titles(self, names: Iterable[str]) -> list[str]:
        """The header line, cell by cell; nothing where the text has none."""
        if self.dialect.has_header is False:
            return []
        return [self.header.get(name) or self._title(name) for name in names]

    def format_cells(self, target: Path, name: str, values: Any) -> Any:
        """Values of a column as cells."""
        comma = name in self.decimal_comma
        cells = format_cells(target, name, values, self.dialect, comma=comma)
        return self.rewrite_cells(name, cells) if name in self.looks else cells

    def rewrite_cells(self, name: str, cells: Any) -> Any:
        """Cells of a column of the text, each value written in one way."""
        comma = name in self.decimal_comma
        return rewrite_cells(cells, self.kinds[name], self.looks[name], self.dialect, comma=comma)

    def _title(self, name: str) -> str:
        special = any(mark in name for mark in (self.dialect.delimiter, '"', "\r", "\n"))
        return '"' + name.replace('"', '""') + '"' if special else name


def choose_layout(target: Path, original: TextLayout | None) -> TextLayout:
    """The layout of the original, unless the name of the target demands another delimiter."""
    demanded = required_delimiter(target)
    if original is not None and demanded in {None, original.dialect.delimiter}:
        return original
    has_header = original is None or original.dialect.has_header is not False
    return TextLayout(Dialect(delimiter=demanded or ",", has_header=has_header))


def show_blank_rows(columns: list[Any]) -> list[Any]:
    """The cells of all columns; an empty one that is alone in its row is no blank line."""
    if len(columns) > 1:
        return columns
    return [pc.replace_substring_regex(columns[0], "^$", '""')]
