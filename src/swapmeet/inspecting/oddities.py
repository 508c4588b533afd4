"""Columns of one value, copies, repeated rows, written and infinite numbers, dates of birth."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from swapmeet.base.sentences import count
from swapmeet.inspecting.missing_codes import list_words_among_numbers
from swapmeet.tables.arrow import CellType
from swapmeet.tables.identifiers import are_dates, describe_order, have_separators
from swapmeet.tables.microdata import LARGEST
from swapmeet.tables.role import Role
from swapmeet.tables.role_hints import names_births
from swapmeet.ties.finding import Finding, write_option, write_together

if TYPE_CHECKING:
    from collections.abc import Iterator

    from swapmeet.inspecting.columns import Columns

FEWEST = 10
"""Of fewer rows nothing is said."""
BY_CHANCE = 3.0
"""Repeated rows are told if there are so many times as many as chance would make."""
APART = 0.25
"""A column tells rows apart if it has so many distinct values for each."""
LOOKED_AT = 1_000
SEPARATED = "numbers with thousands separators", "write them without separators"
MASKED = (Role.KEY, Role.SENSITIVE)


def find_infinite(columns: Columns) -> Iterator[Finding]:
    """Columns with numbers that are infinite, or too large to compute with."""
    for name in columns.names:
        if not columns.has_numbers(name) or not columns.has_role(name, *MASKED):
            continue
        rows = int((np.abs(columns.numbers(name)) >= LARGEST).sum())
        if rows:
            yield Finding(
                about=f"infinite, or beyond {LARGEST:.0e}, in {count(rows, 'row')}",
                columns=(name,),
                reason="no method can mask such numbers; correct them, or leave the column out",
                rows=rows,
                options=write_option("--drop", [name]),
            )


def find_constants(columns: Columns, taken: set[str]) -> Iterator[Finding]:
    """Columns with one value in all rows, or none, and that nothing else was `taken` for."""
    for name in columns.schema.names:
        masked = columns.has_role(name, *MASKED) and name not in taken
        about = _say_constant(columns, name) if masked and columns.rows >= FEWEST else ""
        if about:
            yield Finding(
                about=about,
                columns=(name,),
                reason="there is nothing to mask",
                rows=columns.rows,
                options=write_option("--keep", [name]),
            )


def _say_constant(columns: Columns, name: str) -> str:
    """Say what all rows have in common; empty if they differ."""
    if columns.table.missing(name) == columns.rows:
        return "no value in any row"
    same = name in columns.names and columns.distinct(name) == 1 and not columns.missing(name)
    return "the same value in all rows" if same else ""


def find_copies(columns: Columns) -> Iterator[Finding]:
    """Columns that hold the same values as another, row by row."""
    groups: dict[tuple[object, ...], list[str]] = {}
    for name in columns.names:
        identifies = columns.is_identifier(name)
        if columns.distinct(name) > 1 and columns.has_role(name, *MASKED) and not identifies:
            groups.setdefault(_fingerprint(columns, name), []).append(name)
    for names in groups.values():
        alike = [name for name in names[1:] if _are_equal(columns, names[0], name)]
        if alike and columns.rows >= FEWEST:
            yield Finding(
                about="the same values",
                columns=(names[0], *alike),
                reason=f"they agree in all {columns.rows:,} rows; one of them can be left out",
                rows=columns.rows,
                options=write_together((names[0], *alike)),
            )


def find_repeats(columns: Columns, household: str | None) -> Iterator[Finding]:
    """Rows that are the same as another in every column, more often than chance would have it.

    Members of a household have much in common, and so have people who are known by categories
    only: nothing is said of them.
    """
    told_apart = any(columns.distinct(name) > APART * columns.rows for name in columns.names)
    if columns.rows < FEWEST or household is not None or not told_apart:
        return
    mixed = np.zeros(columns.rows, np.uint64)
    agreement = 1.0
    for name in columns.names:
        codes = columns.codes(name)
        agreement *= _count_pairs(np.bincount(codes)) / (columns.rows * (columns.rows - 1) / 2)
        mixed = _mix(mixed ^ (codes.astype(np.uint64) + np.uint64(1)))
    sizes = np.unique(mixed, return_counts=True)[1]
    repeated = int((sizes - 1).sum())
    expected = columns.rows * (columns.rows - 1) / 2 * agreement
    if _count_pairs(sizes) > BY_CHANCE * expected + 1:
        yield Finding(
            about=f"{count(repeated, 'row')} repeat another row",
            columns=("all columns",),
            reason="they agree in every column; check whether they were entered twice",
            rows=repeated,
        )


def find_written_values(columns: Columns, taken: set[str]) -> Iterator[Finding]:
    """Numbers and dates that are read as text, in columns that nothing else was `taken` for.

    Numbers with thousands separators stay text whatever it was taken for.
    """
    alike: dict[tuple[str, str], list[str]] = {}
    for name in columns.names:
        text = columns.table.family(name) is CellType.TEXT and columns.has_role(name, *MASKED)
        written = _read_writing(columns, name) if text else None
        if written is not None and (name not in taken or written == SEPARATED):
            alike.setdefault(written, []).append(name)
    for (what, remedy), names in alike.items():
        yield Finding(
            about=f"{what}, read as text",
            columns=tuple(names),
            reason=f"as text they are categories; {remedy}",
            rows=columns.rows - max(map(columns.missing, names)),
        )


def _read_writing(columns: Columns, name: str) -> tuple[str, str] | None:
    """Read what the texts are, and how they should be written."""
    texts = columns.texts(name)
    if len(texts) < FEWEST:
        return None
    if have_separators(texts):
        return SEPARATED
    if are_dates(texts):
        return f"dates{describe_order(texts)}", "write them as 2024-12-31 to mask them as dates"
    words = list_words_among_numbers(columns, name)
    if words and not columns.schema[name].missing:
        rows = count(sum(words.values()), "row")
        return f"numbers, and words in {rows}", "write numbers only, or leave these cells empty"
    return None


def find_births(columns: Columns) -> Iterator[Finding]:
    """Dates of birth: hardly anything else is known of so many people."""
    for name in columns.names:
        family = columns.table.family(name)
        dated = family is CellType.TIME or (
            family is CellType.TEXT and are_dates(columns.texts(name))
        )
        if dated and names_births(name) and columns.has_role(name, *MASKED):
            yield Finding(
                about="dates of birth",
                columns=(name,),
                reason=f"{count(columns.distinct(name), 'distinct day')}; few people share one. "
                "Publish the year, or leave it out",
                rows=columns.rows - columns.missing(name),
                options=_propose_years(columns, name),
            )


def _propose_years(columns: Columns, name: str) -> tuple[str, ...]:
    """To publish the year; a date that is a text, or has an odd name, is dropped."""
    if columns.table.family(name) is CellType.TIME and name.isidentifier():
        return ("--recode", f"{name}: year")
    return write_option("--drop", [name])


def _count_pairs(sizes: np.ndarray) -> float:
    """Pairs of rows that agree, by how many rows have each value."""
    return float((sizes * (sizes - 1.0) / 2.0).sum())


def _fingerprint(columns: Columns, name: str) -> tuple[object, ...]:
    """Return what copies share: the number of values, and which of some rows agree."""
    codes = columns.codes(name)[columns.sample[:LOOKED_AT]]
    order = np.unique(codes, return_index=True, return_inverse=True)
    return columns.distinct(name), order[1][order[2]].tobytes()


def _are_equal(columns: Columns, one: str, other: str) -> bool:
    """Return whether they hold the same values, not only the same classes."""
    if columns.has_numbers(one) and columns.has_numbers(other):
        return np.array_equal(columns.numbers(one), columns.numbers(other), equal_nan=True)
    first, second = (columns.table.plain(name) for name in (one, other))
    return bool(first.type == second.type and first.equals(second))


def _mix(numbers: np.ndarray) -> np.ndarray:
    """Numbers spread over 64 bits (splitmix64)."""
    with np.errstate(over="ignore"):
        numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return numbers ^ (numbers >> np.uint64(31))
