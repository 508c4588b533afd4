"""The JSON schema of run files, from which editors complete and check them."""

from __future__ import annotations

from typing import Any

from swapmeet.base.options import close_schema
from swapmeet.methods import METHODS, Method
from swapmeet.plan.plan import COLUMNS, ORDER, SECTIONS
from swapmeet.plan.sections import ColumnSettings
from swapmeet.tables.ties import UNREPAIRED

DIALECT = "https://json-schema.org/draft/2020-12/schema"
TEXTS = {"type": "array", "items": {"type": "string"}}
SETTINGS_OF_TIES: dict[str, tuple[str, dict[str, Any]]] = {
    "together": ("together", {"type": "array", "items": TEXTS}),
    "derive": ("derive", TEXTS),
    "rules": ("rule", TEXTS),
    "unrepaired": ("unrepaired", {"enum": list(UNREPAIRED)}),
}
"""What a run file says of ties, the option that means the same, and its values."""


def make_json_schema() -> dict[str, Any]:
    """All that a run file may say."""
    columns = {"type": "object", "additionalProperties": ColumnSettings.json_schema()}
    parts: dict[str, Any] = {name: one.json_schema() for name, one in SECTIONS.items()}
    parts |= {"method": _describe_methods(), "columns": columns, "ties": _describe_ties()}
    version = {"description": "The version of Swapmeet that wrote it.", "type": "string"}
    return {
        "$schema": DIALECT,
        "title": "A plan of Swapmeet",
        **close_schema({"swapmeet": version, **{name: parts[name] for name in ORDER}}),
    }


def _describe_methods() -> dict[str, Any]:
    """Describe the methods: which settings there are depends on the name."""
    return {
        "type": "object",
        "properties": {"name": {"enum": list(METHODS)}},
        "allOf": [
            {"if": {"properties": {"name": {"const": name}}, "required": ["name"]},
             "then": _describe_method(method)}
            for name, method in METHODS.items()
        ],
    }  # fmt: skip


def _describe_method(method: type[Method]) -> dict[str, Any]:
    own = {
        one.name: {"description": f"{one.meaning}.", **one.domain.json_schema()}
        for one in method.parameters()
        if not one.in_python_only
    }
    return close_schema({"name": True, **own})


def _describe_ties() -> dict[str, Any]:
    meanings = {one.name: one.option.meaning for one in COLUMNS}
    return close_schema(
        {
            name: {"description": meanings[option], **values}
            for name, (option, values) in SETTINGS_OF_TIES.items()
        }
    )
