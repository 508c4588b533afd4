"""A release in memory becomes one file or several."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from swapmeet.base.progress import Progress, silent
from swapmeet.errors import UsageError
from swapmeet.io.document import Document
from swapmeet.release.release import Release, WriteNotes
from swapmeet.tables.derivations import Derivation

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from swapmeet.release.audit import AuditRecord
    from swapmeet.tables.frame import Frame


def write_release(
    release: Release,
    paths: Sequence[str | os.PathLike[str]],
    *,
    like: Document | str | os.PathLike[str] | None = None,
    labels: str | None = None,
    guard_formulas: bool = False,
    audit: str | os.PathLike[str] | None = None,
    keep_order: bool = False,
    overwrite: bool = False,
    progress: Progress = silent,
) -> WriteNotes:
    """Write a release in the formats of the names, and its audit record, all or nothing.

    What is returned says what the files leave out of the document `like`.
    """
    from swapmeet import io
    from swapmeet.base.atomic import all_or_nothing
    from swapmeet.tables.traces import describe_left_out

    targets = [Path(path) for path in paths]
    record = None if audit is None else Path(audit)
    with all_or_nothing():
        _check(targets, record, like, labels, overwrite=overwrite)
        document = _open(like, labels)
        frame, kept = _order(release, keep_order=keep_order)
        if record is not None:
            kept.save(record, overwrite=overwrite)
        left_out = [
            io.write(
                target, frame, like=document, donors=_find_donors(release, kept, document),
                labels=labels, guard_formulas=guard_formulas, overwrite=overwrite,
                progress=progress,
            )
            for target in targets
        ]  # fmt: skip
    if document is None:
        return WriteNotes()
    losses = io.describe_losses(targets, document, release.schema.published, labels)
    return WriteNotes(tuple(describe_left_out(frozenset().union(*left_out))), losses)


def _open(like: Document | str | os.PathLike[str] | None, labels: str | None) -> Document | None:
    from swapmeet import io
    from swapmeet.io.formats import require_labelled

    if like is None:
        return None
    document = like if isinstance(like, Document) else io.read(like)
    require_labelled(document, labels)
    return document


def _order(release: Release, *, keep_order: bool) -> tuple[Frame, AuditRecord]:
    """The rows in the order in which they are published, and the record of that order."""
    import numpy as np

    if not keep_order:
        return release.shuffled(), release.audit
    return release.data, replace(release.audit, owner=np.arange(len(release.audit.owner)))


def _find_donors(
    release: Release, record: AuditRecord, document: Document | None
) -> dict[str, Any]:
    """The rows of the document whose cells are published, if it is the one that was masked.

    Cells of a column that was recoded, or computed from a rest, are not those of the document.
    """
    if document is None or release.source is not document.key:
        return {}
    donors = dict(zip(record.columns, record.donors[record.owner].T, strict=True))
    made = {step.column for step in release.recodes} | {Derivation(t).name for t in record.rests}
    return {name: rows for name, rows in donors.items() if name not in made}


def _check(
    targets: Sequence[Path],
    record: Path | None,
    like: Document | str | os.PathLike[str] | None,
    labels: str | None,
    *,
    overwrite: bool,
) -> None:
    from swapmeet import io
    from swapmeet.base.atomic import check_target

    every = [*targets, *([] if record is None else [record])]
    if len({path.resolve() for path in every}) < len(every):
        raise UsageError("write: a file is named twice. Name each file of the release once.")
    io.require_labels(labels, targets)
    original = like.path if isinstance(like, Document) else None if like is None else Path(like)
    for target in targets:
        io.check_format(target)
    for path in every:
        if original is not None and path.exists() and original.exists() and path.samefile(original):
            raise UsageError(f"{path}: is the original. Give the release another name.")
        check_target(path, overwrite=overwrite)
