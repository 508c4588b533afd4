"""Derivations fitted to a table: how far they hold in it, and columns computed anew."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from swapmeet.errors import SchemaError
from swapmeet.tables.arrow import codes_of
from swapmeet.tables.derivations import Derivation
from swapmeet.tables.expressions.numbers import (
    Numbers,
    align,
    count_decimals,
    holds_numbers,
    read_numbers,
    write_numbers,
)
from swapmeet.tables.expressions.values import ColumnSource, ExpressionContext, as_text
from swapmeet.tables.frame import Frame, Table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from swapmeet.base.arrays import Floats, Ints
    from swapmeet.tables.rests import Rest

LEAST = 1e-9
"""Doubles that differ by a smaller share are the same; of single precision, by a thousand times."""


class Failures(NamedTuple):
    """In how many rows a derivation fails, and in how many only one side has a value."""

    broken: int = 0
    open: int = 0

    def __add__(self, other: object) -> Failures:
        assert isinstance(other, Failures)
        return Failures(self.broken + other.broken, self.open + other.open)


@dataclass(frozen=True, repr=False, eq=False)
class TableFacts:
    """Facts about a whole table that must be known before a column is derived in a piece of it.

    `decimals` are those that columns show, None where too many. `pairs` has, by derived column that
    is looked up, each value of its parent with one of its own. `unlike` counts the rows in which
    doubles differ from what plain arithmetic gives, by derived column. `signed` are columns that
    have numbers below zero.
    """

    decimals: Mapping[str, int | None] = field(default_factory=dict)
    pairs: Mapping[str, tuple[Any, Any]] = field(default_factory=dict)
    unlike: Mapping[str, int] = field(default_factory=dict)
    signed: frozenset[str] = frozenset()

    def __repr__(self) -> str:
        return f"<TableFacts of {len(self.decimals)} columns>"

    @classmethod
    def of(cls, derivations: tuple[Derivation, ...], table: ColumnSource) -> TableFacts:
        """Gather the facts of a table, or of a piece of it."""
        names = dict.fromkeys(n for one in derivations for n in (one.name, *one.parents))
        facts = cls({name: _find_decimals(table.plain(name)) for name in names})
        exact = {one.name: _count_unlike(one, table) for one in derivations}
        looked = {one.name: _list_pairs(one, table) for one in derivations if one.looked_up}
        signed = frozenset(one.name for one in derivations if _is_signed(one, table))
        return replace(facts, pairs=looked, unlike=exact, signed=signed)

    def merge(self, other: TableFacts) -> TableFacts:
        """Merge the facts of both pieces."""
        return TableFacts(
            {name: _most(self.decimals[name], other.decimals[name]) for name in self.decimals},
            {name: _join_pairs(self.pairs[name], other.pairs[name]) for name in self.pairs},
            {name: self.unlike[name] + other.unlike[name] for name in self.unlike},
            self.signed | other.signed,
        )


@dataclass(frozen=True, repr=False, eq=False)
class FittedDerivation:
    """A derivation and what it needs to know of the whole table."""

    derivation: Derivation
    facts: TableFacts

    def __repr__(self) -> str:
        return f"<FittedDerivation of {self.derivation.name}>"

    @property
    def name(self) -> str:
        """The column that follows from others."""
        return self.derivation.name

    def compute(self, table: ColumnSource, kind: Any, rest: Rest | None = None) -> Any:
        """The column computed anew from others of the table, as an Arrow array of a type."""
        answer = self._work_out(table)
        if rest is not None:
            total = rest.add_to(self._expect(table), signed=self.name in self.facts.signed)
            return write_numbers(total, kind, self.name, self.facts.decimals[self.name])
        if not isinstance(answer, Numbers):
            return self._as_type(answer, kind)
        if _is_text(kind):
            raise SchemaError([self._refuse_type(kind)])
        decimals = self.facts.decimals[self.name] if self._is_rounded(table) else None
        return write_numbers(answer, kind, self.name, decimals)

    def find_rest(self, table: ColumnSource) -> Rest:
        """Subtract what follows from the others; return the rest of the column."""
        from swapmeet.tables.rests import Rest

        target = table.plain(self.name)
        if not holds_numbers(target):
            raise SchemaError([self._refuse_type(target.type)])
        whole = read_numbers(target, self.facts.decimals[self.name], search=False)
        return Rest(whole.add(self._expect(table).negate()), whole)

    def _expect(self, table: ColumnSource) -> Numbers:
        """Compute what follows from the others, in the digits that the column shows."""
        answer, decimals = self._work_out(table), self.facts.decimals[self.name]
        if not isinstance(answer, Numbers):
            raise SchemaError([self._refuse_type(table.plain(self.name).type)])
        return answer if decimals is None else answer.round_to(decimals)

    def compare(self, table: ColumnSource) -> Failures:
        """Compare a table or a piece of it with what follows, up to the digits the column shows."""
        target, answer = table.plain(self.name), self._work_out(table, exactly=True)
        if self.derivation.looked_up or not isinstance(answer, Numbers):
            return _compare_text(as_text(target), as_text(answer))
        if not holds_numbers(target):
            raise SchemaError([self._refuse_type(target.type)])
        decimals = self.facts.decimals[self.name]
        stored = read_numbers(target, decimals, search=False)
        return _compare_numbers(stored, answer, decimals, _tolerance(target.type))

    def _work_out(self, table: ColumnSource, *, exactly: bool = False) -> Numbers | Any:
        """The values; `exactly` is before they are rounded, since halves go up or down."""
        parent = self.derivation.looked_up
        if parent is not None:
            return _look_up(table.plain(parent), *self.facts.pairs[self.name])
        rows = len(table.plain(self.derivation.parents[0]))
        plain = self.facts.decimals[self.name] is None and not self.facts.unlike[self.name]
        setting = ExpressionContext(table, rows, self.facts.decimals, plain_doubles=plain)
        value = self.derivation.unrounded if exactly else self.derivation.value
        return value.work_out(setting)

    def _is_rounded(self, table: ColumnSource) -> bool:
        """Return whether the original had to be rounded; a sum of cents had not."""
        empty = ExpressionContext(_FirstRows(table, 0), 0, self.facts.decimals)
        answer = self.derivation.value.work_out(empty)
        decimals = self.facts.decimals[self.name]
        return answer.scale is None or decimals is None or answer.scale > decimals

    def _as_type(self, cells: Any, kind: Any) -> Any:
        import pyarrow as pa

        try:
            return cells.cast(kind)
        except pa.ArrowException:
            raise SchemaError([self._refuse_type(kind)]) from None

    def _refuse_type(self, kind: Any) -> str:
        return (
            f"derive: column {self.name!r} is of type {kind}, and what follows from the others is "
            f"{'a number' if _is_text(kind) else 'text'}."
        )


@dataclass(frozen=True, repr=False, eq=False)
class _FirstRows:
    """The first rows of a table."""

    table: ColumnSource
    rows: int

    @property
    def names(self) -> tuple[str, ...]:
        return self.table.names

    def family(self, name: str) -> str:
        return self.table.family(name)

    def plain(self, name: str) -> Any:
        return self.table.plain(name).slice(0, self.rows)


def fit_derivations(
    derivations: tuple[Derivation, ...], facts: TableFacts
) -> tuple[FittedDerivation, ...]:
    """Derivations with what they need to know."""
    return tuple(FittedDerivation(one, facts) for one in derivations)


def check_derivation(table: Frame, text: str) -> int:
    """In how many rows of a table a derivation does not hold.

    A column is compared up to the digits that it shows; rows in which it, or what it follows from,
    is missing do not count.

    >>> import pandas as pd
    >>> sales = pd.DataFrame({"a": [0.1, 1.5, 2.0], "b": [0.2, 1.0, 2.0], "both": [0.3, 2.5, 9.0]})
    >>> check_derivation(sales, "both = a + b")
    1
    """
    known, derivation = Table.of(table), Derivation(text)
    problems = [*derivation.list_problems(known.names)]
    if problems:
        raise SchemaError(problems)
    facts = TableFacts.of((derivation,), known)
    return FittedDerivation(derivation, facts).compare(known).broken


def _compare_numbers(
    stored: Numbers, answer: Numbers, decimals: int | None, least: float
) -> Failures:
    both = ~(stored.missing | answer.missing)
    one, two, scale = align(stored, answer)
    if scale is None:
        unit = 0.0 if decimals is None else 0.5 * 10.0**-decimals
        size = np.maximum(np.abs(one), np.abs(two))
        differs = np.abs(one - two) > unit * (1.0 + LEAST) + least * size
    else:
        room = 0 if decimals is None or scale <= decimals else 10 ** (scale - decimals)
        differs = 2 * abs(one - two) > room
    lonely = stored.missing != answer.missing
    return Failures(int((differs.astype(bool) & both).sum()), int(lonely.sum()))


def _compare_text(stored: Any, answer: Any) -> Failures:
    import pyarrow.compute as pc

    differs = pc.fill_null(pc.not_equal(stored, answer), False)  # noqa: FBT003
    lonely = np.asarray(stored.is_null()) != np.asarray(answer.is_null())
    return Failures(int(np.asarray(differs).sum()), int(lonely.sum()))


def _find_decimals(column: Any) -> int | None:
    return count_decimals(column) if holds_numbers(column) else None


def _most(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else max(one, other)


def _tolerance(kind: Any) -> float:
    import pyarrow.types as pt

    return 1e3 * LEAST if pt.is_float32(kind) or pt.is_float16(kind) else LEAST


def _is_signed(derivation: Derivation, table: ColumnSource) -> bool:
    """Return whether the column has numbers below zero; what has no rest need not be asked."""
    target = table.plain(derivation.name)
    if not derivation.has_rest or not holds_numbers(target):
        return True
    return bool((read_numbers(target).digits < 0).any())


def _is_text(kind: Any) -> bool:
    import pyarrow.types as pt

    return not (pt.is_primitive(kind) or pt.is_decimal(kind) or pt.is_boolean(kind))


def _count_unlike(derivation: Derivation, table: ColumnSource) -> int:
    """Rows in which a column of doubles is not what plain arithmetic gives, to the last bit."""
    import pyarrow.types as pt

    target = table.plain(derivation.name)
    if derivation.looked_up or not pt.is_float64(target.type):
        return len(target)
    setting = ExpressionContext(table, len(target), plain_doubles=True)
    answer = derivation.value.work_out(setting)
    if not isinstance(answer, Numbers):
        return len(target)
    stored = target.to_numpy(zero_copy_only=False)
    differs = (answer.doubles() != stored) & np.isfinite(stored) & ~answer.missing
    return int(differs.sum())


def _list_pairs(derivation: Derivation, table: ColumnSource) -> tuple[Any, Any]:
    """Each value of the parent, and the commonest value that the column has with it."""
    assert derivation.looked_up is not None
    parent, own = table.plain(derivation.looked_up), table.plain(derivation.name)
    return _find_commonest(parent, own, np.ones(len(own), np.int64))


def _find_commonest(parent: Any, own: Any, counts: Ints) -> tuple[Any, Any]:
    one, two = codes_of(parent), codes_of(own)
    known = (one.codes >= 0) & (two.codes >= 0)
    joint = one.codes.astype(np.int64) * max(two.levels, 1) + two.codes
    pairs, first, at = np.unique(joint[known], return_index=True, return_inverse=True)
    sizes = np.bincount(at, weights=counts[known], minlength=len(pairs))
    order = np.lexsort((pairs, -sizes, pairs // max(two.levels, 1)))
    parents = pairs[order] // max(two.levels, 1)
    best = order[np.append(True, parents[1:] != parents[:-1])[: len(order)]]
    rows = np.flatnonzero(known)[first[best]]
    return parent.take(rows), own.take(rows)


def _join_pairs(one: tuple[Any, Any], other: tuple[Any, Any]) -> tuple[Any, Any]:
    import pyarrow as pa

    parent, own = (pa.concat_arrays([a, b]) for a, b in zip(one, other, strict=True))
    return _find_commonest(parent, own, np.ones(len(own), np.int64))


def _look_up(parent: Any, known: Any, own: Any) -> Any:
    """The value that the column has with each value of its parent, or with the nearest number."""
    import pyarrow as pa
    import pyarrow.compute as pc

    at = pc.index_in(parent, value_set=known)
    if holds_numbers(parent) and len(known):
        numbers = read_numbers(parent)
        new = np.asarray(at.is_null()) & ~numbers.missing
        nearest = _find_nearest(numbers.doubles()[new], read_numbers(known).doubles())
        places = at.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
        places[new] = nearest
        at = pa.array(places, mask=numbers.missing)
    return own.take(at)


def _find_nearest(values: Floats, known: Floats) -> Ints:
    order = np.argsort(known, kind="stable")
    after = np.clip(np.searchsorted(known[order], values), 1, max(len(order) - 1, 1))
    after = np.minimum(after, len(order) - 1)
    before = np.maximum(after - 1, 0)
    nearer = np.abs(known[order[before]] - values) <= np.abs(known[order[after]] - values)
    return order[np.where(nearer, before, after)]
