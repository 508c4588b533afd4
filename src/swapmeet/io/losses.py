"""What a release in another format does not tell any more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from swapmeet.errors import UsageError
from swapmeet.io.feature import Feature, describe_lost
from swapmeet.io.formats import FORMATS, format_of

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Sequence

    from swapmeet.io.document import Document

LABELS: Final = ("text", "codes")
"""What a file without labels gets for values that have one: the label, or the code."""
_REMEDIES: Final = {
    None: " To keep them as values: --labels text, or --labels codes.",
    "text": "",
    "codes": " To keep labels as values: --labels text.",
}


def find_lost(
    target: str | os.PathLike[str],
    document: Document,
    names: Iterable[str],
    labels: str | None = None,
) -> frozenset[Feature]:
    """What `document` tells of the columns `names` and the format of `target` does not keep."""
    kind = FORMATS[format_of(target)]
    kept = kind.keeps if kind.name == document.format else kind.carries
    found = set(FORMATS[document.format].find_features(document, names)) - kept
    if labels == "text":
        found -= {Feature.VALUE_LABELS, Feature.TEXT_LABELS}
    return frozenset(found)


def describe_losses(
    target: Any, document: Document, names: Iterable[str], labels: str | None = None
) -> tuple[str, ...]:
    """A note on what is lost, and how labels and codes for missing values can be kept."""
    lost = find_lost(target, document, names, labels)
    helped = lost & {Feature.VALUE_LABELS, Feature.MISSING_CODES} and not _holds_labels(target)
    return describe_lost(target.name, lost, _REMEDIES[labels] if helped else "")


def require_labels(how: str | None, targets: Sequence[Any]) -> None:
    """Refuse a way to write labelled values that there is not, or that no file needs."""
    if how is None:
        return
    if how not in LABELS:
        raise UsageError(f"--labels {how}: must be one of {', '.join(LABELS)}.")
    if all(map(_holds_labels, targets)):
        raise UsageError("--labels: each file of the release keeps its labels. Leave it out.")


def require_labelled(document: Document, how: str | None) -> None:
    """Refuse a way to write labelled values of a file that has none."""
    if how is not None and not document.labels:
        raise UsageError(f"--labels: {document.path} has no labels of values. Leave it out.")


def _holds_labels(target: Any) -> bool:
    return Feature.VALUE_LABELS in FORMATS[format_of(target)].carries
