"""A part of a study: words, claims, tables and pictures, all of it plain data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kit.claim import Claim
from swapmeet.plots.svg import to_svg

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Table:
    """Figures that stand for themselves; cells are texts, or numbers that are shown in few digits.

    `columns` heads them; the first cell of a row names it.
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]


@dataclass(frozen=True)
class Claims:
    """Printed numbers beside ours."""

    title: str
    claims: Sequence[Claim]


@dataclass(frozen=True)
class Picture:
    """A figure; `description` says in words what it shows. `name` makes it one of the docs' own."""

    title: str
    description: str
    caption: str
    svg: str
    name: str = ""

    @classmethod
    def of(
        cls, figure: Figure, *, title: str, description: str, caption: str, name: str = ""
    ) -> Picture:
        """Drawn by the same code as the pictures of reports; titles of a page must differ."""
        svg = to_svg(figure, title=title, description=description)
        return cls(title, description, caption, svg, name)


@dataclass(frozen=True, kw_only=True)
class Section:
    """What one part of a study found: `words` are paragraphs, `finding` is its one sentence."""

    title: str
    finding: str
    words: Sequence[str] = ()
    claims: Sequence[Claims] = ()
    tables: Sequence[Table] = ()
    pictures: Sequence[Picture] = ()

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        return {
            "title": self.title,
            "finding": self.finding,
            "words": list(self.words),
            "claims": [
                {"title": one.title, "claims": [claim.to_dict() for claim in one.claims]}
                for one in self.claims
            ],
            "tables": [
                {"title": one.title, "columns": list(one.columns), "rows": _plain(one.rows)}
                for one in self.tables
            ],
            "pictures": [dict(vars(one)) for one in self.pictures],
        }

    @classmethod
    def from_dict(cls, found: Mapping[str, Any]) -> Section:
        """What `to_dict` gave."""
        return cls(
            title=found["title"],
            finding=found["finding"],
            words=found["words"],
            claims=[
                Claims(one["title"], [Claim(**_without_verdict(claim)) for claim in one["claims"]])
                for one in found["claims"]
            ],
            tables=[Table(**one) for one in found["tables"]],
            pictures=[Picture(**one) for one in found["pictures"]],
        )


def split_paragraphs(text: str) -> list[str]:
    r"""The paragraphs of a text, which blank lines part; lines are joined.

    >>> split_paragraphs("A line\n  and another.\n\n  A second paragraph.")
    ['A line and another.', 'A second paragraph.']
    """
    parts = "\n".join(line.strip() for line in text.strip().splitlines()).split("\n\n")
    return [" ".join(part.split()) for part in parts if part]


def _without_verdict(claim: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in claim.items() if name != "verdict"}


def _plain(rows: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """Numbers of numpy as Python's own."""
    return [[cell.item() if hasattr(cell, "item") else cell for cell in row] for row in rows]
