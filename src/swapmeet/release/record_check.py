"""Checks that an audit record belongs to a release, and where the release's rows have gone."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from swapmeet.errors import TableError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from swapmeet.base.arrays import Bits, Rows
    from swapmeet.release.audit import AuditRecord
    from swapmeet.release.fingerprint import Fingerprint, RowPrinter, RowPrints

UNCHECKED = (
    "The audit record has no fingerprint of its release, as older records have none: whether the "
    "rows are those of the record, in its order, was not checked by their content."
)
REORDERED = (
    "The released rows are in another order than the audit record has them; each was found by its "
    "content."
)
REMEDY = (
    "Give the audit record that was written with this release, and the release as it was written. "
    "A release that was changed on purpose is compared without an audit record."
)


class ReleasedRows(Protocol):
    """A release as it was read, in memory or not."""

    @property
    def names(self) -> Sequence[str]:
        """Its columns."""

    def print_rows(self, printer: RowPrinter) -> RowPrints:
        """The bits of all its rows."""


class CheckedRecord(NamedTuple):
    """An audit record whose owners are those of the release at hand, and what is to be said."""

    audit: AuditRecord
    notes: tuple[str, ...] = ()


def check_record(audit: AuditRecord, release: ReleasedRows) -> CheckedRecord:
    """Refuse a release that is not that of the record; find its rows if they were reordered."""
    fingerprint = audit.fingerprint
    if fingerprint is None or not fingerprint.precisions:
        return CheckedRecord(audit, (UNCHECKED,))
    printer = fingerprint.printer(audit.seed)
    _require_columns(printer, release)
    prints, wanted = release.print_rows(printer), fingerprint.prints.rows[audit.owner]
    if np.array_equal(prints.rows, wanted):
        return CheckedRecord(audit)
    places, order = np.argsort(wanted, kind="stable"), np.argsort(prints.rows, kind="stable")
    if not np.array_equal(wanted[places], prints.rows[order]):
        raise TableError(_describe_difference(fingerprint, prints))
    _require_alike(audit, release, printer, prints.rows, order)
    owner = np.empty_like(audit.owner)
    owner[order] = audit.owner[places]
    return CheckedRecord(replace(audit, owner=owner), (REORDERED,))


def _require_columns(printer: RowPrinter, release: ReleasedRows) -> None:
    lacking = [repr(name) for name in printer.names if name not in release.names]
    if lacking:
        raise TableError(
            "the audit record belongs to another release, or this one was changed: it has no "
            f"column {', '.join(lacking)}. {REMEDY}"
        )


def _require_alike(
    audit: AuditRecord,
    release: ReleasedRows,
    printer: RowPrinter,
    prints: Bits,
    order: Rows,
) -> None:
    """Refuse reordered rows that pass for each other, but are not alike to the last digit.

    Rows that are alike may take each other's place: whatever is measured, they are the same.
    """
    same = prints[order[1:]] == prints[order[:-1]]
    if not same.any():
        return
    names = [name for name in audit.columns if name in release.names]
    exact = release.print_rows(printer.exactly(names)).rows
    unlike = int((same & (exact[order[1:]] != exact[order[:-1]])).sum())
    if unlike:
        raise TableError(
            "the released rows are in another order than the audit record has them, and "
            f"{unlike + 1} or more of them are too similar to tell whose they are. Give the "
            "release as it was written."
        )


def _describe_difference(fingerprint: Fingerprint, prints: RowPrints) -> str:
    """Say how many rows are those of the record, and where the difference lies."""
    wanted = fingerprint.prints
    matched = count_common(wanted.rows, prints.rows)
    columns = _describe_columns(fingerprint, prints)
    sentence = (
        "the audit record belongs to another release, or this one was changed: "
        f"{matched} of {len(prints.rows)} released rows are among the {len(wanted.rows)} rows of "
        "the record."
    )
    return " ".join((sentence, *columns, REMEDY))


def _describe_columns(fingerprint: Fingerprint, prints: RowPrints) -> tuple[str, ...]:
    """Name the columns that have other values, if some have the same ones."""
    wanted = fingerprint.prints
    if len(wanted.rows) != len(prints.rows) or not len(wanted.totals):
        return ()
    differ = wanted.totals != prints.totals
    changed = [name for name, is_other in zip(fingerprint.precisions, differ, strict=True)
               if is_other]  # fmt: skip
    if not changed:
        return ("Every column holds the values of the record, but not in the same rows.",)
    if differ.all():
        return ()
    return (f"Other values than those of the record: {', '.join(changed)}.",)


def count_common(one: Bits, other: Bits) -> int:
    """Count the rows of one table that are in the other, each once.

    >>> count_common(np.array([1, 1, 2, 5], np.uint64), np.array([1, 5, 5, 1, 1], np.uint64))
    3
    """
    first, counts = np.unique(one, return_counts=True)
    second, others = np.unique(other, return_counts=True)
    _, left, right = np.intersect1d(first, second, assume_unique=True, return_indices=True)
    return int(np.minimum(counts[left], others[right]).sum())
