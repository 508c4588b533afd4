"""What commands say: text for people, or JSON for pipelines."""

from __future__ import annotations

import json
import sys
import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from swapmeet.errors import SwapmeetWarning

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import Console


@dataclass(frozen=True)
class Output:
    """Where results go: text unless `as_json`, nothing if `quiet`."""

    as_json: bool = False
    quiet: bool = False

    @property
    def for_people(self) -> bool:
        """Whether anybody reads text."""
        return not (self.as_json or self.quiet)

    def line(self, text: str = "") -> None:
        """A line of text."""
        if self.for_people:
            self._console.print(text, markup=False, highlight=False, soft_wrap=True)

    def heading(self, text: str) -> None:
        """A line that opens a part."""
        if self.for_people:
            self._console.print(f"\n{text}", style="bold", markup=False, highlight=False)

    def table(self, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """A table; columns of numbers are flush right."""
        if not self.for_people:
            return
        from rich.table import Table

        table = Table(box=None, pad_edge=False, header_style="dim")
        for at, title in enumerate(header):
            numeric = all(_is_figure(row[at]) for row in rows)
            table.add_column(title, justify="right" if numeric else "left", overflow="fold")
        for row in rows:
            table.add_row(*map(_plain, row))
        self._console.print(table, highlight=False)

    def json(self, result: dict[str, Any]) -> None:
        """The result for machines."""
        if self.as_json:
            sys.stdout.write(json.dumps(result, indent=2, ensure_ascii=False) + "\n")

    @contextmanager
    def warnings_as_notes(self) -> Iterator[list[str]]:
        """Collect what the library warns of; shown to people on standard error as it ends."""
        notes: list[str] = []
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", SwapmeetWarning)
            yield notes
        for warning in caught:
            if not issubclass(warning.category, SwapmeetWarning):
                warnings.warn_explicit(
                    warning.message, warning.category, warning.filename, warning.lineno
                )
            elif str(warning.message) not in notes:
                notes.append(str(warning.message))

    @property
    def _console(self) -> Console:
        from rich.console import Console

        return Console(file=sys.stdout)


def percent(share: float) -> str:
    """A share for people.

    >>> percent(0.1234), percent(0.0004), percent(0.0)
    ('12.3 %', '0.04 %', '0 %')
    """
    if share == 0.0:
        return "0 %"
    return (
        f"{share:.1%}".replace("%", " %") if share >= 0.001 else f"{share:.2%}".replace("%", " %")
    )


def count(number: int) -> str:
    """A count for people.

    >>> count(1234567)
    '1,234,567'
    """
    return f"{number:,}"


def _is_figure(text: str) -> bool:
    return text[:1].isdigit() or text in {"", "–"}


def _plain(text: str) -> str:
    from rich.markup import escape

    return escape(text)
