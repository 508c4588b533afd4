"""From what `inspect` found in a file to roles and ties that a curator may accept or change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from swapmeet.app.case import TEXTS, Case
from swapmeet.plan.plan import split_names
from swapmeet.tables.derivations import Derivation
from swapmeet.tables.role import Role

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from swapmeet.datasets import Dataset


def propose(
    case: Case, inspection: Mapping[str, Any], former: Mapping[str, Any] | None = None
) -> Case:
    """The case with roles and ties that follow from the findings; identifiers are dropped.

    What the curator chose or wrote stays. If a `former` look found the same columns, so does what
    they made of its proposals; else these are taken back, with all that was said of columns that
    there are not any more.
    """
    if former is not None:
        if _list_names(inspection) == _list_names(former):
            return case.change(proposed=True)
        case = _take_back(case, former)
    names, (roles, texts) = _list_names(inspection), _list_proposals(inspection)
    known = case.known and tuple(name for name in case.known if name in names)
    return case.change(
        proposed=True,
        roles=_choose({**roles, **case.roles}, names),
        kinds=_choose(case.kinds, names),
        publish=tuple(name for name in case.publish if name in names),
        known=known or None,
        **{one: _join(getattr(case, one), texts[one]) for one in TEXTS},
    )


@dataclass(frozen=True)
class AppliedFinding:
    """A finding that can be applied: its roles and lines, and whether the case has all of them."""

    finding: Mapping[str, Any]
    roles: Mapping[str, str]
    texts: Mapping[str, tuple[str, ...]]
    applied: bool

    def apply(self, case: Case) -> Case:
        """The case with all of it."""
        return case.change(
            roles={**case.roles, **self.roles},
            **{one: _join(getattr(case, one), self.texts[one]) for one in TEXTS},
        )

    def take_back(self, case: Case, guessed: Mapping[str, str]) -> Case:
        """The case without it: columns have their guessed role again."""
        roles = {n: guessed.get(n, r) if self.roles.get(n) == r else r
                 for n, r in case.roles.items()}  # fmt: skip
        return case.change(
            roles=roles,
            **{one: tuple(t for t in getattr(case, one) if t not in self.texts[one])
               for one in TEXTS},
        )  # fmt: skip


def list_findings(case: Case, inspection: Mapping[str, Any]) -> list[AppliedFinding]:
    """The findings that say what to do, each with whether the case does it."""
    names = _list_names(inspection)
    guessed = {c["name"]: c["role"] for c in inspection.get("columns", ())}
    proposals = []
    for one in inspection.get("findings", ()):
        if not one["options"]:
            continue
        roles, texts = _read_options(one["options"], names)
        applied = all(case.role_of(n, guessed[n]) == r for n, r in roles.items()) and all(
            text in getattr(case, name) for name, lines in texts.items() for text in lines
        )
        proposals.append(AppliedFinding(one, roles, texts, applied))
    return proposals


def _read_options(
    options: list[str], names: list[str]
) -> tuple[dict[str, str], dict[str, tuple[str, ...]]]:
    """Roles and lines that options stand for; what follows from others is derived."""
    pairs = list(_pair(options))
    roles: dict[str, str] = {}
    for option, text in pairs:
        if option in set(Role):
            roles |= dict.fromkeys(split_names(text, names), option)
    texts = {name: tuple(text for option, text in pairs if option == name) for name in TEXTS}
    derivations = [Derivation(text) for text in texts["derive"]]
    roles |= {one.name: str(Role.DERIVED) for one in derivations if not one.has_rest}
    return _choose(roles, names), texts


def _join(lines: tuple[str, ...], more: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*lines, *more)))


def _list_proposals(
    inspection: Mapping[str, Any],
) -> tuple[dict[str, str], dict[str, tuple[str, ...]]]:
    """The roles of columns and the lines that follow from findings."""
    names = _list_names(inspection)
    options = [word for one in inspection["findings"] for word in one["options"]]
    named = {name for one in inspection["findings"] if one["options"] for name in one["columns"]}
    roles = {
        column["name"]: str(Role.DROP)
        for column in inspection["columns"]
        if column["concern"] and column["role"] == Role.KEY and column["name"] not in named
    }
    found_roles, texts = _read_options(options, names)
    return _choose({**roles, **found_roles}, names), texts


def _take_back(case: Case, former: Mapping[str, Any]) -> Case:
    """The case without what was proposed and left as it was."""
    roles, texts = _list_proposals(former)
    return case.change(
        roles={name: role for name, role in case.roles.items() if roles.get(name) != role},
        **{one: tuple(t for t in getattr(case, one) if t not in texts[one]) for one in TEXTS},
    )


def _list_names(inspection: Mapping[str, Any]) -> list[str]:
    return [column["name"] for column in inspection.get("columns", ())]


def _choose(roles: Mapping[str, str], names: list[str]) -> dict[str, str]:
    there = set(names)
    return {name: role for name, role in roles.items() if name in there}


def describe_example(dataset: Dataset) -> dict[str, Any]:
    """Roles, kinds and ties of a built-in table."""
    return {
        "roles": dict.fromkeys(dataset.sensitive, str(Role.SENSITIVE)),
        "kinds": {
            **dict.fromkeys(dataset.nominal, "nominal"),
            **dict.fromkeys(dataset.ordinal, "ordinal"),
        },
    }


def _pair(options: list[str]) -> Iterator[tuple[str, str]]:
    words = iter(options)
    for option, text in zip(words, words, strict=True):
        yield option.removeprefix("--"), text
