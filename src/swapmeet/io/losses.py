"""List what a release in another format loses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from swapmeet.errors import UsageError
from swapmeet.io.feature import Feature, describe_lost
from swapmeet.io.formats import FORMATS, format_of

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from swapmeet.io.document import Document

LABELS: Final = ("text", "codes")
"""Choice for values with a label in a file without labels: the label, or the code."""
_SPELLED: Final = frozenset({Feature.VALUE_LABELS, Feature.MISSING_CODES, Feature.MISSING_REASONS})
_TEXT: Final = " To write labels in place of codes: --labels text."
_CODES: Final = " To write all codes, also of missing values: --labels codes."
_REMEDIES: Final = {None: _TEXT + _CODES, "text": "", "codes": _TEXT}


def find_lost(
    target: str | os.PathLike[str],
    document: Document,
    names: Iterable[str],
    labels: str | None = None,
) -> frozenset[Feature]:
    """List what `document` says about the columns `names` and the format of `target` loses."""
    kind = FORMATS[format_of(target)]
    kept = kind.keeps if kind.name == document.format else kind.carries
    found = set(FORMATS[document.format].find_features(document, names)) - kept
    if labels == "text":
        found -= {Feature.VALUE_LABELS, Feature.TEXT_LABELS}
    return frozenset(found)


def describe_losses(
    targets: Sequence[Path], document: Document, names: Sequence[str], labels: str | None = None
) -> tuple[str, ...]:
    """Notes on what each file loses, and how labels and codes for missing values can be kept."""
    alike: dict[tuple[frozenset[Feature], str], list[str]] = {}
    for target in targets:
        lost = _name_reasons(find_lost(target, document, names, labels), labels)
        remedy = "" if _holds_labels(target) or not lost & _SPELLED else _REMEDIES[labels]
        alike.setdefault((lost, remedy), []).append(target.name)
    return tuple(
        describe_lost(files, lost, remedy) for (lost, remedy), files in alike.items() if lost
    )


def require_labels(how: str | None, targets: Sequence[Path]) -> None:
    """Refuse a way to write labelled values that there is not, or that no file needs."""
    if how is None:
        return
    if how not in LABELS:
        raise UsageError(f"labels: {how!r} must be one of {', '.join(LABELS)}.")
    if all(map(_holds_labels, targets)):
        raise UsageError("labels: each file of the release keeps its labels. Leave it out.")


def require_labelled(document: Document, how: str | None) -> None:
    """Refuse a way to write labelled values of a file that has none."""
    if how is not None and not document.labels:
        raise UsageError(f"labels: {document.path} has no labels of values. Leave it out.")


def _name_reasons(lost: frozenset[Feature], labels: str | None) -> frozenset[Feature]:
    """Name the reasons that are lost where codes for missing values are not written."""
    if labels is not None or Feature.MISSING_CODES not in lost:
        return lost
    return lost - {Feature.MISSING_CODES} | {Feature.MISSING_REASONS}


def _holds_labels(target: Path) -> bool:
    return Feature.VALUE_LABELS in FORMATS[format_of(target)].carries
