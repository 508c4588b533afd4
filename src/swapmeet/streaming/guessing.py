"""Kinds of the columns of a file that is too large to look at as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from swapmeet.frame import Table
from swapmeet.schema import Schema
from swapmeet.streaming.source import ParquetSource
from swapmeet.survey.guessing import HEAD, FewValues, corrected, doubtful

if TYPE_CHECKING:
    import os

PIECE = 1 << 20


def guess_schema(source: ParquetSource | str | os.PathLike[str]) -> Schema:
    """The kinds that `Schema.infer` would find in the whole file.

    What looks like an identifier is judged by the first 65,536 rows.
    """
    file = source if isinstance(source, ParquetSource) else ParquetSource.open(source)
    guessed = Schema.guess(file.head, {})
    if file.rows <= HEAD:
        return guessed
    return corrected(guessed, _with_more(file, doubtful(guessed, Table(file.head))))


def _with_more(file: ParquetSource, names: list[str]) -> set[str]:
    """Those of some integer columns that have more than a few distinct values."""
    seen = FewValues(names)
    for _, table in file.pieces(names, PIECE) if names else ():
        seen.add(table)
        if seen.is_decided:
            break
    return seen.many
