"""Distances of the release to people who are in the file, and to people who are not."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.measures.presence.own_rows import OwnRows, find_own_rows
from swapmeet.measures.presence.threshold import Nearness
from swapmeet.measures.risk.nearest_records import encode_by_original, linked_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from swapmeet.algorithms.encode import Encoding, Points
    from swapmeet.algorithms.neighbors.links import Exclusions, Links
    from swapmeet.core.base.arrays import Floats, Rows
    from swapmeet.measures.comparison import Comparison

    Names = tuple[str, ...]


def leave_out(comparison: Comparison, sets: Sequence[Names]) -> Nearness:
    """People compared with a release without another person, and with one without themselves.

    What is left out are the rows that hold something of a person. A row of means stays, but as the
    mean of the others, which is farther from whom it lacks by k / (k - 1).
    """
    people = linked_rows(comparison)
    own = find_own_rows(comparison, people)
    strangers = own.rows.of(_choose_others(len(people), comparison))
    present, absent = [], []
    for names in sets:
        space = _Space.of(comparison, names)
        points = space.place(people)
        others = space.nearest_originals(points, people)
        without, there = (space.nearest_released(points, rows) for rows in (own.rows, strangers))
        without = np.minimum(without, space.distance_to_means(points, people, own))
        present.append(_statistics(there, others))
        absent.append(_statistics(without, others))
    return Nearness(np.concatenate(present), np.concatenate(absent), paired=True)


def compare_with_control(comparison: Comparison, sets: Sequence[Names]) -> Nearness:
    """People of the file, and people who are not in it."""
    control = comparison.control
    assert control is not None
    people = linked_rows(comparison)
    present, absent = [], []
    for names in sets:
        space = _Space.of(comparison, names)
        inside, outside = space.place(people), space.encoding.points(control.select(names))
        others = space.nearest_originals(inside, people)
        present.append(_statistics(space.nearest_released(inside), others))
        others = space.nearest_originals(outside)
        absent.append(_statistics(space.nearest_released(outside), others))
    return Nearness(np.concatenate(present), np.concatenate(absent), paired=False)


def _choose_others(count: int, comparison: Comparison) -> Rows:
    """For each person another one, at random."""
    order = comparison.streams.stream("membership others").permutation(count)
    others = np.empty(count, np.int64)
    others[order] = np.roll(order, 1)
    return others


def _statistics(released: Floats, others: Floats) -> Floats:
    """The distance to the release, and how large it is beside that to the nearest other person."""
    with np.errstate(invalid="ignore"):
        beside = released / (released + others)
    beside = np.where(np.isinf(released), 1.0, np.where(np.isnan(beside), 0.5, beside))
    return np.stack([released, beside])


@dataclass(frozen=True, repr=False, eq=False)
class _Space:
    """The space of what the intruder knows, and the rows of a comparison in it."""

    comparison: Comparison
    encoding: Encoding

    @classmethod
    def of(cls, comparison: Comparison, names: Names) -> _Space:
        known = replace(comparison, known=names, _done={}, _locks={})
        return cls(known, encode_by_original(known)[0])

    def place(self, people: Rows) -> Points:
        """Some original rows."""
        return self.encoding.points(self.comparison.pick_rows(people).original)

    def nearest_released(self, points: Points, without: Exclusions | None = None) -> Floats:
        """The distance to the nearest released row."""
        return self._search(points, without, original=False)

    def nearest_originals(self, points: Points, people: Rows | None = None) -> Floats:
        """The distance to the nearest original row, of `people` to that of another one."""
        from swapmeet.algorithms.neighbors.links import Exclusions

        count = points.n
        without = None if people is None else Exclusions(np.arange(count + 1), people)
        return self._search(points, without, original=True)

    def distance_to_means(self, points: Points, people: Rows, own: OwnRows) -> Floats:
        """The distance to the mean of the others of one's group; infinite without a group."""
        rows = self.encoding.points(self.comparison.pick_rows(people).released)
        farther = own.groups / np.maximum(own.groups - 1.0, 1.0)
        away = np.sqrt(points.squared_distances(rows)) * farther
        return np.where(own.groups > 1, away, np.inf)

    def _search(self, points: Points, without: Exclusions | None, *, original: bool) -> Floats:
        look = partial(_link_piece, self.encoding, points, without, original)
        return np.sqrt(self.comparison.gather(look, self.comparison.known).nearest)


def _link_piece(
    encoding: Encoding,
    points: Points,
    without: Exclusions | None,
    original: bool,  # noqa: FBT001
    piece: Comparison,
) -> Links:
    from swapmeet.algorithms.neighbors.links import nearest_links

    targets = encoding.points(piece.original if original else piece.released)
    here = None if without is None else without.within(piece.first, targets.n)
    return nearest_links(points, targets, np.full(points.n, -1), piece.workers, here)
