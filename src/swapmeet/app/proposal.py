"""From what `inspect` found in a file to roles and ties that a curator may accept or change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from swapmeet.app.case import TEXTS
from swapmeet.core.tables.derivations import Derivation
from swapmeet.core.tables.role import Role

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from swapmeet.app.case import Case
    from swapmeet.datasets import Dataset


def propose(case: Case, found: Mapping[str, Any], former: Mapping[str, Any] | None = None) -> Case:
    """The case with roles and ties that follow from the findings; identifiers are dropped.

    What the curator chose or wrote stays. If a `former` look found the same columns, so does what
    they made of its proposals; else these are taken back, with all that was said of columns that
    there are not any more.
    """
    if former is not None:
        if _list_names(found) == _list_names(former):
            return case.change(proposed=True)
        case = _take_back(case, former)
    names, (roles, texts) = _list_names(found), _list_proposals(found)
    known = case.known and tuple(name for name in case.known if name in names)
    return case.change(
        proposed=True,
        roles=_choose({**roles, **case.roles}, names),
        kinds=_choose(case.kinds, names),
        publish=tuple(name for name in case.publish if name in names),
        known=known or None,
        **{one: tuple(dict.fromkeys((*getattr(case, one), *texts[one]))) for one in TEXTS},
    )


def _list_proposals(found: Mapping[str, Any]) -> tuple[dict[str, str], dict[str, list[str]]]:
    """The roles of columns and the lines that follow from findings."""
    names = _list_names(found)
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
    texts = {name: [text for option, text in options if option == name] for name in TEXTS}
    told = [Derivation(text) for text in texts["derive"]]
    derived = {one.name: str(Role.DERIVED) for one in told if not one.has_rest}
    return _choose({**roles, **derived}, names), texts


def _take_back(case: Case, former: Mapping[str, Any]) -> Case:
    """The case without what was proposed and left as it was."""
    roles, texts = _list_proposals(former)
    return case.change(
        roles={name: role for name, role in case.roles.items() if roles.get(name) != role},
        **{one: tuple(t for t in getattr(case, one) if t not in texts[one]) for one in TEXTS},
    )


def _list_names(found: Mapping[str, Any]) -> list[str]:
    return [column["name"] for column in found["columns"]]


def _choose(told: Mapping[str, str], names: list[str]) -> dict[str, str]:
    there = set(names)
    return {name: what for name, what in told.items() if name in there}


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
