"""Columns that are sums and differences of others: total = a + b + c.

In a random part of the rows each column is either independent of those before it, or a combination
of them. Combinations with no other factors than 1 and -1, as short as they can be
made, are checked in all rows. Some parts are small: a few rows in error do not hide a sum. Numbers
that were rounded add up only nearly; they are looked for once the exact sums are known.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from swapmeet.base.arrays import Floats, Ints
from swapmeet.base.seeds import Seed
from swapmeet.tables.derivations import REST
from swapmeet.tables.expressions.functions import FUNCTIONS
from swapmeet.tables.microdata import LARGEST
from swapmeet.tables.role_hints import names_totals
from swapmeet.ties.finding import ColumnView, Finding, Tie, write_derivation

_FindVectors = Callable[[Floats, Ints, Ints], list[Ints]]

PARTS = (5_000, 1_000, 300, 300, 300)
"""Rows of each part that is looked at."""
SMALL_PARTS, FEW_PARTS = 12, 4
"""Parts with about as few rows as columns allow, where sums are rounded; fewer of wide tables."""
WIDE = 100
FEWEST = 20
"""Fewer rows with numbers in all columns tell nothing."""
ROWS_PER_COLUMN = 2
MOST_COLUMNS = 300
MOST_TERMS = 30
ZERO = 1e-8
"""What is left of a column of length 1 that depends on others."""
PARALLEL, MOST_PARALLEL = 1e-13, 4
"""So near to 1 is the cosine of columns of which one is a multiple; more of them are left out."""
CLOSE = 1e-5
"""A factor is 1, -1 or 0 if it is this close to it."""
EXACT = 1e-9
"""What rounding of doubles leaves, relative to the largest term."""
NEARLY = 0.99
"""A sum that holds in fewer of the rows is chance, or something else."""
ROUGH, ROUGHLY_CLOSE = 2.0, 0.3
"""In a part, rounded terms leave about so many units, and factors are less certain."""
MOSTLY = 0.9
"""A rounded sum holds up to rounding in at least this share of the rows."""
FINE = 20.0
"""A rounded total varies by so many times what rounding allows: else it is near everything."""
_STREAM = Seed(bytes(32)).within("inspect", "sums")


class Held(NamedTuple):
    """Rows in which a relation holds exactly, and up to rounding, of those that have the numbers.

    `room` is what rounding allows.
    """

    exactly: int
    nearly: int
    tried: int
    room: float = 0.0

    @property
    def is_complete(self) -> bool:
        """Return whether it holds in all rows."""
        return self.exactly == self.tried

    @property
    def reason(self) -> str:
        """In words."""
        if self.is_complete:
            return f"in all {self.tried:,} rows that have them"
        rounded = ""
        if self.nearly > self.exactly:
            rounded = f", and up to rounding (by {self.room:g} at most) in {self.nearly:,}"
        return f"in {self.exactly:,} of {self.tried:,} rows{rounded}"


@dataclass(frozen=True)
class LinearRelation:
    """That columns with these signs sum up to 0."""

    signs: tuple[tuple[str, int], ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""
        return tuple(name for name, _ in self.signs)

    def choose_target(self, possible: Collection[str]) -> str | None:
        """The column to be computed: a total by its name, else the one with a sign of its own.

        >>> LinearRelation((("pay", 1), ("tax", -1), ("rest", -1))).choose_target({"pay", "rest"})
        'pay'
        """
        signs = dict(self.signs)
        alone = [name for name in signs if sum(s == signs[name] for s in signs.values()) == 1]
        called = [name for name in signs if names_totals(name)]
        both = [name for name in alone if name in called]
        ranked = [*both, *called[::-1], *alone, *self.names[::-1]]
        return next((name for name in ranked if name in possible), None)

    def write(self, target: str) -> str:
        """As a derivation of one of its columns.

        >>> LinearRelation((("pay", 1), ("tax", -1), ("net", -1))).write("net")
        'net = pay - tax'
        """
        signs = dict(self.signs)
        side = -signs.pop(target)
        terms = sorted(signs.items(), key=lambda term: -term[1] * side)
        words = [f"{'+' if sign * side > 0 else '-'} {write_name(name)}" for name, sign in terms]
        return f"{write_name(target)} = {' '.join(words).removeprefix('+ ')}"

    def count(self, columns: ColumnView, original: ColumnView) -> tuple[int, int]:
        """The rows in which it holds: exactly, or up to rounding where it did only so before."""
        held = _count_rows(columns, self, _find_room(original, self))
        is_exact = _is_exact(_count_rows(original, self))
        return (held.exactly if is_exact else held.nearly), held.tried


def write_name(name: str) -> str:
    """A column's name in an expression, between backquotes where it is no plain word."""
    return name if name.isidentifier() and name.lower() not in _RESERVED else f"`{name}`"


_RESERVED = {"and", "or", "not", "in", "is", "missing", REST, *FUNCTIONS}


def find_sums(columns: ColumnView, leave_out: Collection[str]) -> Iterator[Finding]:
    """Sums and differences that hold in all rows, in nearly all, or up to rounding."""
    names = [*columns.list_quantities(leave_out), *columns.list_dates(leave_out)][:MOST_COLUMNS]
    needs: dict[str, set[str]] = {}
    for relation, held in find_relations(columns, names):
        possible = [
            n
            for n in relation.names
            if not _makes_circle(n, relation.names, needs)
            and (held.is_complete or columns.can_have_rest(n))
        ]
        target = relation.choose_target(possible)
        if target is not None:
            needs[target] = set(relation.names) - {target}
            yield _describe(columns, relation, target, held)


def _makes_circle(target: str, names: tuple[str, ...], needs: dict[str, set[str]]) -> bool:
    """Return whether a column is computed already, or would be from columns that follow from it."""
    waiting, seen = [name for name in names if name != target], set()
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting += needs.get(name, ())
    return target in needs or target in seen


def find_relations(columns: ColumnView, names: list[str]) -> list[tuple[LinearRelation, Held]]:
    """Relations with the rows that obey them, and the rows that could; short ones first."""
    relations: dict[LinearRelation, Held] = {}

    def look(parts: list[int], names: list[str], find: _FindVectors) -> None:
        for number, size in enumerate(parts):
            for relation in _look_at_part(columns, names, number, size, find):
                if relation not in relations:
                    relations[relation] = _count_rows(columns, relation)

    look(list(PARTS), names, _find_null_vectors)
    exact = {one: held for one, held in relations.items() if _is_exact(held)}
    totals = {one.choose_target(one.names) for one in exact}
    left = [name for name in names if name not in totals]
    units = np.array([columns.unit(name) for name in left])
    look(_choose_small_parts(len(left)), left, _RoughSearch(left, units))
    kept = exact | {
        one: held
        for one, held in relations.items()
        if one not in exact and _is_rounded(columns, one, held)
    }
    return sorted(kept.items(), key=lambda one: (len(one[0].signs), one[0].names))


def _choose_small_parts(columns: int) -> list[int]:
    """So small that rows in error are in none of most of them, and some in which none is needed."""
    count = SMALL_PARTS if columns <= WIDE else FEW_PARTS
    least = max(ROWS_PER_COLUMN * columns + 4, FEWEST)
    return [*[least] * count, *[2 * least] * (count // 2), *PARTS[1:4]]


def _is_exact(held: Held) -> bool:
    return held.tried >= FEWEST and held.exactly >= NEARLY * held.tried


def _is_rounded(columns: ColumnView, relation: LinearRelation, held: Held) -> bool:
    """Return whether nearly all rows obey it up to rounding, and not because rounding is coarse."""
    if held.tried < FEWEST or held.nearly < MOSTLY * held.tried:
        return False
    total, terms = _add_up(columns, relation)
    telling = np.isfinite(total) & ((np.abs(terms) > held.room).sum(axis=0) > 1)
    obeys = np.abs(total[telling]) <= held.room
    spreads = np.array([np.std(term[telling]) for term in terms]) if telling.any() else np.zeros(1)
    is_fine = float(np.sort(spreads)[-2:].min()) >= FINE * max(held.room, EXACT)
    return bool(is_fine and obeys.sum() >= FEWEST and obeys.mean() >= MOSTLY)


def _look_at_part(
    columns: ColumnView, names: list[str], number: int, size: int, find: _FindVectors
) -> list[LinearRelation]:
    rows = np.arange(columns.rows)
    if columns.rows > size:
        drawn = _STREAM.stream(str(number)).integers(0, columns.rows, size)
        rows = np.unique(drawn)
    elif number:
        return []
    usable, matrix = _complete(columns, names, rows)
    if matrix.shape[0] < max(FEWEST, ROWS_PER_COLUMN * matrix.shape[1]) or len(usable) < 3:
        return []
    relations = []
    for chosen in _part_parallel(matrix):
        some, part = [usable[column] for column in chosen], matrix[:, chosen]
        at = np.array([names.index(name) for name in some])
        orders = (np.arange(len(some)), np.argsort((part**2).sum(axis=0)))
        vectors = [one for order in orders for one in _shorten(find(part, order, at))]
        relations += [relation for vector in vectors if (relation := _to_relation(vector, some))]
    return relations


def _part_parallel(matrix: Floats) -> Iterator[Ints]:
    """Sets of columns of which none is a multiple of another, so that each is in one of them.

    A multiple of days, such as their price, would hide that it is a part of a sum.
    """
    units = matrix / np.sqrt((matrix**2).sum(axis=0))
    parallel = np.abs(units.T @ units) >= 1.0 - PARALLEL
    sizes, places = parallel.sum(axis=0), np.triu(parallel, 1).sum(axis=0)
    for turn in range(min(int(sizes.max()), MOST_PARALLEL)):
        yield np.flatnonzero(places == np.minimum(turn, sizes - 1))


def _complete(columns: ColumnView, names: list[str], rows: Ints) -> tuple[list[str], Floats]:
    """ColumnView that vary and rows that miss none of them.

    ColumnView with many gaps, and such whose squares are beyond all doubles, are left out.
    """
    matrix = np.column_stack([columns.quantities(name)[rows] for name in names] or [np.empty(0)])
    usable = np.isfinite(matrix).mean(axis=0) >= 0.5 if matrix.size else np.zeros(0, bool)
    matrix = matrix[:, usable]
    matrix = matrix[np.isfinite(matrix).all(axis=1)]
    if len(matrix):
        largest = np.abs(matrix).max(axis=0)
        varied = matrix.min(axis=0) < matrix.max(axis=0)
        varied &= (largest > 1.0 / LARGEST) & (largest < LARGEST)
        usable[usable] = varied
        matrix = matrix[:, varied]
    return [name for name, used in zip(names, usable, strict=True) if used], matrix


def _find_null_vectors(matrix: Floats, order: Ints, at: Ints) -> list[Ints]:  # noqa: ARG001
    """Combinations with factors 1, -1 and 0 that vanish in all these rows."""
    lengths = np.sqrt((matrix**2).sum(axis=0))
    vectors = []
    for column, others, factors in _find_dependent(matrix, order, ZERO * lengths):
        whole = np.rint(factors)
        if np.abs(factors - whole).max() <= CLOSE and np.abs(whole).max() <= 1:
            vectors.append(_as_vector(matrix, column, others, whole))
    return vectors


@dataclass(frozen=True)
class _RoughSearch:
    """The same where terms were rounded: to `units`, by column."""

    names: list[str]
    units: Floats

    def __call__(self, matrix: Floats, order: Ints, at: Ints) -> list[Ints]:
        rows, units = len(matrix), self.units[at]
        spreads = matrix.std(axis=0)
        room = np.minimum(ROUGH * max(units.max(), 0.0), spreads / FINE)
        vectors = []
        for column, others, factors in _find_dependent(matrix, order, room * np.sqrt(rows)):
            counts = np.abs(factors) * spreads[others] > ROUGH * units.max()
            whole = np.where(counts, np.rint(factors), 0.0)
            close = np.abs(factors - whole)[counts].max(initial=0.0) <= ROUGHLY_CLOSE
            if close and np.abs(whole).max(initial=0.0) <= 1:
                vectors.append(_as_vector(matrix, column, others, whole))
        return vectors


def _as_vector(matrix: Floats, column: int, others: list[int], factors: Floats) -> Ints:
    vector = np.zeros(matrix.shape[1], np.int64)
    vector[others], vector[column] = factors, -1
    return vector


def _find_dependent(
    matrix: Floats, order: Ints, zero: Floats
) -> Iterator[tuple[int, list[int], Floats]]:
    """ColumnView that are combinations of those before them in the order, these, and the factors.

    What is left of such a column has at most the length `zero`.
    """
    lengths = np.sqrt((matrix**2).sum(axis=0))
    basis, upper = np.zeros((len(matrix), 0)), np.zeros((0, 0))
    independent: list[int] = []
    for at in order.tolist():
        column = matrix[:, at] / lengths[at]
        along = basis.T @ column
        rest = column - basis @ along
        again = basis.T @ rest
        along, rest = along + again, rest - basis @ again
        left = float(np.sqrt(rest @ rest))
        if left * lengths[at] > zero[at] and left > ZERO:
            upper = np.block([[upper, along[:, None]], [np.zeros((1, len(along))), left]])
            basis = np.column_stack([basis, rest / left])
            independent.append(at)
        elif independent:
            factors = _solve(upper, along) * lengths[at] / lengths[independent]
            yield at, independent, factors


def _solve(upper: Floats, along: Floats) -> Floats:
    """Solve a triangle; few tables need the library, which is slow to load."""
    from scipy.linalg import solve_triangular

    return np.asarray(solve_triangular(upper, along))


def _shorten(vectors: list[Ints]) -> list[Ints]:
    """The same relations with as few columns as adding and subtracting leaves."""
    vectors = list(vectors)
    shorter = True
    while shorter:
        shorter = False
        for i, one in enumerate(vectors):
            for j, other in enumerate(vectors):
                tried = min((one + other, one - other), key=np.count_nonzero)
                if i != j and np.abs(tried).max() == 1 and _is_shorter(tried, one):
                    vectors[i] = one = tried
                    shorter = True
    return vectors


def _is_shorter(one: Ints, other: Ints) -> bool:
    return bool(np.count_nonzero(one) < np.count_nonzero(other))


def _to_relation(vector: Ints, names: list[str]) -> LinearRelation | None:
    places = np.flatnonzero(vector)
    if not 3 <= len(places) <= MOST_TERMS:
        return None
    first = int(vector[places[0]])
    return LinearRelation(tuple((names[at], int(vector[at]) * first) for at in places))


def _count_rows(columns: ColumnView, relation: LinearRelation, room: float | None = None) -> Held:
    """In how many of the rows that have all its numbers a relation holds."""
    total, terms = _add_up(columns, relation)
    there = np.isfinite(total)
    size = np.abs(terms[:, there]).max(axis=0, initial=0.0)
    off = np.abs(total[there]) - EXACT * size
    room = _find_room(columns, relation) if room is None else room
    return Held(int((off <= 0.0).sum()), int((off <= room).sum()), int(there.sum()), room)


def _find_room(columns: ColumnView, relation: LinearRelation) -> float:
    """Find how far rounding of its terms may bring it."""
    unit = max(columns.unit(name) for name in relation.names)
    return unit * max(len(relation.names) // 2, 1)


def _add_up(columns: ColumnView, relation: LinearRelation) -> tuple[Floats, Floats]:
    """The sums of all terms, and the terms."""
    terms = np.array([sign * columns.quantities(name) for name, sign in relation.signs])
    return np.asarray(terms.sum(axis=0)), terms


def _describe(columns: ColumnView, relation: LinearRelation, target: str, held: Held) -> Finding:
    text = relation.write(target)
    return Finding(
        about=text,
        columns=(target, *(name for name in relation.names if name != target)),
        reason=held.reason,
        rows=held.exactly if _is_exact(held) else held.nearly,
        options=write_derivation(
            text, relation.names, nearly=not held.is_complete, beside=columns.all_names
        ),
        ties=(Tie(text, relation),),
    )
