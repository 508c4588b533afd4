"""Kinds of the columns of a file that is too large to look at as a whole."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from swapmeet.core.tables.frame import Table
from swapmeet.core.tables.schema import Schema
from swapmeet.core.tables.schema_guess import HEAD, FewValues, correct_kinds, uncertain_columns
from swapmeet.engines.files.opening import opened

if TYPE_CHECKING:
    import os

    from swapmeet.io.stream import Source

PIECE = 1 << 20


def guess_schema(path: str | os.PathLike[str]) -> Schema:
    """The kinds that `Schema.infer` would find in the whole file.

    What looks like an identifier is judged by the first 65,536 rows.
    """
    with opened(path, Path(tempfile.gettempdir()) / "any") as file:
        return schema_of(file)


def schema_of(file: Source) -> Schema:
    """The same for a file that is open."""
    guessed = Schema.guess(file.head, {})
    if file.rows <= HEAD:
        return guessed
    return correct_kinds(guessed, _with_more(file, uncertain_columns(guessed, Table(file.head))))


def _with_more(file: Source, names: list[str]) -> set[str]:
    """Those of some integer columns that have more than a few distinct values."""
    seen = FewValues(names)
    for _, table in file.pieces(names, PIECE) if names else ():
        seen.add(table)
        if seen.is_decided:
            break
    return seen.many
