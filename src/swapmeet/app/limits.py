"""The limits that a curator may set, in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from swapmeet.measures.default_limits import UNIT_LIMITS, list_default_limits

if TYPE_CHECKING:
    from collections.abc import Mapping

    from swapmeet.app.case import Case


@dataclass(frozen=True)
class Limited:
    """A measure that a limit may be set on."""

    title: str
    meaning: str


LIMITED = {
    "linkage": Limited(
        "People found", "the share of people whom the worst intruder finds in the release"
    ),
    "copies": Limited("Whole records", "the share of people whose whole record is in the release"),
    "inference": Limited(
        "Values guessed",
        "the share of sensitive values guessed right beyond what strangers' data would reveal",
    ),
    "membership": Limited(
        "Presence revealed", "how much better than by chance an intruder knows who is in the file"
    ),
    "household-linkage": Limited(
        "Households found", "the share of households found by someone who knows all their members"
    ),
    "person-linkage": Limited(
        "People of several rows found",
        "the share of people found by someone who knows all their rows",
    ),
}


@dataclass(frozen=True)
class LimitField:
    """A limit as a form asks for it; empty where there is none."""

    name: str
    title: str
    meaning: str
    value: str
    usual: str


def list_limits(case: Case) -> list[LimitField]:
    """The limits of a case; those on households and persons where the case has such."""
    usual, set_now = list_usual(case), find_limits(case)
    names = [name for name in LIMITED if name not in UNIT_LIMITS or name in {*usual, *set_now}]
    return [
        LimitField(
            name, LIMITED[name].title, LIMITED[name].meaning,
            f"{set_now[name]:g}" if name in set_now else "",
            f"{usual[name]:g}" if name in usual else "none",
        )
        for name in names
    ]  # fmt: skip


def list_usual(case: Case) -> dict[str, float]:
    """The limits that count for a case where nobody names others."""
    return list_default_limits(set(case.roles.values()))


def find_limits(case: Case) -> Mapping[str, float]:
    """The limits that count for a case."""
    return list_usual(case) if case.limits is None else case.limits


def settle_limits(case: Case, limits: dict[str, float]) -> dict[str, float] | None:
    """The limits to keep: none of their own where they are what counts anyway."""
    return None if limits == list_usual(case) else limits
