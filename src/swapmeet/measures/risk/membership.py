"""Intruders who want to find out who is in the file."""

from __future__ import annotations

from typing import Any

from swapmeet.comparison.comparison import Comparison
from swapmeet.comparison.knowledge import Knowledge, list_names
from swapmeet.comparison.score import Score, Undefined
from swapmeet.comparison.table_size import warn_if_small
from swapmeet.intruders.presence import (
    Advantage,
    compare_with_control,
    count_telling_values,
    judge,
    leave_out,
)
from swapmeet.intruders.record_agreement import list_column_sets
from swapmeet.measures.base import GROWS_WITH_PEOPLE, Coverage, RiskMeasure

FEWEST = 10
"""Fewer people cannot be halved into some to learn from and some to be judged."""


class Membership(RiskMeasure):
    """Success of an intruder who separates people in the file from others, beyond blind guessing.

    The intruder knows a person's values, looks for the nearest released row, and calls the person
    present if it is near: in itself, or by comparison with the nearest other person; in all known
    columns, or in those that stayed or moved as one. Rule and threshold are learned from one half
    of the people and judged by the other. The value is the share of the present who are called so,
    less that of the absent: 0 is blind, 1 always right.

    The absent are the people of `control`, if there are any. Otherwise they are the same people,
    each compared with a release that lacks the rows that hold something of theirs; for the present,
    the rows of another person are left out, so that both look at as many rows.

    An unchanged release of people who are all different scores 1, shuffled columns about 0.
    Details: people with a value, or a pair of values, that nobody else has and that is released.
    """

    name = "membership"
    growth = GROWS_WITH_PEOPLE
    question = "Can an intruder tell who is in the file?"
    coverage = Coverage.LINKED

    def score(self, comparison: Comparison) -> Score:
        if comparison.n < FEWEST:
            raise Undefined(f"there are fewer than {FEWEST} people")
        keys, everything = _choose_columns(comparison)
        names = everything if comparison.level is Knowledge.EVERYTHING else keys
        advantage = _attack(comparison, names)
        details: dict[str, Any] = {"people without the file": _describe_absent(comparison)}
        if everything != names:
            richer = _attack(comparison, everything)
            details["advantage knowing everything"] = max(advantage.value, richer.value)
        return self.make_score(
            advantage.value,
            f"{_tell(names, advantage, comparison)}{warn_if_small(comparison.n)}",
            interval=advantage.interval,
            details=details | count_telling_values(comparison),
            finding=_find(names, advantage),
            finding_in=100,
        )


def _attack(comparison: Comparison, names: tuple[str, ...]) -> Advantage:
    """The advantage of an intruder who knows these columns, and may leave some aside."""
    keys = _choose_columns(comparison)[0]
    sets = list_column_sets(comparison, names)
    if set(keys) < set(names):
        sets += [one for one in list_column_sets(comparison, keys) if one not in sets]
    gather = leave_out if comparison.control is None else compare_with_control
    return judge(gather(comparison, sets), comparison.streams.stream("membership halves"))


def _choose_columns(comparison: Comparison) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The keys, and all columns that were masked or are keys, in the order of the table."""
    keys = comparison.keys or comparison.masked_directly
    wanted = {*keys, *comparison.masked_directly}
    everything = tuple(name for name in comparison.original.names if name in wanted)
    return tuple(name for name in comparison.original.names if name in keys), everything


def _describe_absent(comparison: Comparison) -> str:
    if comparison.control is not None:
        return f"{comparison.control.n:,} people who are not in the file"
    return "the same people, without the rows that hold something of theirs"


def _tell(names: tuple[str, ...], advantage: Advantage, comparison: Comparison) -> str:
    right = f"{50 + 50 * advantage.value:.0f} %"
    absent = (
        "Absent people were given."
        if comparison.control is not None
        else "Absent means that the rows with any of the person's values are left out."
    )
    return (
        f"An intruder who knows {list_names(names)} of a person and looks for the nearest "
        f"released row judges rightly for {right} of the people, half of them absent, whether "
        "they are in "
        f"the file; a blind guess is right for 50 %. {absent}"
    )


def _find(names: tuple[str, ...], advantage: Advantage) -> str:
    return (
        f"an intruder who knows {list_names(names)} takes {100 * advantage.value:.0f} of 100 more "
        "people in the file for members than strangers"
    )
