"""Excel workbooks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from swapmeet.io.feature import Feature
from swapmeet.io.format import Format

if TYPE_CHECKING:
    from pathlib import Path

    from swapmeet.base.parallel import Progress
    from swapmeet.io.document import Document
    from swapmeet.io.publication import Publication


@dataclass(frozen=True, kw_only=True)
class Excel(Format):
    """One sheet, whose cells keep their types and number formats."""

    def read(self, path: Path, progress: Progress, **options: Any) -> Document:
        """The table of a sheet whose first row names the columns."""
        from swapmeet.io.excel.workbook import read

        return read(path, progress, **options)

    def find_options(self, document: Document) -> dict[str, Any]:
        """The sheet, and that there is no header where there is none."""
        layout = document.layout
        return {"sheet": layout.sheet} | ({} if layout.has_header else {"header": False})

    def write(self, aside: Path, publication: Publication) -> None:
        """Write a workbook with one sheet."""
        from swapmeet.io.excel.workbook import write

        write(aside, publication)


EXCEL: Final = Excel(
    name="excel", title="Excel", suffixes=(".xlsx",), libraries=("openpyxl", "pandas"),
    options=("sheet", "header"),
    keeps=frozenset({Feature.BOOLEANS}), carries=frozenset({Feature.BOOLEANS}),
)  # fmt: skip
