"""Intruders who seek who is in the file: by near records, or by values of one person alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from swapmeet.algorithms.encode import Encoding, Points
from swapmeet.base.arrays import Bits, Flags, Floats, Hashes, Rows
from swapmeet.comparison.comparison import Comparison, random_rows
from swapmeet.comparison.intervals import of_difference, of_paired_difference
from swapmeet.comparison.score import CONFIDENCE, Undefined
from swapmeet.comparison.sums import BeforeAfter
from swapmeet.intruders.nearest_records import encode_by_original, linked_rows, sample_rows
from swapmeet.intruders.record_agreement import SmallCounts, count_agreement, count_each, hash_cells
from swapmeet.release.provenance import Provenance

if TYPE_CHECKING:
    from swapmeet.algorithms.neighbors.links import Exclusions, Links

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
        known = replace(comparison, known=names)
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
    original: bool,
    piece: Comparison,
) -> Links:
    from swapmeet.algorithms.neighbors.links import nearest_links

    targets = encoding.points(piece.original if original else piece.released)
    here = None if without is None else without.within(piece.first, targets.n)
    return nearest_links(points, targets, np.full(points.n, -1), piece.workers, here)


CROWD = 100
"""People whose made values so many others share are hidden among them."""


@dataclass(frozen=True, repr=False, eq=False)
class OwnRows:
    """For some people, the released rows that hold something of theirs.

    `rows` are those in their place and those that hold a value of theirs. Where values were made of
    several people, as means are, the rows that share all made values with the row in their place
    also hold something of theirs; `groups` counts these, and is 1 for all others.
    """

    rows: Exclusions
    groups: Rows


def find_own_rows(comparison: Comparison, people: Rows) -> OwnRows:
    """For some people, the released rows that hold something of theirs, by the audit record.

    Without it, only whose place a row is in may be known; rows that hold a value or a whole record
    that is one person's alone are taken for theirs then.
    """
    origin = comparison.provenance
    if origin is None:
        raise Undefined(
            "it is not known whose values the released rows hold; give the audit record, or people "
            "who are not in the file (`control`)"
        )
    if not origin.columns:
        own = _Pairs(np.arange(len(people)), people) + _by_values(comparison, people)
        return _gather(own, _NOBODY, len(people))
    shared = _by_made_values(comparison, _list_made(comparison, origin), people)
    return _gather(_Pairs(*origin.find_rows_of(people)), shared, len(people))


@dataclass(frozen=True, repr=False, eq=False)
class _Pairs:
    """People, by their numbers among those looked at, and rows."""

    who: Rows
    rows: Rows

    def __add__(self, other: _Pairs) -> _Pairs:
        return _Pairs(np.append(self.who, other.who), np.append(self.rows, other.rows))


_NOBODY = _Pairs(np.zeros(0, np.int64), np.zeros(0, np.int64))


def _gather(own: _Pairs, shared: _Pairs, people: int) -> OwnRows:
    from swapmeet.algorithms.neighbors.links import Exclusions

    both = own + shared
    groups = np.maximum(np.bincount(shared.who, minlength=people), 1)
    return OwnRows(Exclusions.of_pairs(both.who, both.rows, people), groups)


def _list_made(comparison: Comparison, origin: Provenance) -> tuple[str, ...]:
    """The masked columns whose values were made, in rows that have a place."""
    if not origin.owned:
        return ()
    return tuple(name for name in origin.made if name in comparison.masked_directly)


def _by_made_values(comparison: Comparison, made: tuple[str, ...], people: Rows) -> _Pairs:
    """The rows that share all made values with the row of a person."""
    if not made:
        return _NOBODY
    hashes = hash_cells(comparison.pick_rows(people).released, made)
    whole = np.ones((1, len(people)), bool)
    return comparison.gather(_Hold(made, hashes, whole, joint=True), made)


def _by_values(comparison: Comparison, people: Rows) -> _Pairs:
    """The rows that hold a value, or the record, that one original row alone has."""
    names = comparison.masked_directly
    agreement = count_agreement(comparison, names, people)
    hashes = hash_cells(comparison.pick_rows(people).original, names)
    own = np.concatenate([agreement.unique[np.newaxis], agreement.telling])
    return comparison.gather(_Hold(names, hashes, own), names)


@dataclass(frozen=True, repr=False, eq=False)
class _Hold:
    """Lists the rows of a piece that hold what people have: their record, or a value.

    `own` says about whose record, and of whose value in each column, this is asked; with `joint`
    only of records.
    """

    names: tuple[str, ...]
    people: Bits
    own: Flags
    joint: bool = False

    def __call__(self, piece: Comparison) -> _Pairs:
        lines = [
            self._lines(cells) for cells in (self.people, hash_cells(piece.released, self.names))
        ]
        matches = [_match(*line) for line in zip(*lines, self.own, strict=True)]
        pairs = sum(matches[1:], matches[0])
        return _Pairs(pairs.who, pairs.rows + piece.first)

    def _lines(self, cells: Bits) -> list[Bits]:
        return [cells.sum(axis=0, dtype=np.uint64), *([] if self.joint else cells)]


def _match(wanted: Bits, among: Bits, own: Flags) -> _Pairs:
    """Each person with each row that has their number, unless very many people have it."""
    who = np.flatnonzero(own)
    who = who[np.argsort(wanted[who], kind="stable")]
    numbers, starts, counts = np.unique(wanted[who], return_index=True, return_counts=True)
    if not len(who):
        return _Pairs(who, who)
    places = np.minimum(np.searchsorted(numbers, among), len(numbers) - 1)
    rows = np.flatnonzero((numbers[places] == among) & (counts[places] <= CROWD))
    many, first = counts[places[rows]], starts[places[rows]]
    within = np.arange(many.sum()) - np.repeat(np.cumsum(many) - many, many)
    return _Pairs(who[np.repeat(first, many) + within], np.repeat(rows, many))


@dataclass(frozen=True, repr=False, eq=False)
class Nearness:
    """Views of an intruder on people who are in the file, and on some who are not.

    Each is (statistics, people), and less speaks for presence. With `paired`, the absent are the
    same people in the same order.
    """

    present: Floats
    absent: Floats
    paired: bool

    def take(self, present: Flags, absent: Flags) -> Nearness:
        """That of some of the people."""
        return Nearness(self.present[:, present], self.absent[:, absent], self.paired)

    def find_best(self) -> tuple[int, float]:
        """The statistic and the threshold that separate these people best."""
        thresholds = [
            _best_threshold(*both) for both in zip(self.present, self.absent, strict=True)
        ]
        best = int(np.argmax([advantage for advantage, _ in thresholds]))
        return best, thresholds[best][1]

    def guess(self, statistic: int, threshold: float) -> tuple[Flags, Flags]:
        """People called present, of those who are and of those who are not."""
        return self.present[statistic] <= threshold, self.absent[statistic] <= threshold


@dataclass(frozen=True)
class Advantage:
    """Excess of the present called so over the absent called so: 0 is blind, 1 always right."""

    value: float
    interval: tuple[float, float]


def judge(nearness: Nearness, generator: np.random.Generator) -> Advantage:
    """The advantage of an intruder who learns from one half of the people, with the other half."""
    called = [np.zeros(side.shape[1], bool) for side in (nearness.present, nearness.absent)]
    first, second = _halve(nearness, generator)
    for learn, test in ((first, second), (second, first)):
        rule = nearness.take(*learn).find_best()
        for side, flags, guess in zip(called, test, nearness.guess(*rule), strict=True):
            side[flags] = guess[flags]
    return _measure(*called, paired=nearness.paired)


def _halve(
    nearness: Nearness, generator: np.random.Generator
) -> tuple[tuple[Flags, Flags], tuple[Flags, Flags]]:
    sizes = nearness.present.shape[1], nearness.absent.shape[1]
    present = generator.permutation(sizes[0]) % 2 == 0
    absent = present if nearness.paired else generator.permutation(sizes[1]) % 2 == 0
    return (present, absent), (~present, ~absent)


def _measure(present: Flags, absent: Flags, *, paired: bool) -> Advantage:
    one, other = present.astype(np.float64), absent.astype(np.float64)
    value = float(one.mean() - other.mean())
    interval = (
        of_paired_difference(one - other, CONFIDENCE)
        if paired
        else of_difference(one, other, CONFIDENCE)
    )
    return Advantage(max(value, 0.0), interval)


def _best_threshold(present: Floats, absent: Floats) -> tuple[float, float]:
    """The advantage and the threshold that give the most; nobody is called present in vain."""
    values = np.unique(np.append(present, absent))
    called, wrongly = (
        np.searchsorted(np.sort(side), values, "right") / max(len(side), 1)
        for side in (present, absent)
    )
    gain = np.append(0.0, called - wrongly)
    best = int(np.argmax(gain))
    return float(gain[best]), float(np.append(-np.inf, values)[best])


PEOPLE = 2_000
"""Pairs of values are looked at for so many random people."""
COLUMNS = 12
"""Pairs of these first columns are looked at."""


def count_telling_values(comparison: Comparison) -> dict[str, Any]:
    """Shares of people by what gives their presence away; the columns by their names."""
    names = comparison.masked_directly
    agreement = count_agreement(comparison, names, sample_rows(comparison, comparison.n))
    telling = agreement.telling
    by_column = {f"share with a value of their own, {name}": float(some.mean())
                 for name, some in zip(names, telling, strict=True) if some.any()}  # fmt: skip
    return {
        "share with a value of their own": float(telling.any(axis=0).mean()),
        **by_column,
        **_count_pairs(comparison, names[:COLUMNS]),
    }


def _count_pairs(comparison: Comparison, names: tuple[str, ...]) -> dict[str, float]:
    if len(names) < 2:
        return {}
    n = comparison.n
    people = random_rows(comparison.streams.stream("membership pairs"), n, min(n, PEOPLE))
    hashes = _hash_pairs(hash_cells(comparison.pick_rows(people).original, names))
    pairs = comparison.gather(partial(_count_both, names, hashes), names)
    telling = (pairs.before == 1) & (pairs.after > 0)
    return {"share with a pair of values of their own": float(telling.any(axis=0).mean())}


def _count_both(names: Names, people: Hashes, piece: Comparison) -> BeforeAfter[SmallCounts]:
    """Count the rows of a piece that have the pairs of values that some people have."""
    return BeforeAfter.of(
        lambda data: count_each(people, _hash_pairs(hash_cells(data, names))), piece
    )


def _hash_pairs(cells: Hashes) -> Hashes:
    """One number for the values of each pair of columns: (pairs, rows)."""
    return np.stack([one + other for one, other in combinations(cells, 2)])
