"""Links of whole households: the numbers of a release tie the rows of a household together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from swapmeet.base.arrays import Floats, Ints
from swapmeet.comparison.comparison import Comparison, random_rows
from swapmeet.comparison.score import Inapplicable
from swapmeet.intruders.evidence import Likelihood
from swapmeet.intruders.evidence.base import add_up, count_together
from swapmeet.intruders.evidence.best import MemberFits, add_best_rows, share_right_inside
from swapmeet.intruders.evidence.columns import Agreement
from swapmeet.intruders.links.evidence import Gaps
from swapmeet.intruders.links.household_pairs import HOUSEHOLDS, PERSONS, HouseholdPairs, UnitWords
from swapmeet.intruders.links.intruder import choose_subset, weigh_links
from swapmeet.intruders.links.posterior import measure_lead
from swapmeet.tables.role import Role


@dataclass(frozen=True, repr=False, eq=False)
class HouseholdTraces:
    """Pieces of evidence of one way to look for households, and what each says by chance.

    What all members of a household share counts once for all of them.
    """

    way: str
    pairs: HouseholdPairs
    pieces: Sequence[Likelihood]
    chances: Sequence[Floats]
    by_method: bool = False

    @classmethod
    def weigh_rare(
        cls, way: str, pairs: HouseholdPairs, pieces: Sequence[Agreement]
    ) -> HouseholdTraces:
        """Rare values count more: by the likelihood of a row over that of its values in any row."""
        return cls(way, pairs, pieces, [piece.codes.chances_of_rows for piece in pieces])

    def fit(self, people: Ints) -> MemberFits:
        """Return how well each released row fits each of these people, over chance."""
        base, common = self._of_everybody
        portions = 1.0 / self.pairs.sizes[self.pairs.original[people]]
        if self._agreements is None:
            matrix = MemberFits.of_matrix(self._add_up(people, portions))
            return matrix._replace(base=base, common=common, shares=portions)
        own = np.stack([piece.codes.people[people] for piece in self._agreements], axis=1)
        gains = self._find_gains(own, portions)
        return MemberFits(np.empty((0, 0)), base, common, portions, self._codes, own, gains)

    @cached_property
    def _agreements(self) -> list[Agreement] | None:
        """The pieces, if all say only whether values agree."""
        agreements = [piece for piece in self.pieces if type(piece) is Agreement]
        return agreements if len(agreements) == len(self.pieces) else None

    @cached_property
    def _shared(self) -> list[bool]:
        """Of which pieces the columns are the same for all members of every household."""
        return [set(piece.columns) <= self.pairs.common for piece in self.pieces]

    @cached_property
    def _of_everybody(self) -> tuple[Floats, Floats]:
        """Return what each row says about everybody: in columns of persons, and of households."""
        base, common = np.zeros((2, len(self.pairs.released)))
        for number, is_shared in enumerate(self._shared):
            part = common if is_shared else base
            part -= self.chances[number]
            if self._agreements is not None:
                piece = self._agreements[number]
                part += piece.logs[1][piece.codes.rows]
        return base, common

    @cached_property
    def _codes(self) -> Ints:
        assert self._agreements is not None
        codes = np.stack([piece.codes.rows for piece in self._agreements], axis=1)
        return np.ascontiguousarray(codes)

    def _find_gains(self, own: Ints, portions: Floats) -> Floats:
        """Return what agreement says more than its absence; nothing for values that no row has."""
        assert self._agreements is not None
        gains = np.empty(own.shape)
        for j, piece in enumerate(self._agreements):
            agree, differ = piece.logs
            with np.errstate(invalid="ignore"):
                gain = agree[own[:, j]] - differ[own[:, j]]
            gains[:, j] = np.where(np.isfinite(gain), gain, 0.0)
            if self._shared[j]:
                gains[:, j] *= portions
        return gains

    def _add_up(self, people: Ints, portions: Floats) -> Floats:
        """The sum of all pieces of evidence for each of these people, with every row."""
        pairs = [*zip(self.pieces, self._shared, strict=True)]
        own = [piece for piece, is_shared in pairs if not is_shared]
        shared = [piece for piece, is_shared in pairs if is_shared]
        rows = len(self.pairs.released)
        fits = add_up(own, people) if own else np.zeros((len(people), rows))
        if shared:
            fits += add_up(shared, people) * portions[:, np.newaxis]
        return fits


SOUGHT = 500
"""At most so many households are sought, or fewer in a very large table."""
PAIRS = 100_000_000
"""Pairs of a member sought and a row that are looked at, about."""
FEWEST = 100
CHOOSERS = 100
"""So many households decide which columns an intruder looks at; others judge the choice."""
CHOSEN_AMONG = 5_000
HOLDING = "takes the {one} that holds most of its {rows}' values"


class HouseholdLinks(NamedTuple):
    """Search for households, and how often each of those sought was found.

    `people` are all their members, and `members` how often each of them was found, by the row of
    the household found that fits them best. `chances` say of each how often links of households
    that look as sure as that of theirs are right, 0 where it is not found. `known` says what was
    known of each household.
    """

    way: str
    by_method: bool
    hits: Floats
    people: Ints
    members: Floats
    chances: Floats
    known: str


class UnitSearch(NamedTuple):
    """Results of each way to look for units, and the ways that broke down."""

    tried: list[HouseholdLinks]
    gaps: Gaps


@dataclass(frozen=True, repr=False, eq=False)
class HouseholdSearch:
    """The search for households by someone who knows some columns of all their members.

    A released household fits by its size, and by how well each member sought fits the best of its
    rows that is left for them. Several ways to look are tried. Random households are sought, or
    `everybody` is, however long it takes.
    """

    pairs: HouseholdPairs
    everybody: bool = False

    def run(self) -> UnitSearch:
        """Try every way to look for households."""
        gaps = self.pairs.known.gaps
        attack = f"that of somebody who knows {self.pairs.words.known}"
        return UnitSearch(list(gaps.iterate(attack, self._try_all())), gaps)

    def _try_all(self) -> Iterator[HouseholdLinks]:
        held = self.pairs.known.find_held_values()
        way = HOLDING.format(**self.pairs.words._asdict())
        yield self._link(self._weigh(way, held), self._sought)
        yield from self._choose_columns(way, held)
        if stayed := self.pairs.known.find_values_in_place():
            way = "goes by the columns that hardly moved"
            yield self._link(self._weigh(way, stayed), self._sought)
            yield from self._choose_columns(way, stayed)
        yield from self._follow_method()

    def _weigh(self, way: str, pieces: Sequence[Agreement]) -> HouseholdTraces:
        return HouseholdTraces.weigh_rare(way, self.pairs, pieces)

    def _follow_method(self) -> Iterator[HouseholdLinks]:
        """Intruders who know how the table was masked."""
        known, n = self.pairs.known, len(self.pairs.released)
        traces = known.find_traces() if known.provenance.method is not None else []
        if not traces:
            return
        way = f"takes the {self.pairs.words.one} that is most likely theirs"
        anybody = [piece.of_anybody(n) for piece in traces]
        for chances in ([np.zeros(n) for _ in traces], anybody):
            seen = HouseholdTraces(way, self.pairs, traces, chances, by_method=True)
            yield self._link(seen, self._sought)

    def _choose_columns(self, way: str, pieces: Sequence[Agreement]) -> Iterator[HouseholdLinks]:
        """Look at the columns that serve best; other households judge the choice."""
        if len(pieces) < 2 or len(self._sought) < 4:
            return
        mixed = self.pairs.known.comparison.streams.stream("choosers").permutation(self._sought)
        choosers = np.sort(mixed[: min(CHOOSERS, len(mixed) // 2)])
        places = self._choose_places(choosers)
        scores = [self._score(self._weigh(way, [one]), choosers, places) for one in pieces]
        scores.append(self.pairs.fit_sizes(choosers)[:, places])
        chosen = choose_subset(scores, self.pairs.truth.pick(places), choosers)
        some = [pieces[j] for j in chosen if j < len(pieces)]
        if 0 < len(some) < len(pieces):
            judges = self._sought if self.everybody else np.sort(mixed[len(choosers) :])
            yield self._link(self._weigh(f"{way}, in the columns that reveal most", some), judges)

    def _choose_places(self, households: Ints) -> Ints:
        """Some released households, among them those that are right for these."""
        total, truth = len(self.pairs.released_sizes), self.pairs.truth
        if total <= CHOSEN_AMONG:
            return np.arange(total)
        stream = self.pairs.known.comparison.streams.stream("rows")
        right = np.isin(truth.place, households) | np.isin(truth.giver, households)
        return np.union1d(random_rows(stream, total, CHOSEN_AMONG), np.flatnonzero(right))

    def _link(self, seen: HouseholdTraces, households: Ints) -> HouseholdLinks:
        """Shares of right links of each household, and of its members with it."""
        pairs, people = self.pairs, self.pairs.find_members(households)
        right, sure, members = (np.empty(len(one)) for one in (households, households, people))
        ends = np.cumsum(np.append(0, pairs.sizes[households]))

        def some_households(begin: int, end: int) -> None:
            some = _Sought(pairs, seen, households[begin:end])
            scores = some.score(self._everywhere, alike=pairs.keep_their_size)
            scores += pairs.fit_sizes(some.households)
            right[begin:end] = pairs.truth.share_right(scores, some.households)
            sure[begin:end] = measure_lead(scores)
            chances = np.repeat(right[begin:end], pairs.sizes[some.households])
            members[ends[begin] : ends[end]] = chances * some.match_inside()

        self._each(some_households, len(households))
        chances = np.repeat(weigh_links(right, sure), pairs.sizes[households])
        return HouseholdLinks(
            seen.way, seen.by_method, right, people, members, chances, pairs.words.known
        )

    def _score(self, seen: HouseholdTraces, households: Ints, places: Ints) -> Floats:
        scores = np.empty((len(households), len(places)))

        def some_households(begin: int, end: int) -> None:
            scores[begin:end] = _Sought(self.pairs, seen, households[begin:end]).score(places)

        self._each(some_households, len(households))
        return scores

    def _each(self, work: Callable[[int, int], None], count: int) -> None:
        size = max(int(count_together(len(self.pairs.released)) / self._mean), 1)
        self.pairs.known.comparison.workers.each(
            work, count, size=size, label=self.pairs.words.many
        )

    @cached_property
    def _everywhere(self) -> Ints:
        """All released households."""
        return np.arange(len(self.pairs.released_sizes))

    @property
    def _mean(self) -> float:
        """The mean number of members."""
        return len(self.pairs.original) / len(self.pairs.sizes)

    @cached_property
    def _sought(self) -> Ints:
        """The households that are sought."""
        total = len(self.pairs.sizes)
        if self.everybody:
            return np.arange(total)
        many = max(int(PAIRS / (len(self.pairs.released) * self._mean)), FEWEST)
        stream = self.pairs.known.comparison.streams.stream("sought households")
        return random_rows(stream, total, min(total, SOUGHT, many))


@dataclass(frozen=True, repr=False, eq=False)
class _Sought:
    """Some households, and how well each released row fits each of their members."""

    pairs: HouseholdPairs
    seen: HouseholdTraces
    households: Ints

    def score(self, places: Ints, *, alike: bool = False) -> Floats:
        """For each household, how well some released ones fit by the rows of its members."""
        sizes = self.pairs.sizes[self.households]
        return add_best_rows(self._fits, sizes, self.pairs.ends, places, alike=alike)

    def match_inside(self) -> Floats:
        """Share of members for whom the best row of the right household is their own."""
        pairs, truth = self.pairs, self.pairs.known.truth
        right = np.repeat(pairs.right[self.households], pairs.sizes[self.households])
        return share_right_inside(
            self._fits, right, pairs.ends, self._people, truth.place, truth.giver
        )

    @cached_property
    def _people(self) -> Ints:
        return self.pairs.find_members(self.households)

    @cached_property
    def _fits(self) -> MemberFits:
        return self.seen.fit(self._people)


def find_households(comparison: Comparison) -> UnitSearch:
    """List what each way to look for households finds, by the keys of the verdict's intruder."""
    return _find_units(comparison, HOUSEHOLDS)


def find_persons(comparison: Comparison) -> UnitSearch:
    """The same for people with several rows."""
    return _find_units(comparison, PERSONS)


UNIT_SEARCHES = {Role.HOUSEHOLD: find_households, Role.PERSON: find_persons}


def find_all_units(comparison: Comparison, *, everybody: bool) -> Iterator[UnitSearch]:
    """Results of each way to look for households, and for people with several rows.

    For `everybody` of them, or for random ones.
    """
    for words in (HOUSEHOLDS, PERSONS):
        with suppress(Inapplicable):
            yield _find_units(comparison, words, everybody=everybody)


def _find_units(comparison: Comparison, words: UnitWords, *, everybody: bool = False) -> UnitSearch:
    pairs = HouseholdPairs.of(comparison, comparison.keys_in_order, words)
    return HouseholdSearch(pairs, everybody).run()
