"""Findings in pieces of a comparison, and how those in several add up."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Generic, Protocol, Self, TypeVar

import numpy as np

from swapmeet.tables.microdata import Microdata

JOIN = "join"


class Summable(Protocol):
    """Findings in some of the rows; the sum of two is what was found in both."""

    def __add__(self, other: Self, /) -> Self: ...


Part = TypeVar("Part", bound=Summable)


class Sums:
    """Findings that add up field by field; sequences of them entry by entry, mappings by key.

    A subclass is a dataclass. Where a field does something else, its metadata say so.
    """

    def __add__(self, other: Self) -> Self:
        own: Any = self
        return type(self)(*(
            one.metadata.get(JOIN, _add)(getattr(self, one.name), getattr(other, one.name))
            for one in fields(own)
        ))  # fmt: skip


def _add(one: Any, other: Any) -> Any:
    if one is None and other is None:
        return None
    if isinstance(one, (tuple, list)):
        return type(one)(_add(*both) for both in zip(one, other, strict=True))
    if isinstance(one, Mapping):
        return {key: _add(value, other[key]) for key, value in one.items()}
    return one + other


def _take_least(one: Any, other: Any) -> Any:
    return np.minimum(one, other) if isinstance(one, np.ndarray) else min(one, other)


def _take_most(one: Any, other: Any) -> Any:
    return np.maximum(one, other) if isinstance(one, np.ndarray) else max(one, other)


def _take_first(one: Any, other: Any) -> Any:  # noqa: ARG001
    return one


def _take_none(one: Any, other: Any) -> None:  # noqa: ARG001
    return None


LEAST, MOST = {JOIN: _take_least}, {JOIN: _take_most}
SAME = {JOIN: _take_first}
"""Metadata of a field that is the same in all pieces."""
OF_ROWS = {JOIN: _take_none}
"""Metadata of values of single rows: they are kept only where all rows are in one piece."""


@dataclass(frozen=True, repr=False, eq=False)
class BeforeAfter(Sums, Generic[Part]):
    """Findings in the original, and in the release."""

    before: Part
    after: Part

    @classmethod
    def of(cls, look: Callable[[Microdata], Part], piece: Any) -> BeforeAfter[Part]:
        """Look at both tables of a piece of a comparison in the same way."""
        return cls(look(piece.original), look(piece.released))
