"""Facts that a file holds about itself and its columns, without people's values, for JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from swapmeet.io.formats import FORMATS
from swapmeet.tables.frame import Table

if TYPE_CHECKING:
    from swapmeet.io.document import Document

FARTHEST: Final = 1e300
"""Beyond, a number stands for the lowest or the highest that there is."""


def describe_reading(document: Document) -> dict[str, Any]:
    """Return how the file was read, with its header where the format can be without one."""
    kind = FORMATS.get(document.format)
    header = {"header": True} if kind is not None and "header" in kind.options else {}
    return {**header, **document.options}


def describe_columns(document: Document) -> dict[str, dict[str, Any]]:
    """Of each column its type, its label, labels of its values, and what stands for missing."""
    table = Table.of(document.frame)
    labels, missing = document.column_labels, document.missing_codes
    return {
        name: {
            "type": table.storage_type(name),
            "label": labels.get(name),
            "value_labels": {
                spell_code(code): text for code, text in document.labels.get(name, {}).items()
            },
            "missing_codes": [_spell_span(one) for one in missing[name]]
            if name in missing
            else None,
        }
        for name in document.names
    }


def spell_code(code: Any) -> str:
    """A code as people write it.

    >>> spell_code(1.0), spell_code(2.5), spell_code("a")
    ('1', '2.5', 'a')
    """
    if isinstance(code, float) and code.is_integer() and abs(code) < FARTHEST:
        return str(int(code))
    return str(code)


def _spell_span(declared: Any) -> str:
    """A code, or a range of codes.

    >>> _spell_span("a"), _spell_span({"lo": 97.0, "hi": 99.0}), _spell_span({"lo": 9, "hi": 9})
    ('a', '97 to 99', '9')
    >>> _spell_span({"lo": float("-inf"), "hi": -1.0}), _spell_span({"lo": 90, "hi": 1.7e308})
    ('-1 and below', '90 and above')
    """
    low, high = (declared["lo"], declared["hi"]) if isinstance(declared, dict) else [declared] * 2
    if low == high:
        return spell_code(low)
    if not isinstance(low, str) and low < -FARTHEST:
        return f"{spell_code(high)} and below"
    if not isinstance(high, str) and high > FARTHEST:
        return f"{spell_code(low)} and above"
    return f"{spell_code(low)} to {spell_code(high)}"
