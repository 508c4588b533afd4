"""The release of a table, and what may be said of it to everybody."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, Self

from swapmeet.base.html import (
    BAD,
    write_box,
    write_fold,
    write_list,
    write_mark,
    write_table,
    write_text,
)
from swapmeet.base.progress import Progress, silent
from swapmeet.base.secret import HoldsSecret
from swapmeet.base.sentences import percent
from swapmeet.errors import UsageError, warn
from swapmeet.tables.frame import Frame, reorder

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from swapmeet.release.audit import AuditRecord
    from swapmeet.release.changes import ColumnChange, RuleCount
    from swapmeet.release.protection import ProtectionSummary
    from swapmeet.tables.recoding.recoded import StepResult
    from swapmeet.tables.schema import Column, Schema


class WriteNotes(NamedTuple):
    """Notes about what files leave out of their document, and what their formats do not keep."""

    left_out: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()


class Writer(Protocol):
    """Function that writes a release to files, in the formats of their names."""

    def __call__(
        self,
        release: Release,
        paths: Sequence[str | os.PathLike[str]],
        *,
        like: Any,
        labels: str | None,
        guard_formulas: bool,
        audit: str | os.PathLike[str] | None,
        keep_order: bool,
        overwrite: bool,
        progress: Progress,
    ) -> WriteNotes:
        """Write it whole or not at all; what there is to say of what the files do not keep."""


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Summary:
    """Summary of what was done to a table; nothing in it is a secret.

    `reproducible` marks a release whose seed the user chose: for tests and studies, not for
    publication. `recodes` are the steps that the table went through before it was masked.
    `rules` tells of each rule how often the method broke it, and what was done. `protection` tells
    how many people got more protection than the others, where some did.
    """

    rows: int
    schema: Schema
    method: str
    settings: Mapping[str, Any]
    changes: tuple[ColumnChange, ...]
    notes: tuple[str, ...]
    reproducible: bool
    recodes: tuple[StepResult, ...] = ()
    rules: tuple[RuleCount, ...] = ()
    protection: ProtectionSummary | None = None

    def __repr__(self) -> str:
        settings = ", ".join(f"{name}={value!r}" for name, value in self.settings.items())
        size = f"{self.rows} rows and {len(self.schema.published)} columns"
        return f"<{type(self).__name__} of {size} by {self.method}({settings})>"

    def _repr_html_(self) -> str:
        return write_summary(self)

    def remark(self, *sentences: str) -> Self:
        """The same, with more to be said of it."""
        return replace(self, notes=(*self.notes, *sentences))


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Release(HoldsSecret, Summary):
    """A masked table. Row i of `data` is owned by row i of the original: publish `shuffled()`.

    Besides its values, `data` tells the types of its columns only: a fresh index, categories that
    a row has, no attributes or metadata. `notes` say what was left out. `write` writes files by
    `writer`, which the engine gives. `source` is the key of the document that was masked.
    """

    data: Frame
    audit: AuditRecord = field(repr=False)
    writer: Writer | None = field(default=None, repr=False)
    source: object = field(default=None, repr=False)

    instead: ClassVar[str] = (
        "Publish what `shuffled` gives or `write` writes, and keep its record by `audit.save`."
    )

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return replace(self, data=deepcopy(self.data, memo))

    def shuffled(self) -> Frame:
        """Return what is published: the rows in random order, with a fresh index."""
        return reorder(self.data, self.audit.owner)

    def write(
        self,
        path: str | os.PathLike[str],
        *also: str | os.PathLike[str],
        like: Any = None,
        labels: str | None = None,
        guard_formulas: bool = False,
        audit: str | os.PathLike[str] | None = None,
        keep_order: bool = False,
        overwrite: bool = False,
        progress: Progress = silent,
    ) -> None:
        """Write what is published, `shuffled()`, in the format of the name: .csv, .parquet, .sav, …

        Several names get the same rows in the same order. All files appear, whole, or none does.
        `like` is the document that was masked (`read`), or the name of its file: labels of columns
        and values, and what else SPSS or Stata tell of columns, come from it, as far as released
        rows have these values. Of the document itself cells are copied as they stand in its file,
        so that a number keeps its spelling. In a file without labels, `labels="text"` writes them
        instead of the values, and "codes" also those codes that mean a missing value. What a format
        does not keep of `like` is warned of. `guard_formulas` puts an apostrophe before text of a
        .csv that spreadsheets would run. `audit` names a file for the audit record. With
        `keep_order`, rows are in the order of the original, which tells who is who.
        """
        if self.writer is None:
            raise UsageError("write: only a release that `mask` made can be written.")
        notes = self.writer(
            self, (path, *also), like=like, labels=labels, guard_formulas=guard_formulas,
            audit=audit, keep_order=keep_order, overwrite=overwrite, progress=progress,
        )  # fmt: skip
        for note in notes.lost:
            warn(note)

    def save(
        self,
        path: str | os.PathLike[str],
        *also: str | os.PathLike[str],
        like: Any = None,
        labels: str | None = None,
        overwrite: bool = False,
    ) -> None:
        """As `write`, by its earlier name."""
        self.write(path, *also, like=like, labels=labels, overwrite=overwrite)


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class FileRelease(Summary):
    """A masked table that is not in memory: its rows are in the file or folder `path`."""

    path: Path


CHOSEN = "The seed was chosen: for tests and studies, not for publication."
SHARES = ("moved", "changed", "suppressed", "made")
ALWAYS = 2
"""The first of the shares are shown in any case, the others where they occur."""


def write_summary(summary: Summary) -> str:
    """Write how much of each column moved and changed, and what the curator should know."""
    shares = [*SHARES[:ALWAYS], *(name for name in SHARES[ALWAYS:] if _occurs(summary, name))]
    changes = {change.name: change for change in summary.changes}
    published = [summary.schema[name] for name in summary.schema.published]
    rows = (_list_cells(column, changes.get(column.name), shares) for column in published)
    return write_box(
        write_text(repr(summary).strip("<>")),
        write_mark(CHOSEN, BAD) if summary.reproducible else "",
        write_table(["column", "kind", "role", *shares], rows),
        write_fold("Notes", write_list(summary.notes)) if summary.notes else "",
    )


def _occurs(summary: Summary, share: str) -> bool:
    return any(getattr(change, share) for change in summary.changes)


def _list_cells(column: Column, change: ColumnChange | None, shares: list[str]) -> tuple[str, ...]:
    """A column that is not masked has no shares."""
    shown = [percent(getattr(change, share)) if change else "–" for share in shares]
    return (column.name, str(column.kind), str(column.role), *shown)
