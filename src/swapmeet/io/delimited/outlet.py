"""A delimited text that is written in pieces."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import pyarrow.compute as pc

from swapmeet.io.delimited.cells import render_text
from swapmeet.io.delimited.encoding import write_text
from swapmeet.io.delimited.formulas import count_formulas, warn_of_formulas
from swapmeet.io.delimited.layout import TextLayout, choose_layout, show_blank_rows
from swapmeet.io.delimited.source import TextSource

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from swapmeet.io.stream import Source


@dataclass(frozen=True)
class TextOutlet:
    """A delimited text with this layout."""

    target: Path
    layout: TextLayout
    cells: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def like(cls, source: Source, target: Path) -> Self:
        """A text with the layout and the cells of `source`, as far as the target allows."""
        if not isinstance(source, TextSource):
            return cls(target, choose_layout(target, None))
        layout = choose_layout(target, source.layout)
        kept = source.names if layout is source.layout else ()
        return cls(target, layout, {name: source.cells_of(name) for name in kept})

    def write(self, aside: Path, schema: Any, tables: Iterable[Any]) -> None:
        """Write tables, which have at least the columns of `schema`."""
        header = self.layout.titles(schema.names)
        text = render_text(header, self._cells(schema.names, tables), self.layout.dialect)
        write_text(aside, self.target, self.layout.dialect.encoding, text)

    def _cells(self, names: list[str], tables: Iterable[Any]) -> Iterator[list[Any]]:
        counts: Counter[str] = Counter()
        for table in tables:
            columns = [self._column(table, name) for name in names]
            counts.update(
                {n: count_formulas(c, table[n]) for n, c in zip(names, columns, strict=True)}
            )
            yield show_blank_rows(columns)
        warn_of_formulas(self.target, counts)

    def _column(self, table: Any, name: str) -> Any:
        values = table[name].combine_chunks()
        if name not in self.cells:
            return self.layout.format_cells(self.target, name, values)
        copied = table[self.cells[name]].combine_chunks()
        written = self.layout.rewrite_cells(name, copied.fill_null(""))
        if copied.null_count == 0:
            return written
        fresh = self.layout.format_cells(self.target, name, values)
        return pc.if_else(pc.is_null(copied), fresh, written)
