"""From what `inspect` found in a file to roles and ties that a curator may accept or change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from swapmeet.app.case import TEXTS
from swapmeet.core.tables.role import Role

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from swapmeet.app.case import Case
    from swapmeet.datasets import Dataset


def propose(case: Case, found: Mapping[str, Any]) -> Case:
    """The case with roles and ties that follow from the findings; identifiers are dropped."""
    names = [column["name"] for column in found["columns"]]
    options = [pair for one in found["findings"] for pair in _pair(one["options"])]
    named = {name for one in found["findings"] if one["options"] for name in one["columns"]}
    roles = {
        column["name"]: str(Role.DROP)
        for column in found["columns"]
        if column["concern"] and column["role"] == Role.KEY and column["name"] not in named
    }
    for option, text in options:
        if option in set(Role):
            roles |= dict.fromkeys(split_names(text, names), option)
    texts = {name: tuple(t for option, t in options if option == name) for name in TEXTS}
    derived = {text.partition("=")[0].strip().strip("`"): str(Role.DERIVED)
               for text in texts["derive"]}  # fmt: skip
    known = {name: role for name, role in (roles | derived).items() if name in names}
    return case.change(proposed=True, roles={**known, **case.roles}, **texts)


def describe_example(dataset: Dataset) -> dict[str, Any]:
    """Roles, kinds and ties of a built-in table."""
    return {
        "roles": dict.fromkeys(dataset.sensitive, str(Role.SENSITIVE)),
        "kinds": {
            **dict.fromkeys(dataset.nominal, "nominal"),
            **dict.fromkeys(dataset.ordinal, "ordinal"),
        },
    }


def split_names(text: str, names: list[str]) -> list[str]:
    """Names separated by commas; a column whose own name has a comma is taken whole.

    >>> split_names("region,district", ["region", "district"]), split_names("a,b", ["a,b"])
    (['region', 'district'], ['a,b'])
    """
    return [text] if text in names else [part.strip() for part in text.split(",")]


def _pair(options: list[str]) -> Iterator[tuple[str, str]]:
    words = iter(options)
    for option, text in zip(words, words, strict=True):
        yield option.removeprefix("--"), text
