"""What a study prints: each part when it is done, and a summary of its verdicts."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table as Grid

from kit.claim import VERDICTS
from kit.numbers import show_cell, show_ours

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kit.section import Claims, Section, Table

CONSOLE = Console(width=118, highlight=False)


def show_section(section: Section, seconds: float) -> None:
    """A part: its finding, its claims and its tables."""
    CONSOLE.print(f"\n[bold]{section.title}[/] ({seconds:.1f} s)", markup=True)
    CONSOLE.print(section.finding, markup=False)
    for one in section.claims:
        CONSOLE.print(_lay_out_claims(one))
    for table in section.tables:
        CONSOLE.print(_lay_out(table))


def show_summary(sections: Iterable[Section]) -> None:
    """How many claims have which verdict."""
    found = Counter(
        claim.verdict for one in sections for group in one.claims for claim in group.claims
    )
    told = [f"{found[verdict]} {verdict}" for verdict in VERDICTS if found[verdict]]
    CONSOLE.print(f"\n{', '.join(told) or 'no claims'}", markup=False)


def _lay_out_claims(claims: Claims) -> Grid:
    grid = Grid(title=claims.title, title_justify="left", title_style="italic")
    for head in ("", "paper", "ours", "verdict", "note"):
        grid.add_column(head, justify="right" if head in ("paper", "ours") else "left")
    for claim in claims.claims:
        grid.add_row(claim.what, claim.paper, show_ours(claim), claim.verdict, claim.note)
    return grid


def _lay_out(table: Table) -> Grid:
    grid = Grid(title=table.title, title_justify="left", title_style="italic")
    for number, head in enumerate(table.columns):
        grid.add_column(head, justify="right" if number else "left")
    for row in table.rows:
        grid.add_row(*map(show_cell, row))
    return grid
