"""Checks that an original and its release can be compared row by row."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from swapmeet.base.arrays import Rows
from swapmeet.base.sentences import agree, count
from swapmeet.comparison.comparison import Comparison, Ownership, ownership_of
from swapmeet.comparison.knowledge import Knowledge
from swapmeet.errors import SchemaError, TableError, UsageError, did_you_mean
from swapmeet.measures.weights import judge_comparison
from swapmeet.release.audit import AuditRecord
from swapmeet.tables.frame import Table, shared_codes
from swapmeet.tables.schema import Kind, Role, Schema


def require_as_many(before: int, after: int) -> None:
    """Refuse an original and a release of different length."""
    if before != after:
        raise TableError(
            f"the original has {count(before, 'row')} and the release {after:,}. "
            "Compare a release with all of the table it was made of."
        )


def require_in_both(name: str, before: Sequence[str], after: Sequence[str]) -> None:
    """Refuse to match rows by a column that one of the tables lacks."""
    for names, which in ((before, "original"), (after, "release")):
        if name not in names:
            raise UsageError(
                f"match: the {which} has no column {name!r}{did_you_mean(name, names)}"
            )


def not_identifying(name: str) -> TableError:
    """Say that a column does not match each row with one other."""
    return TableError(
        f"match: {name!r} does not tell the rows apart, or does not have the same values in "
        "both tables. Give a column that identifies every row."
    )


UNKNOWN, ROWS = "unknown", "rows"
"""Way to match released rows with original ones, unless by the name of a column."""


def common_columns(before: Table, after: Table, schema: Schema) -> list[Any]:
    """The published columns that both tables have and that can be compared."""
    if len(before) == 0:
        raise TableError("the original has no rows; there is nothing to compare.")
    common = [schema[name] for name in schema.compared if name in after.names]
    problems = [
        f"column {c.name!r} is {c.kind} and holds {after.family(c.name)} in the release. "
        "Read both files in the same way, or drop the column."
        for c in common
        if c.kind is not Kind.NOMINAL and not before.is_ordered(c.name)
        and not after.has_numbers(c.name)
    ]  # fmt: skip
    if problems:
        raise SchemaError(problems)
    if not any(column.role.masked for column in common):
        problem = (
            "original and release have no masked column in common. Compare a release with the "
            "table it was made of, and give at least one column the role key or sensitive."
        )
        raise SchemaError([problem])
    return common


def find_ownership(
    audit: AuditRecord | None, match: str, known: tuple[str, ...], masked: tuple[str, ...]
) -> Ownership:
    """Say how it is known whose rows are released."""
    if audit is not None:
        return ownership_of(audit.owned, known, masked)
    return Ownership.UNKNOWN if match == UNKNOWN else Ownership.CLAIMED


def find_owners(
    before: int,
    after: int,
    audit: AuditRecord | None,
    match: str,
    tables: Callable[[], tuple[Table, Table]],
) -> Rows | None:
    """The released rows in the order of the rows they stand for; None where they are in order.

    `before` and `after` are the numbers of rows; `tables` are read only if a column matches them.
    """
    require_as_many(before, after)
    if audit is not None:
        if len(audit.owner) != before:
            raise TableError(
                f"the audit record has {count(len(audit.owner), 'row')} and the tables have "
                f"{before:,}; it belongs to another release."
            )
        return attribute_rows(audit, np.argsort(audit.owner))
    return None if match in {UNKNOWN, ROWS} else _by_id(*tables(), match)


def attribute_rows(audit: AuditRecord, rows: Rows) -> Rows:
    """For each person the place of their row, by who gave its values; `rows` are the row's places.

    A record that was moved as a whole would otherwise pass for hidden, though it is released as it
    was: it is the row of the person whose record it is.
    """
    return rows[audit.rows_of_people()] if audit.owned else rows


def _by_id(before: Table, after: Table, name: str) -> Rows:
    require_in_both(name, before.names, after.names)
    one, other = shared_codes((before, after), name)
    distinct = np.array_equal(np.sort(one.codes), np.arange(len(before)))
    if not distinct or not np.array_equal(np.sort(other.codes), np.arange(len(before))):
        raise not_identifying(name)
    places = np.empty(len(before), np.int64)
    places[other.codes] = np.arange(len(before))
    return places[one.codes]


def choose_known(known: Iterable[str] | None, columns: list[Any]) -> tuple[str, ...]:
    """The columns an intruder knows: those named, or all masked ones."""
    names = tuple(c.name for c in columns)
    if known is None:
        return tuple(c.name for c in columns if c.role.masked)
    known = tuple(known)
    unknown = [name for name in known if name not in names]
    if unknown or not known:
        raise SchemaError(
            [f"known: {name!r} is not a column of both tables{did_you_mean(name, names)}"
             for name in unknown]
            or ["known: name at least one column that the intruder knows."]
        )  # fmt: skip
    return known


def choose_keys(known: Iterable[str] | None, columns: list[Any]) -> tuple[str, ...]:
    """The columns that the intruder of a verdict knows: those named, the keys, or all masked.

    Where people live is known of them as keys are.
    """
    keys = [column.name for column in columns if column.role in {Role.KEY, Role.PLACE}]
    return tuple(keys) if known is None and keys else choose_known(known, columns)


def list_notes(comparison: Comparison, schema: Schema) -> Iterator[str]:
    """List what a reader of the card should know."""
    yield from comparison.notes
    variables = comparison.original.variables
    absent = [name for name in schema.compared if name not in comparison.original.names]
    if absent:
        yield f"{', '.join(absent)}: not in the release, and not compared."
    weight, judgement = comparison.original.weight, comparison.once(judge_comparison)
    counted = list(comparison.known)
    if weight is not None and judgement is not None:
        yield from judgement.describe(weight.name)
        counted += [weight.name] if judgement.cells else []
    kept = [v.name for v in variables if v.role.kept and v.name not in counted]
    if kept and comparison.level is not Knowledge.EVERYTHING:
        yield (
            f"{', '.join(kept)}: published unmasked, and not counted as known to the intruder. "
            f"If {agree(len(kept), 'it', 'they')} may be known, say so."
        )
