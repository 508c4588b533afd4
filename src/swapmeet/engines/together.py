"""Columns that move as one: whoever gives the first of a set gives all of it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from swapmeet.core.base.sentences import join_names
from swapmeet.core.release.donors import MADE, DonorMap
from swapmeet.core.tables.schema import Column
from swapmeet.errors import SchemaError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from swapmeet.core.release.outcome import Outcome
    from swapmeet.core.tables.microdata import Microdata
    from swapmeet.methods import Method


def require_movable_sets(method: Method, data: Microdata) -> None:
    """Refuse sets that a method cannot move as one."""
    problems = [p for names in data.together for p in _list_problems(method, data, names)]
    if problems:
        raise SchemaError(problems)


def move_together(outcome: Outcome, data: Microdata) -> Outcome:
    """The outcome with the donors of the first column of each set for all of it.

    A method that moves sets by itself, as matched swapping does, gave all of a set the same donors.
    """
    if not data.together:
        return outcome
    matrix, stuck = outcome.donors.matrix.copy(), dict(outcome.stuck)
    for names in data.together:
        at = [data.names.index(name) for name in names]
        _require_moved(outcome, data, names)
        matrix[:, at] = matrix[:, at[:1]]
        for name in names:
            stuck.pop(name, None)
        if names[0] in outcome.stuck:
            stuck |= dict.fromkeys(names, outcome.stuck[names[0]])
    stuck = {name: stuck[name] for name in data.names if name in stuck}
    donors = DonorMap(matrix, outcome.donors.givers)
    return replace(outcome, donors=donors, stuck=stuck)


def _list_problems(method: Method, data: Microdata, names: tuple[str, ...]) -> Iterator[str]:
    listed = join_names(names)
    left = [name for name in names if not method.masks(_column_of(data, name))]
    if 0 < len(left) < len(names):
        yield (
            f"{method.name} leaves {join_names(left)} in place and moves the others of the columns "
            f"that belong together, {listed}. Let it move all of them, or none, or leave "
            f"{join_names(left)} out of the set."
        )
    parts = [own for own in _list_parts(method) if set(own) & set(names)]
    if len(parts) > 1:
        yield (
            f"{method.name}: {listed} belong together and need one method, but are in "
            f"{len(parts)} parts. Put them into one."
        )


def _column_of(data: Microdata, name: str) -> Column:
    return Column(name, data[name].kind, data[name].role)


def _list_parts(method: Method) -> list[tuple[str, ...]]:
    return [names for _, names in method.submethods]


def _require_moved(outcome: Outcome, data: Microdata, names: tuple[str, ...]) -> None:
    """Refuse made values: they are of nobody, and no donor can give the rest of the set."""
    at = [data.names.index(name) for name in names]
    made = (outcome.donors.matrix[:, at] == MADE).any(axis=0)
    new = [name for name, is_made in zip(names, made, strict=True) if is_made]
    if new:
        problem = (
            f"{join_names(names)} belong together, and a method that makes new values of "
            f"{join_names(new)} pulls them apart. Choose a method that moves values, or let each "
            "column move alone."
        )
        raise SchemaError([problem])
