"""Results of commands: text for people, or JSON for pipelines."""

from __future__ import annotations

import json
import sys
import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from swapmeet.base.sentences import escape_json, percent
from swapmeet.errors import SwapmeetWarning

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rich.console import Console, RenderableType

__all__ = ["Output", "count", "percent", "printable"]


@dataclass(frozen=True)
class Output:
    """The output of results: text unless `as_json`, nothing if `quiet`."""

    as_json: bool = False
    quiet: bool = False

    @property
    def for_people(self) -> bool:
        """Return whether anybody reads text."""
        return not (self.as_json or self.quiet)

    def line(self, text: str = "") -> None:
        """A line that is never broken, for names of files."""
        if self.for_people:
            _write(printable(text) + "\n")

    def prose(self, text: str, *, bullet: str = "", opening: int = 0, style: str = "") -> None:
        """Sentences, broken between words to fit the terminal; their opening may have a style."""
        if not self.for_people:
            return
        from rich.padding import Padding
        from rich.table import Table
        from rich.text import Text

        words = Text(printable(text))
        words.stylize(style, 0, opening)
        if not bullet:
            self._print(words)
            return
        table = Table.grid(padding=(0, 1, 0, 0))
        table.add_row(bullet, words)
        self._print(Padding(table, 0))

    def heading(self, text: str) -> None:
        """A line that opens a part."""
        if self.for_people:
            from rich.text import Text

            self._print(Text(f"\n{printable(text)}", style="bold"))

    def table(
        self,
        header: Sequence[str],
        rows: Sequence[Sequence[str]],
        *,
        styles: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """A table; columns of numbers are flush right, and cells have the style of their text."""
        if not self.for_people:
            return
        from rich.table import Table
        from rich.text import Text

        table = Table(box=None, pad_edge=False, header_style="dim")
        for at, title in enumerate(header):
            figures = all(_is_figure(row[at]) for row in rows)
            justify = "right" if figures else "left"
            table.add_column(title, justify=justify, overflow="fold", no_wrap=figures)  # type: ignore[arg-type]
        for row in rows:
            table.add_row(*(Text(printable(cell), style=styles.get(cell, "")) for cell in row))
        self._print(table)

    def json(self, result: dict[str, Any]) -> None:
        """The result for machines."""
        if self.as_json:
            unicode = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
            text = json.dumps(result, indent=2, ensure_ascii=not unicode)
            _write(escape_json(text) + "\n")

    @contextmanager
    def warnings_as_notes(self) -> Iterator[list[str]]:
        """Collect what Swapmeet warns of.

        What other libraries warn of is for developers, and may quote a value: it is not shown.
        """
        notes: list[str] = []
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", SwapmeetWarning)
            yield notes
        messages = [str(w.message) for w in caught if issubclass(w.category, SwapmeetWarning)]
        notes.extend(dict.fromkeys(messages))

    def _print(self, what: RenderableType) -> None:
        """Print; into a pipe or file without control codes and blanks at the ends of lines."""
        console = self._console
        if console.is_terminal:
            console.print(what, highlight=False)
            return
        with console.capture() as capture:
            console.print(what, highlight=False)
        _write("".join(line.rstrip() + "\n" for line in capture.get().splitlines()))

    @property
    def _console(self) -> Console:
        from rich.console import Console

        return Console(file=sys.stdout, markup=False, emoji=False)


def _write(text: str) -> None:
    """Write what the terminal can show; a file name that is not text is shown escaped."""
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding))


def printable(text: str, *, keep: str = "") -> str:
    r"""The text with line ends and control codes escaped, but for those to `keep`.

    >>> printable("Größe\n\x1b[31m")
    'Größe\\n\\x1b[31m'
    """
    return "".join(
        c if c.isprintable() or c in keep else c.encode("unicode_escape").decode() for c in text
    )


def count(number: int) -> str:
    """A count for people.

    >>> count(1234567)
    '1,234,567'
    """
    return f"{number:,}"


def _is_figure(text: str) -> bool:
    bare = text.removeprefix("-")
    return bare[:1].isdigit() or text[:2] in {"<0", ">9"} or text in {"", "–"}
