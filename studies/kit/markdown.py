"""The tables and chosen pictures of a study for its page of the documentation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kit.numbers import show_cell, show_ours
from swapmeet.base.atomic import write_atomically
from swapmeet.plots.svg import to_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from kit.section import Claims, Section, Table

BEGIN, END = "<!-- figures -->", "<!-- end of figures -->"
"""What stands between these lines of a page is written by its study."""


def write_docs(name: str, sections: Iterable[Section], folder: Path) -> None:
    """Put the findings, tables and named pictures of a study into its page in `folder`."""
    sections = list(sections)
    page = folder / f"{name.replace('_', '-')}.md"
    before, found, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    if not found or END not in rest:
        raise SystemExit(f"{page}: the lines {BEGIN} and {END} must stand there.")
    after = rest.partition(END)[2]
    text = "\n".join(_write_sections(sections))
    pictures = [one for section in sections for one in section.pictures if one.name]
    for picture in pictures:
        _write(folder / f"{picture.name}.svg", to_file(picture.svg))
    _write(page, f"{before}{BEGIN}\n\n{text}\n{END}{after}")


def _write_sections(sections: Iterable[Section]) -> Iterator[str]:
    for section in sections:
        yield f"## {section.title}\n\n**{section.finding}**\n"
        yield from (f"{paragraph}\n" for paragraph in section.words)
        yield from (_write_claims(one) for one in section.claims)
        yield from (_write_table(one) for one in section.tables)
        yield from (
            f"![{one.description}]({one.name}.svg)\n\n*{one.title}.* {one.caption}\n"
            for one in section.pictures
            if one.name
        )


def _write_claims(claims: Claims) -> str:
    """Notes have a column only where there are some."""
    heads = ["", "paper", "ours", "verdict", "note"]
    rows = [[c.what, c.paper, show_ours(c), c.verdict, c.note] for c in claims.claims]
    shown = len(heads) if any(c.note for c in claims.claims) else len(heads) - 1
    return _lay_out(claims.title, heads[:shown], [row[:shown] for row in rows])


def _write_table(table: Table) -> str:
    return _lay_out(table.title, table.columns, [[*map(show_cell, row)] for row in table.rows])


def _lay_out(title: str, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    cells = (" | ".join(cell.replace("|", "\\|") for cell in line) for line in lines)
    return f"{title}\n\n" + "\n".join(f"| {line} |" for line in cells) + "\n"


def _write(path: Path, text: str) -> None:
    with write_atomically(path, overwrite=True) as aside:
        aside.write_text(text, encoding="utf-8")
