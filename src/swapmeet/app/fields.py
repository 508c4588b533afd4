"""Forms for the settings of methods, made from their declarations."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from swapmeet.app.commands import write_value
from swapmeet.base.params import Count, Domain, Number, OneOf, Optional, Parameter, Switch
from swapmeet.errors import ParameterError
from swapmeet.methods import METHODS, Method, PerColumn, find, make

PREFIX = "setting-"
NAMED = re.compile(r"^\w+: `(\w+)`", re.MULTILINE)
"""A setting as refusals name it; a form calls it by its label."""


@dataclass(frozen=True)
class Field:
    """A setting as a form asks for it; with `choices` it is one of these."""

    name: str
    label: str
    meaning: str
    rule: str
    value: str
    choices: tuple[str, ...]
    is_number: bool
    required: bool

    @property
    def control(self) -> str:
        """The name of its control in a form."""
        return f"{PREFIX}{self.name}"


def list_methods() -> list[type[Method]]:
    """The methods that a form can set up; the parts of `per-column` only fit in a run file."""
    return [method for method in METHODS.values() if method is not PerColumn]


def list_fields(method: str, given: Mapping[str, str] | None = None) -> list[Field]:
    """The settings of a method, with the values given or the defaults."""
    given = given or {}
    parameters = [p for p in find(method).parameters() if not p.in_python_only]
    return [_field(p, given.get(p.name)) for p in parameters]


def read_settings(method: str, form: Mapping[str, Any]) -> dict[str, str]:
    """The settings in a form that differ from the defaults."""
    settings = {}
    for field in list_fields(method):
        text = str(form.get(field.control, field.value)).strip()
        if text and text != field.value:
            settings[field.name] = text
    return settings


def drop_defaults(method: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that differ from the defaults.

    >>> drop_defaults("rwn", {"k": 7, "q": 1.0})
    {'k': 7}
    """
    usual = {p.name: p.default for p in find(method).parameters()}
    return {name: value for name, value in settings.items() if value != usual.get(name)}


def check_settings(method: str, settings: Mapping[str, Any]) -> str:
    """Return the fault of the settings in words; empty where there is none.

    >>> check_settings("cart", {"min_leaf": "0"})
    "min leaf must be a whole number, 1 or more; got '0'."
    """
    try:
        make(method, settings)
    except ParameterError as refusal:
        return NAMED.sub(lambda match: match[1].replace("_", " "), str(refusal))
    return ""


def _field(parameter: Parameter, given: str | None) -> Field:
    domain = parameter.domain.of if isinstance(parameter.domain, Optional) else parameter.domain
    return Field(
        parameter.name,
        parameter.name.replace("_", " "),
        parameter.meaning,
        f"Must {domain.rule}.",
        _write_default(parameter) if given is None else given,
        _list_choices(domain, can_be_empty=parameter.default is None),
        isinstance(domain, (Count, Number)),
        parameter.required,
    )


def _write_default(parameter: Parameter) -> str:
    if parameter.required or parameter.default is None:
        return ""
    return write_value(parameter.default)


def _list_choices(domain: Domain, *, can_be_empty: bool) -> tuple[str, ...]:
    if isinstance(domain, Switch):
        choices: tuple[str, ...] = ("true", "false")
    elif isinstance(domain, OneOf):
        choices = domain.choices
    else:
        return ()
    return ("", *choices) if can_be_empty else choices
