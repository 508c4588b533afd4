"""Evidence that ties released rows to people, as far as an intruder knows some columns."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar, TypeVar

import numpy as np

from swapmeet.base.arrays import Floats, Ints
from swapmeet.base.sentences import join_names
from swapmeet.comparison.comparison import Comparison
from swapmeet.comparison.score import Undefined
from swapmeet.errors import SwapmeetError
from swapmeet.intruders.evidence import (
    Agreement,
    Evidence,
    Gaussian,
    Likelihood,
    SharedCodes,
    code_both,
)
from swapmeet.intruders.links.intruder import Truth
from swapmeet.intruders.links.unit_evidence import (
    ColumnLevels,
    WholeEvidence,
    attack_level,
    join_sets,
    list_own,
    moved_whole,
    number_units,
)
from swapmeet.release.provenance import Provenance
from swapmeet.tables.microdata import Microdata, Variable
from swapmeet.tables.schema import Kind, Role
from swapmeet.tables.units import Level, divide_strata

Found = TypeVar("Found")


@dataclass(frozen=True)
class Gaps:
    """The reasons why some attacks broke down, each once.

    An attack that cannot be made, because the intruder knows too little or there is nothing to look
    for, is no gap: it is left out before it is tried. Whatever fails on the way is one, and leaves
    a verdict open that would be safe without it.
    """

    reasons: list[str] = field(default_factory=list)

    @contextmanager
    def catch(self, attack: str) -> Iterator[None]:
        """Go on without an attack that breaks down, and remember why.

        Messages of ours name columns and counts, never a value.
        """
        try:
            yield
        except (SwapmeetError, Undefined) as error:
            first = next(iter(str(error).splitlines()), "").rstrip(".")
            self.add(f"{attack} ({first or type(error).__name__})")

    def iterate(self, attack: str, findings: Iterable[Found]) -> Iterator[Found]:
        """Findings of an attack, as far as it comes."""
        with self.catch(attack):
            yield from findings

    def add(self, *reasons: str) -> None:
        """Remember why others broke down."""
        self.reasons.extend(one for one in reasons if one not in self.reasons)

    @property
    def words(self) -> str:
        """Say what is not known, as a clause; empty where nothing broke down."""
        if not self.reasons:
            return ""
        broke = "this attack" if len(self.reasons) == 1 else "these attacks"
        return (
            f"a part of the risk is not known, because {broke} could not be carried out: "
            f"{join_names(self.reasons)}"
        )


HELD = 0.5
"""Share of a person's own values that is taken to have moved elsewhere: a half."""
LEAST = 1e-6
"""The doubt about a column that did not move at all."""
SURELY = 5.0
"""A column counts as one that partly stayed if that is so many standard errors from chance."""
MISMATCH = 2.0
"""The squared distance of two levels, in standard deviations of a column."""


@dataclass(frozen=True, repr=False, eq=False)
class KnownColumns:
    """The columns that an intruder knows, in both tables, and what became of each.

    `codes` are the values of columns as codes, which several intruders look at; they are kept
    no longer than the intruders are, for they take as much memory as both tables. `gaps` are
    attacks that broke down.
    """

    comparison: Comparison
    provenance: Provenance
    names: tuple[str, ...]
    codes: dict[str, SharedCodes] = field(default_factory=dict)
    gaps: Gaps = field(default_factory=Gaps)

    @cached_property
    def truth(self) -> Truth:
        """Flag the links that are right for somebody who knows these columns."""
        return Truth.of(self.provenance, self.comparison.masked_directly, self.names)

    def find_held_values(self) -> list[Agreement]:
        """Evidence for an intruder who looks for a person's own values, wherever they are."""
        return [self._agree(name, HELD) for name in self.names]

    def find_values_in_place(self, names: Iterable[str] | None = None) -> list[Agreement]:
        """Evidence for an intruder who knows how often a value stayed in its row; found by
        comparison.
        """
        pieces = [self._agree(name, 0.0) for name in (self.names if names is None else names)]
        doubts = [self._doubt(piece) for piece in pieces]
        return [
            replace(piece, doubt=doubt)
            for piece, doubt in zip(pieces, doubts, strict=True)
            if doubt < 1.0
        ]

    def find_distances(self) -> list[Likelihood]:
        """Evidence for an intruder who compares distances, each table scaled by its own figures."""
        pieces: list[Likelihood] = []
        for name in self.names:
            one, other = self.comparison.original[name], self.comparison.released[name]
            if one.kind is Kind.NOMINAL:
                differ = np.exp(-MISMATCH / 2.0)
                pieces.append(_Mismatch((name,), self.code(name), doubt=differ))
            elif one.statistics.sd > 0 and other.statistics.sd > 0:
                people, rows = (
                    (v.values - v.statistics.mean)[np.newaxis] / v.statistics.sd
                    for v in (one, other)
                )
                pieces.append(Gaussian((name,), people, rows))
        return pieces

    def find_traces(self) -> list[Likelihood]:
        """Evidence for an intruder who also knows the method: what it gives away of each column it
        masks.

        Columns of which it says nothing count as far as they stayed in place.
        """
        pieces = self.follow_method()
        explained = {name for piece in pieces for name in piece.columns}
        return [*pieces, *self.find_values_in_place(n for n in self.names if n not in explained)]

    def find_traces_of_some(self, people: Ints) -> list[Likelihood]:
        """Evidence for an intruder who knows the method, and nobody but one of these people.

        Released rows take the place of everybody else: in each piece, the people come first and
        then the rows, as if they were people.
        """
        comparison = self.comparison
        stacked = _stack(comparison.original, comparison.released, people)
        comparison = replace(comparison, original=stacked)
        stacked_columns = replace(self, comparison=comparison, codes={})
        pieces = stacked_columns.follow_method(everybody=False, levels=self._find_levels())
        explained = {name for piece in pieces for name in piece.columns}
        stayed = (
            self.find_values_in_place(n for n in self.names if n not in explained)
            if explained
            else []
        )
        return [
            *pieces,
            *(replace(one, codes=stacked_columns.code(*one.columns)) for one in stayed),
        ]

    def follow_method(
        self, *, everybody: bool = True, levels: list[Level] | None = None
    ) -> list[Likelihood]:
        """Return what the method says about the columns it masks; nothing if it is not known.

        Where rows belong to units, it says so level by level, as it ran. An attack that breaks down
        is among the `gaps`.
        """
        method, masked = self.provenance.method, self.comparison.masked_directly
        if method is None or not set(masked) & set(self.names):
            return []
        levels = self._find_levels() if levels is None else levels
        pieces: list[Likelihood] = []
        if method.moves_units or not levels:
            with self.gaps.catch(self._attack):
                seen = self._see(masked, Role.STRATA, everybody=everybody)
                pieces += join_sets(method.attack(seen), seen)
            return pieces
        own = list_own(self.provenance, levels)
        if not everybody or not moved_whole(self.provenance, self.comparison, own):
            return self._follow_levels(levels, everybody)
        with self.gaps.catch(f"{self._attack} whole households"):
            pieces += self._follow_whole(levels, own)
        return pieces

    @property
    def _attack(self) -> str:
        return f"that of somebody who knows how {self.provenance.method.name} masks"

    def _follow_levels(self, levels: list[Level], everybody: bool) -> list[Likelihood]:
        method = self.provenance.method
        pieces: list[Likelihood] = []
        for level in levels:
            with self.gaps.catch(self._attack):
                pieces += attack_level(method, level, self._see_level(level, everybody))
        return pieces

    def _follow_whole(self, levels: list[Level], own: list[str]) -> list[Likelihood]:
        """Evidence from households that traded as wholes; others did so level by level."""

        def attack_rest(people: Ints, rows: Ints) -> list[Likelihood]:
            if not len(people):
                return []
            part = self._take(people, rows)
            return part._follow_levels([one.take(people) for one in levels], everybody=True)  # noqa: SLF001

        position = [v for v in self.comparison.original.variables if v.role is Role.POSITION]
        seen = self._see(self.comparison.masked_directly, Role.STRATA, everybody=True)
        if position:
            codes = np.unique(position[0].values, return_inverse=True)[1]
            seen = replace(seen, people=replace(seen.people, position=codes))
        whole = WholeEvidence(self.provenance.method, seen, self.provenance, own, attack_rest)
        return [*whole.attack()]

    def _take(self, people: Ints, rows: Ints) -> KnownColumns:
        """The same of some people and rows, as if they were the tables."""
        origin = self.provenance.take(people, rows)
        comparison = replace(
            self.comparison,
            original=self.comparison.original.take(people),
            released=self.comparison.released.take(rows),
            provenance=origin,
        )  # fmt: skip
        return KnownColumns(comparison, origin, self.names, gaps=self.gaps)

    def _find_levels(self) -> list[Level]:
        return self.comparison.once(ColumnLevels(self.comparison.masked_directly))

    def _see_level(self, level: Level, everybody: bool) -> Evidence:
        """Evidence about the columns that the method saw at a level."""
        seen = [n for n in self.comparison.masked_directly if n in (*level.columns, *level.coarser)]
        if not level.has_positions:
            return self._see(seen, Role.STRATA, everybody=everybody)
        pieces = self._see(seen, Role.STRATA, Role.POSITION, everybody=everybody)
        return self._join_positions(pieces, level, seen)

    def _join_positions(self, seen: Evidence, level: Level, names: list[str]) -> Evidence:
        """Positions that were too small for the method trade as one: sizes are no secret."""
        known = [v for v in self.comparison.original.variables if v.name in self.names]
        position = [v.name for v in known if v.role is Role.POSITION]
        restricted = self.provenance.method.restrict(names)
        if not position or restricted is None:
            return seen
        fewest = restricted.fewest_rows(self.comparison.original.select(names))
        strata, place, cells = (
            self._code_all(some)
            for some in (
                [v.name for v in known if v.role is Role.STRATA], position,
                [v.name for v in known if v.role in {Role.STRATA, Role.POSITION}],
            )
        )  # fmt: skip
        units = number_units(self.comparison.released, level)
        first = np.arange(len(cells.rows)) if units is None else units.first
        divided = divide_strata(strata.rows[first].astype(np.int32), place.rows[first], fewest)
        if not divided.small:
            return seen
        labels = len(cells.rows) + np.arange(cells.count)
        labels[cells.rows[first]] = divided.labels
        people, rows = np.split(
            np.unique(labels[np.append(cells.people, cells.rows)], return_inverse=True)[1],
            [len(cells.people)],
        )
        return replace(
            seen,
            people=replace(seen.people, strata=people.astype(np.int32), cache=None),
            released=replace(seen.released, strata=rows.astype(np.int32)),
        )

    def _see(self, columns: Collection[str], *dividing: Role, everybody: bool) -> Evidence:
        """Evidence about some columns; nothing moves between rows that differ in `dividing`."""
        masked = [name for name in columns if name in self.names]
        strata = [v.name for v in self.comparison.original.variables if v.role in dividing]
        people, released = self._with_strata(masked, strata)
        people = replace(
            people, together=self._find_sets(masked), context=self._find_context(masked)
        )
        complete = {*columns, *strata} <= set(self.names)
        if complete and len(columns) == len(self.comparison.masked_directly):
            people = replace(people, cache=self.comparison.original.cache)
        workers = self.comparison.workers
        return Evidence(people, released, complete, workers, self.code, everybody)

    def _find_sets(self, names: list[str]) -> tuple[tuple[str, ...], ...]:
        """The sets that moved as one, which is no secret; those that stayed did not move."""
        origin = self.provenance
        own = origin.place if origin.owned else np.arange(len(origin.place))
        return tuple(
            one
            for one in origin.list_blocks(names)
            if len(one) > 1
            and not np.array_equal(origin.donors[:, origin.columns.index(one[0])], own)
        )

    def _find_context(self, masked: list[str]) -> tuple[Variable, ...]:
        """The other columns that are known: a method may have looked at them.

        Those that are not released, and that the method looked at, are taken to be known.
        """
        known = [name for name in self.names if name not in masked]
        original = self.comparison.original
        return (*(original[name] for name in known), *original.context)

    def _with_strata(self, masked: list[str], strata: list[str]) -> tuple[Microdata, Microdata]:
        one, other = (
            self.comparison.original.select(masked),
            self.comparison.released.select(masked),
        )
        known = [name for name in strata if name in self.names]
        if not known:
            return one, other
        codes = self._code_all(known)
        return (
            replace(one, strata=codes.people.astype(np.int32)),
            replace(other, strata=codes.rows.astype(np.int32)),
        )

    def _code_all(self, names: list[str]) -> SharedCodes:
        """The combinations of values of some columns as codes; of none, all are alike."""
        one, other = self.comparison.original, self.comparison.released
        if not names:
            return SharedCodes(np.zeros(one.n, np.int64), np.zeros(other.n, np.int64), 1)
        return code_both([one[n].values for n in names], [other[n].values for n in names])

    def code(self, name: str) -> SharedCodes:
        """The values of a column as codes."""
        if name not in self.codes:
            one, other = self.comparison.original[name], self.comparison.released[name]
            self.codes[name] = code_both([one.values], [other.values])
        return self.codes[name]

    def _agree(self, name: str, doubt: float) -> Agreement:
        return Agreement((name,), self.code(name), doubt=doubt)

    def _doubt(self, piece: Agreement) -> float:
        """The share of values that moved, among which some are the same by chance."""
        owned = self.provenance.place >= 0
        if not owned.any():
            return 1.0
        codes = piece.codes
        same = float((codes.rows[owned] == codes.people[self.provenance.place[owned]]).mean())
        by_chance = float((codes.chances**2).sum())
        error = np.sqrt(by_chance * (1.0 - by_chance) / owned.sum()) + 1.0 / owned.sum()
        if same <= by_chance + SURELY * error:
            return 1.0
        return float(max((1.0 - same) / (1.0 - by_chance), LEAST))


def _stack(original: Microdata, released: Microdata, people: Ints) -> Microdata:
    """Some people, and below them the released rows."""
    variables = tuple(
        replace(v, values=np.concatenate([v.values[people], released[v.name].values]), whole=None)
        for v in original.variables
    )
    strata = np.zeros(len(people) + released.n, np.int32)
    return replace(
        original, variables=variables, strata=strata, cache=None, position=None, context=(),
        household=_stack_units(original.household, released.household, people),
        person=_stack_units(original.person, released.person, people),
    )  # fmt: skip


def _stack_units(one: Ints | None, other: Ints | None, people: Ints) -> Ints | None:
    """The units of some people, and below them those of the released rows, with other numbers."""
    if one is None or other is None:
        return None
    numbers = np.concatenate([one[people], other + int(one.max(initial=0)) + 1])
    return np.unique(numbers, return_inverse=True)[1].astype(np.int64)


@dataclass(frozen=True, repr=False, eq=False)
class _Mismatch(Agreement):
    """A nominal column in a distance: a mismatch costs the same, whatever the levels."""

    for_few: ClassVar[bool] = False

    def of_people(self, people: Ints) -> Floats:
        differ = self.codes.people[people, np.newaxis] != self.codes.rows
        return np.log(self.doubt) * differ

    def of_rows(self, rows: Ints) -> Floats:
        differ = self.codes.rows[rows, np.newaxis] != self.codes.people
        return np.log(self.doubt) * differ
