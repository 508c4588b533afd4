"""Facts in files of statistical packages about their columns besides the values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from swapmeet.io.feature import Feature
from swapmeet.io.statistical.values import is_declared_missing, is_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from swapmeet.io.document import Document


def find_features(document: Document, names: Iterable[str]) -> dict[Feature, Any]:
    """Labels, codes for missing values, measures, multiple-response sets, the weight."""
    layout, published = document.layout, set(names)
    told = layout.metadata

    def of(values: Mapping[str, Any] | None) -> dict[str, Any]:
        return {name: each for name, each in (values or {}).items() if name in published and each}

    found = {
        Feature.COLUMN_LABELS: of(told.column_names_to_labels),
        Feature.VALUE_LABELS: of(_find_labels(told, of_text=False)),
        Feature.TEXT_LABELS: of(_find_labels(told, of_text=True)),
        Feature.MISSING_CODES: of(told.missing_ranges) | of(told.missing_user_values),
        Feature.MEASURES: {n: m for n, m in of(told.variable_measure).items() if m != "unknown"},
        Feature.RESPONSE_SETS: find_sets(told, published),
        Feature.WEIGHT: layout.weight if layout.weight in published else None,
    }
    return {feature: each for feature, each in found.items() if each}


def find_sets(metadata: Any, published: Iterable[str]) -> dict[str, Any]:
    """The multiple-response sets of which every column is published."""
    names = set(published)
    return {
        name: told
        for name, told in (metadata.mr_sets or {}).items()
        if told["variable_list"] and names.issuperset(told["variable_list"])
    }


def find_value_labels(metadata: Any) -> dict[str, dict[Any, str]]:
    """The labels of values that are not missing, by column."""
    return {
        name: {key: text for key, text in labels.items() if not _is_missing(metadata, name, key)}
        for name, labels in metadata.variable_value_labels.items()
    }


def _find_labels(metadata: Any, *, of_text: bool) -> dict[str, dict[Any, str]]:
    labels = find_value_labels(metadata)
    return {name: each for name, each in labels.items() if is_text(metadata, name) == of_text}


def _is_missing(metadata: Any, name: str, key: Any) -> bool:
    letters = not is_text(metadata, name) and isinstance(key, str)
    return letters or is_declared_missing(key, metadata.missing_ranges.get(name, []))
