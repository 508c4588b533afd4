"""The family of intruders of whom the worst counts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from swapmeet.base.arrays import Floats, Ints
from swapmeet.base.parallel import ranges
from swapmeet.comparison.comparison import Comparison, Ownership, random_rows
from swapmeet.comparison.knowledge import Knowledge
from swapmeet.comparison.score import Inapplicable, Undefined
from swapmeet.comparison.table_size import WIDE, WORK
from swapmeet.comparison.weights import judge_comparison
from swapmeet.intruders.evidence import Likelihood, SharedCodes
from swapmeet.intruders.evidence.base import add_up, count_together
from swapmeet.intruders.evidence.columns import Agreement
from swapmeet.intruders.links.evidence import Gaps, KnownColumns
from swapmeet.intruders.links.households import UNIT_SEARCHES
from swapmeet.intruders.links.intruder import Intruder, choose_subset
from swapmeet.intruders.links.posterior import (
    Partners,
    Posterior,
    leave_out_best,
    link_by_release,
    measure_lead,
)
from swapmeet.intruders.links.protected import LIST, SOME, ProtectedRows
from swapmeet.intruders.nearest_records import originals_from_released, released_from_originals

ALL_PAIRS = 3_000
"""Up to this many people, every person is compared with every row."""
SOUGHT = 1_000
"""Of more, so many random people are sought among all rows, or fewer in a very large table."""
PAIRS = 200_000_000
FEWEST = 200
CHOOSERS = 150
"""So many people decide which columns an intruder looks at; others judge the choice."""
MOST_CHOSEN = 40
"""Intruders choose among so many columns of a wide table, those that reveal most alone."""
NEXT_BEST = "takes the row that is theirs if the most likely one is not"
HOLDING = "takes the row that holds most of the person's values"
CHOSEN_AMONG = 5_000
"""The choice is made among this many rows."""


@dataclass(frozen=True, repr=False, eq=False)
class IntruderFamily:
    """All intruders who know the columns `known`, of the person sought or of everybody.

    Unless they are `thorough`, there are only those who look for a person's own values, and
    intruders who know everybody and take the nearest person, or the one whom a row fits best; they
    look for fewer people and say less surely what a release is worth. `sought` people are looked
    for where there are more than can all be. With `everybody`, at most `sought` people are, however
    long it takes, and each intruder looks for all of these.
    """

    known: KnownColumns
    thorough: bool = True
    sought: int = SOUGHT
    everybody: bool = False

    def try_all(self, *, everybody: bool = True) -> Iterator[Intruder]:
        """All of them, or only intruders who know the person sought; what breaks down is a gap."""
        gaps = self.known.gaps
        who = "that of somebody who knows {}"
        yield from gaps.iterate(who.format("the person sought"), self.who_know_the_target())
        if everybody:
            yield from gaps.iterate(who.format("everybody"), self.who_know_everybody())

    def who_know_the_target(self) -> Iterator[Intruder]:
        """Intruders who know the columns of the person sought."""
        held = self.known.find_held_values()
        yield self._link_by_ratio(HOLDING, held)
        if self.thorough and self.known.provenance.protection is not None:
            intruder = self._link_by_ratio(f"{HOLDING} but one", held, next_best=True)
            yield replace(intruder, aware=SOME, next_best=True)
        if not self.thorough:
            return
        yield from self._search_nearest(Knowledge.TARGET)
        if stayed := self.known.find_values_in_place():
            yield self._link_by_ratio("goes by the columns that hardly moved", stayed)
        yield from self._choose_columns()
        if self.everybody:
            return
        hits = link_by_release(self.known, self.people, self._comparison.streams)
        if len(hits):
            way = "takes the row that fits the person better than anybody like the released rows"
            yield self._intruder(Knowledge.TARGET, way, hits, by_method=True)

    def who_know_everybody(self) -> Iterator[Intruder]:
        """Intruders who know the columns of everybody, and how the table was masked."""
        yield from self._search_nearest(Knowledge.KEYS)
        pieces = self.known.find_traces()
        if not pieces:
            return
        partners = Partners.of(pieces) if self.thorough else []
        posterior = Posterior(pieces, self.known.truth, self._n, self._comparison.workers, partners)
        if not self.thorough:
            way, hits = "gives rows to whom they fit best", posterior.link_rows(self.people)
            yield self._intruder(Knowledge.KEYS, way, hits, by_method=True)
        else:
            yield self._link_surely("takes the row that is most surely theirs", posterior)
        if self.thorough and not self._sampled:
            order = self._comparison.streams.stream("assignment").permutation(self._n)
            hits = link_one_to_one(posterior, order)
            way = "links all people and rows one to one"
            yield self._intruder(Knowledge.KEYS, way, hits, by_method=True)
        if self.thorough and self.known.provenance.protection is not None:
            yield from self._who_know_of_protection(posterior)

    def _who_know_of_protection(self, posterior: Posterior) -> Iterator[Intruder]:
        """Intruders who also know that protection was raised for some people, and how.

        It was raised where a link was right: someone who knows that takes the next best row. Who
        knows more does not always find more, since steps that follow each other blur what each
        gives away by itself: all of them try.
        """
        rows = ProtectedRows(self.known)
        tried = [(SOME, posterior)]
        for aware, listed in ((SOME, False), (LIST, True)):
            pieces = rows.find_traces(listed=listed)
            aside = replace(posterior, pieces=pieces, partners=(), _ranked=[])
            tried += [(aware, aside)] if pieces else []
        for number, (aware, one) in enumerate(tried):
            for next_best in (False, True) if number else (True,):
                way = NEXT_BEST if next_best else "takes the row that is most surely theirs"
                intruder = self._link_surely(way, one, next_best=next_best)
                yield replace(intruder, aware=aware, next_best=next_best)

    def _link_surely(self, way: str, posterior: Posterior, *, next_best: bool = False) -> Intruder:
        """Intruder who takes the row that is most surely a person's."""
        sure = self._be_sure(len(self.people))
        if self._sampled:
            hits = posterior.link_some(self.people, next_best=next_best, sure=sure)
        else:
            hits = posterior.link_all(next_best=next_best, sure=sure)
        return self._intruder(Knowledge.KEYS, way, hits, by_method=True, sure=sure)

    @property
    def _comparison(self) -> Comparison:
        return self.known.comparison

    @property
    def _n(self) -> int:
        return self._comparison.n

    @property
    def _sampled(self) -> bool:
        return self._n > (ALL_PAIRS if self.thorough else self.sought)

    @cached_property
    def people(self) -> Ints:
        """The people who are sought."""
        if not self._sampled or (self.everybody and self._n <= self.sought):
            return np.arange(self._n)
        if self.everybody:
            return random_rows(self._comparison.streams.stream("sought"), self._n, self.sought)
        count = min(self.sought, max(PAIRS // self._n, FEWEST))
        columns = len(self.known.names)
        if columns > WIDE:
            count = min(count, max(WORK // (2 * self._n * columns), FEWEST))
        return random_rows(self._comparison.streams.stream("sought"), self._n, count)

    def _intruder(
        self,
        level: Knowledge,
        way: str,
        hits: Floats,
        *,
        by_method: bool = False,
        sure: Floats | None = None,
    ) -> Intruder:
        known = by_method and self.known.provenance.method is not None
        dropped = self._comparison.original.context if known and level is Knowledge.KEYS else ()
        return Intruder(
            knows=self.known.names, level=level, way=way, hits=hits, knows_method=known, sure=sure,
            also=tuple(variable.name for variable in dropped),
        )  # fmt: skip

    def _be_sure(self, count: int) -> Floats | None:
        """Room for how sure the links of so many people look, where that is asked for."""
        return np.empty(count) if self.everybody else None

    def _search_nearest(self, level: Knowledge) -> Iterator[Intruder]:
        """Links by distance, as the papers have them: nothing is known about the method."""
        comparison = self._comparison
        if comparison.ownership not in {Ownership.TRUE, Ownership.CLAIMED}:
            return
        search: Callable[..., tuple[object, Ints]] = (
            released_from_originals if level is Knowledge.TARGET else originals_from_released
        )
        if self.known.names != comparison.known:
            comparison = replace(comparison, known=self.known.names)
        try:
            links, _ = comparison.once(search)
        except Inapplicable:
            return
        way = "takes the nearest row" if level is Knowledge.TARGET else "gives rows to the nearest"
        sure = -links.nearest if self.everybody else None  # type: ignore[attr-defined]
        yield self._intruder(level, way, links.chances, sure=sure)  # type: ignore[attr-defined]

    def _link_by_ratio(
        self, way: str, pieces: Sequence[Agreement], *, next_best: bool = False
    ) -> Intruder:
        """Rare values count more: by the likelihood of a row over that of its values in any row."""
        chances = [piece.codes.chances_of_rows for piece in pieces]
        return self._link(way, pieces, chances, self.people, next_best=next_best)

    def _link(
        self,
        way: str,
        pieces: Sequence[Likelihood],
        chances: Sequence[Floats],
        sought: Ints,
        *,
        next_best: bool = False,
    ) -> Intruder:
        """Intruder who links some people by the evidence less what is chance."""
        hits, sure = np.empty(len(sought)), self._be_sure(len(sought))
        chance = np.sum(chances, axis=0)

        def some_people(begin: int, end: int) -> None:
            people = sought[begin:end]
            scores = add_up(pieces, people) - chance
            scores = leave_out_best(scores) if next_best else scores
            hits[begin:end] = self.known.truth.share_right(scores, people)
            if sure is not None:
                sure[begin:end] = measure_lead(scores)

        size = count_together(self._n)
        self._comparison.workers.each(some_people, len(sought), size=size, label="links")
        return self._intruder(Knowledge.TARGET, way, hits, sure=sure)

    def _choose_columns(self) -> Iterator[Intruder]:
        """Intruders who look at the columns that serve best; other people judge the choice."""
        if len(self.known.names) < 2 or self._n < 4:
            return
        mixed = self._comparison.streams.stream("choosers").permutation(self.people)
        choosers = np.sort(mixed[: min(CHOOSERS, len(mixed) // 2)])
        judges = self.people if self.everybody else np.sort(mixed[len(choosers) :])
        for way, pieces, chances in self._ways_to_choose():
            if len(pieces) < 2:
                continue
            rows = self._rows_for(choosers)
            truth = self.known.truth.pick(rows)
            tried = self._find_telling(pieces, chances, choosers, rows)
            scores = [self._score(pieces[j], choosers, rows) - chances[j][rows] for j in tried]
            chosen = [tried[j] for j in choose_subset(scores, truth, choosers)]
            if 0 < len(chosen) < len(pieces):
                some = [pieces[j] for j in chosen], [chances[j] for j in chosen]
                what = f"{way}, in the columns that reveal most"
                yield self._link(what, *some, judges)

    def _find_telling(
        self, pieces: Sequence[Likelihood], chances: Sequence[Floats], choosers: Ints, rows: Ints
    ) -> list[int]:
        """All pieces; of very many those that find most of the choosers each by itself."""
        every = range(len(pieces))
        if len(pieces) <= WIDE:
            return list(every)
        truth = self.known.truth.pick(rows)
        shares = [
            truth.share_right(
                self._score(pieces[j], choosers, rows) - chances[j][rows], choosers
            ).mean()
            for j in every
        ]
        return sorted(np.argsort(-np.array(shares), kind="stable")[:MOST_CHOSEN].tolist())

    def _ways_to_choose(self) -> Iterator[tuple[str, list[Likelihood], list[Floats]]]:
        held = self.known.find_held_values()
        yield HOLDING, [*held], [piece.codes.chances_of_rows for piece in held]
        near = self.known.find_distances()
        yield "takes the nearest row", near, [np.zeros(self._n) for _ in near]

    def _score(self, piece: Likelihood, people: Ints, rows: Ints) -> Floats:
        """Return what a piece of evidence says about some people and rows."""
        blocks = (people[b:e] for b, e in ranges(len(people), count_together(self._n)))
        return np.concatenate([np.take(piece.of_people(some), rows, axis=1) for some in blocks])

    def _rows_for(self, people: Ints) -> Ints:
        """Some rows, among them those that are right for these people."""
        if self._n <= CHOSEN_AMONG:
            return np.arange(self._n)
        some = random_rows(self._comparison.streams.stream("rows"), self._n, CHOSEN_AMONG)
        truth = self.known.truth
        right = np.isin(truth.place, people) | np.isin(truth.giver, people)
        return np.union1d(some, np.flatnonzero(right))


CHOICES = 24
"""So many rows of each person take part."""
UNLINKED = 1e3
"""Cost of leaving a person without a row."""


def link_one_to_one(posterior: Posterior, order: Ints) -> Floats:
    """Return whether each person is linked rightly if links are one to one and the best as a whole.

    `order` is a random order of rows, in which ties are broken.
    """
    from scipy.sparse import coo_array, hstack
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    n = posterior.n
    rows, costs = _list_choices(posterior, order)
    people = np.repeat(np.arange(n), rows.shape[1])
    choices = coo_array((costs.ravel(), (people, rows.ravel())), shape=(n, n))
    spare = coo_array((np.full(n, UNLINKED), (np.arange(n), np.arange(n))), shape=(n, n))
    linked = min_weight_full_bipartite_matching(hstack([choices, spare]).tocsr())[1]
    has_row = linked < n
    hits = np.zeros(n)
    people_found = np.flatnonzero(has_row)
    hits[people_found] = posterior.truth.are_right(people_found, order[linked[has_row]])
    return hits


def _list_choices(posterior: Posterior, order: Ints) -> tuple[Ints, Floats]:
    """The rows that fit each person best, by their place in `order`, and what they cost."""
    n, count = posterior.n, min(CHOICES, posterior.n)
    rows, costs = np.empty((n, count), np.int64), np.empty((n, count))

    def some_people(begin: int, end: int) -> None:
        weights = np.take(posterior.weigh(np.arange(begin, end)), order, axis=1)
        best = np.argpartition(weights, n - count, axis=1)[:, n - count :]
        rows[begin:end] = best
        costs[begin:end] = 1.0 - np.take_along_axis(weights, best, axis=1)

    posterior.workers.each(some_people, n, size=count_together(n), label="assignment")
    return rows, np.minimum(costs, UNLINKED - 1.0)


QUICK_SOUGHT = 40
"""People who are sought at a first look."""


def try_everybody(
    comparison: Comparison, gaps: Gaps, *, thorough: bool = True
) -> Iterator[Intruder]:
    """Every intruder there is; those who know more come later.

    What breaks down is among the `gaps`, but where it was to know more than the verdict's intruder.
    Unless they are `thorough`, there are only the cheap ones, who look for fewer people.
    """
    origin = comparison.provenance
    if origin is None:
        nobody = comparison.ownership is Ownership.NOBODY
        raise (Inapplicable if nobody else Undefined)(
            "it is not known which released row stands for which person; give the audit "
            "record, or say how rows are matched"
        )
    levels = list_known(comparison)
    if not thorough and comparison.level is not Knowledge.EVERYTHING:
        levels = [one for one in levels if one[0] is not Knowledge.EVERYTHING]
    codes: dict[str, SharedCodes] = {}
    sought = SOUGHT if thorough else QUICK_SOUGHT
    for level, known in levels:
        beside = Knowledge.EVERYTHING in {level} - {comparison.level}
        columns = KnownColumns(comparison, origin, known, codes, Gaps() if beside else gaps)
        yield from _try_family(IntruderFamily(columns, thorough=thorough, sought=sought), level)
    if thorough:
        yield from _search_units(comparison, gaps)


def _try_family(family: IntruderFamily, level: Knowledge) -> Iterator[Intruder]:
    """All of a family; someone who knows more than the keys knows it of everybody."""
    for intruder in family.try_all():
        yield intruder if level is Knowledge.KEYS else replace(intruder, level=level)


def list_known(comparison: Comparison) -> list[tuple[Knowledge, tuple[str, ...]]]:
    """List what intruders know: the keys first, and where that is more, all that is published."""
    names, keys = comparison.original.names, comparison.keys_in_order
    everything = [(Knowledge.EVERYTHING, names)] if names != keys else []
    return [(Knowledge.KEYS, keys), *_add_weight(comparison, keys), *everything]


def _add_weight(
    comparison: Comparison, keys: tuple[str, ...]
) -> list[tuple[Knowledge, tuple[str, ...]]]:
    """Intruders who know the weight by the keys that decide it: it is published as it is."""
    weight, judgement = comparison.original.weight, comparison.once(judge_comparison)
    if weight is None or weight.name in keys or judgement is None or not judgement.cells:
        return []
    return [(Knowledge.KEYS, (*keys, weight.name))]


def _search_units(comparison: Comparison, gaps: Gaps) -> Iterator[Intruder]:
    """Intruders who know all members of a household, or all rows of a person, tied by a release."""
    for search in UNIT_SEARCHES.values():
        with suppress(Inapplicable):
            tried, broken = comparison.once(search)
            gaps.add(*broken.reasons)
            for one in tried:
                yield Intruder(
                    knows=comparison.keys_in_order, level=Knowledge.KEYS,
                    knows_method=one.by_method, way=one.way,
                    hits=one.members[np.argsort(one.people)], units=len(one.hits),
                    of_units=one.known,
                )  # fmt: skip
