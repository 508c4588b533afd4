"""An original and its release, column by column: what every measure looks at."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

from swapmeet.base.arrays import Flags, Floats, Labels
from swapmeet.base.parallel import Workers
from swapmeet.base.quantiles import rank_by_middle
from swapmeet.base.seeds import Seed, Streams
from swapmeet.comparison.knowledge import Knowledge, list_names
from swapmeet.comparison.score import Undefined
from swapmeet.comparison.sums import Part
from swapmeet.comparison.table_size import limit_people
from swapmeet.comparison.values import code_both
from swapmeet.release.provenance import Provenance
from swapmeet.tables.column import ColumnNames
from swapmeet.tables.microdata import Microdata
from swapmeet.tables.role import Role
from swapmeet.tables.schema import Kind

if TYPE_CHECKING:
    from swapmeet.tables.rests import RestColumn

LISTED = 10**7
_STREAMS = Seed(bytes(32)).within("assess")
"""Assessing is no secret: the same tables get the same scores."""


_Result = TypeVar("_Result")


class Ownership(StrEnum):
    """Way in which the original row of a released row is known."""

    TRUE = "by the audit record"
    CLAIMED = "as claimed"
    UNKNOWN = "unknown"
    NOBODY = "nobody: rows are synthetic"


def ownership_of(owned: bool, known: Iterable[str], masked: Iterable[str]) -> Ownership:  # noqa: FBT001
    """Tied by the audit record, unless rows are synthetic and nothing else is known about them.

    A column that is published as it was ties a synthetic row to its owner only for those who know
    that column.
    """
    return Ownership.TRUE if owned or set(known) - set(masked) else Ownership.NOBODY


@dataclass(frozen=True, repr=False, eq=False)
class EquivalenceClasses:
    """Rows of both tables that share combinations of values; all that share one are here.

    `original` and `released` number the combinations. `same` says of each original row whether its
    own released row has the same; None where owners are unknown. `data` are the released rows.
    `weights` are those of the original rows, where they were asked for.
    """

    original: Labels
    released: Labels
    same: Flags | None
    data: Microdata
    weights: Floats | None = None


def random_rows(stream: np.random.Generator, n: int, count: int) -> Labels:
    """`count` of `n` rows, at random and in order; of very many, without a list of all."""
    if n > LISTED:
        return np.sort(stream.choice(n, count, replace=False, shuffle=False))
    return np.sort(stream.permutation(n)[:count])


class SharedResults:
    """Results about one comparison, each made once, by the first that asks while others wait.

    Whatever is derived from a comparison with `replace` begins with none.
    """

    def __init__(self) -> None:
        self._results: dict[Any, Any] = {}
        self._locks: dict[Any, Lock] = {}

    def once(self, work: Callable[[Comparison], _Result], comparison: Comparison) -> _Result:
        """The result of `work`, made now or before."""
        with self._locks.setdefault(work, Lock()):
            if work not in self._results:
                self._results[work] = work(comparison)
        return cast("_Result", self._results[work])

    def forget(self) -> None:
        """Drop all results; none of them may be in the making."""
        self._results.clear()


@dataclass(frozen=True, repr=False, eq=False)
class Comparison:
    """An original and its release, column by column.

    Both have the same columns, and nominal ones the same codes. Unless the owners are unknown, row
    i of `released` stands for row i of `original`. `known` are the columns that an intruder of the
    papers knows, `masked` those that were masked. `keys` are the columns that the intruder of a
    verdict knows, and `level` says about whom; `provenance` is where released cells come from, if
    that is known. `rests` are what is left of columns that nearly follow from others, where it was
    masked in their place: `with_rests` has an intruder see them. `control` are people of the same
    population who are not in the file, if some are at hand, coded like the original. `at_most` rows
    are looked at where each has to be compared with all others. `notes` say what there is to know
    about how rows were matched.

    A comparison may be a piece of a larger one, whose row `first` is its first; the facts of its
    columns are those of the whole then. A measure that reads rows only through `gather`,
    `in_order`, `pick_rows`, `gather_classes` and `to_ranks` can be taken of a comparison that is
    never in memory as a whole.
    """

    original: Microdata
    released: Microdata
    masked: tuple[str, ...]
    known: tuple[str, ...]
    ownership: Ownership = Ownership.TRUE
    at_most: int | None = None
    workers: Workers = field(default_factory=Workers)
    streams: Streams = _STREAMS
    first: int = 0
    keys: tuple[str, ...] = ()
    level: Knowledge = Knowledge.KEYS
    provenance: Provenance | None = None
    notes: tuple[str, ...] = ()
    control: Microdata | None = None
    rests: tuple[RestColumn, ...] = ()
    _shared: SharedResults = field(default_factory=SharedResults, init=False)

    def __repr__(self) -> str:
        return f"<Comparison of {self.n} rows and {len(self.original.variables)} columns>"

    def once(self, work: Callable[[Comparison], _Result]) -> _Result:
        """The result of `work` on this comparison, which several measures share."""
        return self._shared.once(work, self)

    def forget(self) -> None:
        """Drop the results that measures share; none of them may be at work."""
        self._shared.forget()

    @property
    def cells(self) -> int:
        """Rows × columns of a table."""
        return self.n * len(self.original.variables)

    @cached_property
    def masked_directly(self) -> ColumnNames:
        """The masked columns, without those that follow from them and say nothing more."""
        derived = {v.name for v in self.original.variables if v.role is Role.DERIVED}
        derived |= {one.added_up for one in self.rests}
        return ColumnNames(name for name in self.masked if name not in derived)

    def with_rests(self) -> Comparison:
        """As an intruder sees it: rests as they were masked, beside the columns added up of them.

        The name of a column stands for its rest, as it did for the method. Someone who knows the
        column and all that it follows from knows the rest.
        """
        rests = tuple(one for one in self.rests if one.of in self.masked)
        if not rests:
            return self
        return replace(
            self,
            original=_add_rests(self.original, [(one, one.original) for one in rests]),
            released=_add_rests(self.released, [(one, one.released) for one in rests]),
            control=self.control and _add_rests(
                self.control,
                [(one, one.control) for one in rests if one.control is not None],
            ),
            masked=(*self.masked, *(one.added_up for one in rests)),
            known=_know_rests(self.known, rests), keys=_know_rests(self.keys, rests),
            rests=rests,
        )  # fmt: skip

    @property
    def resolution(self) -> int:
        """Return how many rows each value stands for that `in_order` has."""
        return 1

    @property
    def in_memory(self) -> bool:
        """Return whether all rows are here, so that a measure can give values of single ones."""
        return True

    @property
    def most_sampled(self) -> int:
        """Return how many rows a measure may ask for as a sample, by the memory there is."""
        return self.n

    def gather(
        self,
        look: Callable[[Comparison], Part],
        names: Iterable[str] | None = None,  # noqa: ARG002
    ) -> Part:
        """Return what `look` finds in all rows. It may be shown them piece by piece, with only the
        columns `names`; what it finds in several pieces is added up, in their order.
        """
        return look(self)

    def in_order(self, name: str) -> tuple[Floats, Floats]:
        """A column with numbers, of original and release, each sorted; NaN comes last."""
        return self.once(_Sorted(name))

    def pick_rows(self, rows: Labels) -> Comparison:
        """Only these rows, in this order, as a part of this comparison."""
        return replace(
            self,
            original=self.original.block(rows), released=self.released.block(rows),
        )  # fmt: skip

    def sample(self, rows: Labels) -> Comparison:
        """Only these rows, in this order, as tables of their own."""
        return replace(
            self,
            original=self.original.take(rows), released=self.released.take(rows),
            provenance=self.sample_provenance(rows),
        )  # fmt: skip

    def sample_provenance(self, rows: Labels) -> Provenance | None:
        """Return the origin of the cells of some rows, as if these were tables of their own."""
        return None if self.provenance is None else self.provenance.sample(rows)

    def gather_classes(
        self,
        look: Callable[[EquivalenceClasses], Part],
        names: Iterable[str],
        also: Iterable[str] = (),
    ) -> Part:
        """Return what `look` finds in all rows; rows with the same combination go together.

        Combinations are those of the columns `names`; the released rows have `also` besides.
        """
        names, also = tuple(names), tuple(also)
        original, released = self.once(_Combined(names))
        same = original == released if self.owners_known else None
        data = self.released.select((*names, *also))
        return look(EquivalenceClasses(original, released, same, data, self.weights))

    def to_ranks(self, names: Iterable[str]) -> Comparison:
        """With the columns `names` only, and shares of rows instead of their values.

        The share is that of the rows below, and of half of those with the same value. Nominal
        columns stay as they are.
        """
        return self.once(_Ranked(tuple(names)))

    @property
    def people(self) -> int | None:
        """Largest number of people compared with all rows; fewer in a wide table."""
        return limit_people(self.at_most, self.n, max(len(self.known), len(self.keys)))

    @property
    def fewer_people(self) -> bool:
        """Return whether people are left out because the table is wide."""
        return self.people != self.at_most and self.people is not None and self.people < self.n

    @property
    def tables(self) -> tuple[Microdata, Microdata]:
        """The original, and the release."""
        return self.original, self.released

    @property
    def keys_in_order(self) -> tuple[str, ...]:
        """The columns that the intruder of a verdict knows, in the order of the table."""
        return tuple(name for name in self.original.names if name in self.keys) or self.known

    @property
    def what_is_known(self) -> str:
        """The known columns in words; many are counted rather than named."""
        return list_names(self.known)

    @property
    def n(self) -> int:
        """Number of original rows."""
        return self.original.n

    @cached_property
    def numeric(self) -> ColumnNames:
        """The columns that have numbers: numeric and ordinal ones."""
        return ColumnNames(v.name for v in self.original.variables if v.kind is not Kind.NOMINAL)

    @property
    def weights(self) -> Floats | None:
        """The sampling weight of each original row, as it is in the table; None without a
        column.
        """
        return None if self.original.weight is None else self.original.weight.values

    @property
    def households(self) -> tuple[Labels, Labels] | None:
        """The household of each original and of each released row, each table with its own numbers.

        None where either table does not show which rows belong together.
        """
        return self.find_units(Role.HOUSEHOLD)

    def find_units(self, role: Role) -> tuple[Labels, Labels] | None:
        """The household, or the person, of each original and of each released row."""
        tables = (self.original, self.released)
        one, other = (t.person if role is Role.PERSON else t.household for t in tables)
        return None if one is None or other is None else (one, other)

    def combinations(self, names: Iterable[str]) -> tuple[Labels, Labels]:
        """A number for the combination of values in these columns; a missing value is a value.

        Original and released rows with the same values have the same number.
        """
        pairs = [(self.original[name].values, self.released[name].values) for name in names]
        codes = code_both(*zip(*pairs, strict=True))
        return codes.people, codes.rows

    @property
    def owners_known(self) -> bool:
        """Return whether row i of the release stands for row i of the original."""
        return self.ownership in {Ownership.TRUE, Ownership.CLAIMED}

    def require_owners(self) -> None:
        """Leave a measure that needs to know who is who, where nobody knows."""
        if self.ownership is Ownership.NOBODY:
            raise Undefined(
                "released rows stand for nobody in particular; the sorted measures show how far "
                "they can be linked all the same"
            )
        if not self.owners_known:
            raise Undefined(
                "it is not known which released row stands for which original row; give the audit "
                "record, or say how rows are matched"
            )


def _add_rests(data: Microdata, values: list[tuple[RestColumn, Floats]]) -> Microdata:
    """The columns with rests in place of some, which come after all columns as they were added
    up.
    """
    left = {one.of: given for one, given in values}
    variables = [
        replace(v, kind=Kind.NUMERIC, values=left[v.name], role=Role.KEY, whole=None)
        if v.name in left
        else v
        for v in data.variables
    ]
    for one, _ in values:
        whole = data[one.of]
        role = Role.SENSITIVE if whole.role is Role.SENSITIVE else Role.DERIVED
        variables.append(replace(whole, name=one.added_up, role=role))
    return replace(data, variables=tuple(variables), cache=None)


def _know_rests(names: tuple[str, ...], rests: Iterable[RestColumn]) -> tuple[str, ...]:
    """Return the evidence for somebody who knows these columns."""
    known = dict.fromkeys(names)
    for one in rests:
        if one.of in known:
            known[one.added_up] = None
    for one in rests:
        if one.of in known and not set(one.parents) <= set(names):
            del known[one.of]
    return tuple(known)


@dataclass(frozen=True)
class _Sorted:
    """A column of both tables in order."""

    name: str

    def __call__(self, comparison: Comparison) -> tuple[Floats, Floats]:
        one, other = comparison.original[self.name], comparison.released[self.name]
        return np.sort(one.values), np.sort(other.values)


@dataclass(frozen=True)
class _Combined:
    """The combinations of some columns, numbered."""

    names: tuple[str, ...]

    def __call__(self, comparison: Comparison) -> tuple[Labels, Labels]:
        return comparison.combinations(self.names)


@dataclass(frozen=True)
class _Ranked:
    """Some columns by their ranks."""

    names: tuple[str, ...]

    def __call__(self, comparison: Comparison) -> Comparison:
        one, other = (_with_shares(data.select(self.names)) for data in comparison.tables)
        return replace(comparison, original=one, released=other)


def _with_shares(data: Microdata) -> Microdata:
    variables = []
    for variable in data.variables:
        if variable.kind is Kind.NOMINAL:
            variables.append(variable)
            continue
        present, shares = ~variable.missing, np.full(data.n, np.nan)
        shares[present] = (rank_by_middle(variable.values[present]) - 0.5) / max(present.sum(), 1)
        variables.append(replace(variable, values=shares, whole=None))
    return replace(data, variables=tuple(variables))
