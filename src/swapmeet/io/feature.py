"""Features of a file besides plain values, and what a release in another format loses."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from swapmeet.base.sentences import join_names
from swapmeet.errors import UsageError
from swapmeet.io.formats import FORMATS, format_of

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from swapmeet.io.document import Document


class Feature(StrEnum):
    """Something that a format may or may not keep, as notes name it."""

    COLUMN_LABELS = "labels of columns"
    VALUE_LABELS = "labels of values"
    TEXT_LABELS = "labels of values that are text"
    MISSING_CODES = "which codes mean a missing value"
    MISSING_REASONS = "why a value is missing (all such cells are empty)"
    MEASURES = "measurement levels"
    RESPONSE_SETS = "multiple-response sets"
    WEIGHT = "which column is the weight"
    CATEGORIES = "which columns are categories, and their order"
    TIME_ZONES = "time zones (the moments stay)"
    TIMES_OF_DAY = "that times of day and spans of time are such"
    BOOLEANS = "that true and false are such (1 and 0 stand for them)"
    EMPTY_TEXT = "the difference between an empty text and a missing one"
    LONG_NUMBERS = "digits of whole numbers beyond the 15th"


TYPES: Final = frozenset(
    {
        Feature.CATEGORIES,
        Feature.TIME_ZONES,
        Feature.TIMES_OF_DAY,
        Feature.BOOLEANS,
        Feature.EMPTY_TEXT,
        Feature.LONG_NUMBERS,
    }
)
"""Features that Arrow's types have, and files of Arrow and Parquet keep."""


def describe_lost(names: Sequence[str], lost: Iterable[Feature], remedy: str = "") -> str:
    """A note on what these files do not tell.

    >>> describe_lost(["release.csv"], [Feature.WEIGHT, Feature.VALUE_LABELS])
    'release.csv does not keep: labels of values; which column is the weight.'
    >>> describe_lost(["a.csv", "a.xlsx"], [Feature.WEIGHT])
    'a.csv and a.xlsx do not keep: which column is the weight.'
    """
    found = set(lost)
    told = "; ".join(str(each) for each in Feature if each in found)
    verb = "does" if len(names) == 1 else "do"
    return f"{join_names(names)} {verb} not keep: {told}.{remedy}"


def find_changed(before: Mapping[Feature, Any], after: Mapping[Feature, Any]) -> set[Feature]:
    """Features that one file has and another lacks, or has in another way."""
    return {feature for feature, told in before.items() if after.get(feature) != told}


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
