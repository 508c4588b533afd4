"""Kinds of the columns of a file that is too large to look at as a whole."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.arrow import Family, numbers_of
from swapmeet.frame import Table
from swapmeet.schema import FEW, Kind, Schema
from swapmeet.streaming.opening import opened
from swapmeet.streaming.source import HEAD

if TYPE_CHECKING:
    import os

    from swapmeet.streaming.source import Source

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
    table = Table(file.head)
    few = [c.name for c in guessed
           if table.family(c.name) is Family.INTEGER and c.kind is Kind.NOMINAL]  # fmt: skip
    many = _with_more(file, few)
    columns = tuple(
        replace(c, kind=Kind.NUMERIC, reason="integers") if c.name in many else c for c in guessed
    )
    return replace(guessed, columns=columns)


def _with_more(file: Source, names: list[str]) -> set[str]:
    """Those of some integer columns that have more than a few distinct values."""
    seen = {name: np.empty(0) for name in names}
    many: set[str] = set()
    for _, table in file.pieces(names, PIECE) if names else ():
        for name in set(names) - many:
            found = numbers_of(table[name].combine_chunks())
            seen[name] = np.union1d(seen[name], found[~np.isnan(found)])
            if len(seen[name]) > FEW:
                many.add(name)
        if len(many) == len(names):
            break
    return many
