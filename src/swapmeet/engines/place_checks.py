"""Places that are no hierarchy are refused, before any work."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.errors import TableError
from swapmeet.tables.role import Role

if TYPE_CHECKING:
    from swapmeet.base.arrays import Ints
    from swapmeet.tables.microdata import Microdata, Variable


def require_nested_places(data: Microdata) -> None:
    """Refuse places of which an area lies in several areas of the next larger level."""
    places = [variable for variable in data.variables if variable.role is Role.PLACE]
    levels = sorted(((_number(place), place.name) for place in places), key=_count_areas)
    for (larger, large), (smaller, small) in pairwise(levels):
        several = _count_split(smaller, larger)
        if several:
            raise TableError(
                f"{several} of {smaller.max() + 1} areas of {small!r} lie in several areas of "
                f"{large!r} (role place); each must lie in one. Make one code of both columns, or, "
                f"if they are no hierarchy, say --together {large},{small} in place of the role."
            )


def _count_areas(level: tuple[Ints, str]) -> int:
    return int(level[0].max(initial=-1))


def _number(place: Variable) -> Ints:
    """The area of each row, from 0 up; -1 is missing."""
    areas = np.full(len(place.values), -1)
    there = ~place.missing
    areas[there] = np.unique(place.values[there], return_inverse=True)[1]
    return areas


def _count_split(smaller: Ints, larger: Ints) -> int:
    """Count the smaller areas that lie in several larger ones."""
    there = smaller >= 0
    room = int(larger.max(initial=-1)) + 2
    pairs = np.unique(smaller[there] * room + larger[there] + 1)
    return int((np.bincount(pairs // room) > 1).sum())
