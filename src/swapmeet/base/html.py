"""Pieces of what a notebook shows: escaped, without scripts, in the colours of the notebook."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from swapmeet.base.sentences import escape_markup

GOOD, BAD, OPEN = "#2e9e5b", "#d1495b", "#c98a00"
"""Colours that can be told from white and from black."""
LINE = "rgba(128,128,128,0.4)"
CELL = f"padding:2px 12px 2px 0;border:0;border-bottom:1px solid {LINE};background:transparent"
SHORT = 24
"""Cells of up to so many letters are not broken."""
BOX = "color:inherit;background:transparent;font-size:13px;line-height:1.45;max-width:72em"


def write_box(*parts: str) -> str:
    """The whole of what is shown."""
    return f'<div style="{BOX}">{"".join(parts)}</div>'


def write_heading(text: str) -> str:
    """A line that opens a part."""
    return f'<div style="font-weight:600;margin:0.8em 0 0.2em">{escape_markup(text)}</div>'


def write_text(text: str) -> str:
    """A paragraph."""
    return f'<div style="margin:0.2em 0">{escape_markup(text)}</div>'


def write_mark(text: str, colour: str) -> str:
    """A sentence that everything else follows from, with a bar of a colour beside it."""
    style = f"border-left:5px solid {colour};padding:0.2em 0 0.2em 0.8em;margin:0.3em 0"
    return f'<div style="{style};font-weight:600">{escape_markup(text)}</div>'


def write_list(texts: Iterable[str]) -> str:
    """Sentences, one below the other."""
    items = "".join(f"<li>{escape_markup(text)}</li>" for text in texts)
    return f'<ul style="margin:0.2em 0;padding-left:1.4em">{items}</ul>' if items else ""


def write_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; cells that are figures are flush right.

    >>> "<script>" in write_table(["<script>"], [["<script>"]])
    False
    """
    listed = [tuple(row) for row in rows]
    right = [all(_is_figure(row[at]) for row in listed) for at in range(len(header))]
    head = "".join(_write_cell("th", text, right[at]) for at, text in enumerate(header))
    body = "".join(
        f"<tr>{''.join(_write_cell('td', text, right[at]) for at, text in enumerate(row))}</tr>"
        for row in listed
    )
    style = "border-collapse:collapse;color:inherit;font-size:inherit;margin:0.2em 0"
    return f'<table style="{style}"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def write_fold(title: str, content: str) -> str:
    """A part that is shown on request."""
    style = "cursor:pointer;margin:0.5em 0"
    return f'<details><summary style="{style}">{escape_markup(title)}</summary>{content}</details>'


def _write_cell(tag: str, text: str, right: bool) -> str:  # noqa: FBT001
    wrap = "nowrap" if len(text) <= SHORT else "normal"
    style = f"{CELL};text-align:{'right' if right else 'left'};vertical-align:top"
    style += f";white-space:{wrap}"
    return f'<{tag} style="{style}">{escape_markup(text)}</{tag}>'


def _is_figure(text: str) -> bool:
    return text.lstrip("-<>")[:1].isdigit() or text in {"", "–"}
