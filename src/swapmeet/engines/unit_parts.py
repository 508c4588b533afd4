"""Combinations of methods of which some move whole units by themselves, and others do not."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from swapmeet.core.release.donors import DonorMap
from swapmeet.core.release.outcome import Outcome
from swapmeet.methods import PerColumn

if TYPE_CHECKING:
    from swapmeet.core.tables.microdata import Microdata
    from swapmeet.methods import Method


def split_parts(method: Method) -> tuple[PerColumn, PerColumn] | None:
    """The parts that move units by themselves, and the others; None unless there are both."""
    if not isinstance(method, PerColumn):
        return None
    moving = tuple(part for part in method.parts if part[0].moves_units)
    others = tuple(part for part in method.parts if not part[0].moves_units)
    if not moving or not others:
        return None
    return replace(method, parts=moving), replace(method, parts=others)


def merge_parts(data: Microdata, moving: PerColumn, one: Outcome, other: Outcome) -> Outcome:
    """One outcome: the columns of the `moving` parts from the one, all else from the other."""
    named = [name for _, names in moving.parts for name in names]
    at = [data.names.index(name) for name in named]
    donors = other.donors.matrix.copy()
    donors[:, at] = one.donors.matrix[:, at]
    return Outcome(
        DonorMap(donors),
        {**other.made, **one.made},
        {**other.stuck, **one.stuck},
        (*one.facts, *other.facts),
        (*one.notes, *other.notes),
    )
