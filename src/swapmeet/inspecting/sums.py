"""Columns that are sums and differences of others: total = a + b + c.

In a random part of the rows each column is either independent of those before it, or a combination
of them. Combinations with no other factors than 1 and -1, as short as they can be
made, are checked in all rows. Some parts are small: a few rows in error do not hide a sum.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.core.base.seeds import Seed
from swapmeet.core.tables.expressions.functions import FUNCTIONS
from swapmeet.core.tables.microdata import LARGEST
from swapmeet.core.tables.survey_names import names_totals
from swapmeet.inspecting.finding import Finding, write_derivation

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    import numpy.typing as npt

    from swapmeet.inspecting.columns import Columns

    Floats = npt.NDArray[np.float64]
    Ints = npt.NDArray[np.int64]

PARTS = (5_000, 1_000, 300, 300, 300)
"""Rows of each part that is looked at."""
FEWEST = 20
"""Fewer rows with numbers in all columns tell nothing."""
ROWS_PER_COLUMN = 2
MOST_COLUMNS = 300
MOST_TERMS = 30
ZERO = 1e-8
"""What is left of a column of length 1 that depends on others."""
CLOSE = 1e-5
"""A factor is 1, -1 or 0 if it is this close to it."""
EXACT = 1e-9
"""What rounding of doubles leaves, relative to the largest term."""
NEARLY = 0.99
"""A sum that holds in fewer of the rows is chance, or something else."""
_STREAM = Seed(bytes(32)).within("inspect", "sums")


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


def write_name(name: str) -> str:
    """A column's name in an expression, between backquotes where it is no plain word."""
    return name if name.isidentifier() and name.lower() not in _RESERVED else f"`{name}`"


_RESERVED = {"and", "or", "not", "in", "is", "missing", *FUNCTIONS}


def find_sums(columns: Columns, leave_out: Collection[str]) -> Iterator[Finding]:
    """Sums and differences that hold in all rows, or in nearly all."""
    names = columns.list_quantities(leave_out)[:MOST_COLUMNS]
    needs: dict[str, set[str]] = {}
    for relation, held, tried in find_relations(columns, names):
        possible = [n for n in relation.names if not _makes_circle(n, relation.names, needs)]
        target = relation.choose_target(possible)
        if target is not None:
            if held == tried:
                needs[target] = set(relation.names) - {target}
            yield _describe(relation, target, held, tried)


def _makes_circle(target: str, names: tuple[str, ...], needs: dict[str, set[str]]) -> bool:
    """Whether a column is computed already, or would be from columns that follow from it."""
    waiting, seen = [name for name in names if name != target], set()
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting += needs.get(name, ())
    return target in needs or target in seen


def find_relations(columns: Columns, names: list[str]) -> list[tuple[LinearRelation, int, int]]:
    """Relations with the rows that obey them, and the rows that could; short ones first."""
    found: dict[LinearRelation, tuple[int, int]] = {}
    for number, size in enumerate(PARTS):
        for relation in _look_at_part(columns, names, number, size):
            if relation not in found:
                found[relation] = _count_rows(columns, relation)
    kept = [(relation, *counts) for relation, counts in found.items() if _is_enough(*counts)]
    return sorted(kept, key=lambda one: (len(one[0].signs), one[0].names))


def _is_enough(held: int, tried: int) -> bool:
    return tried >= FEWEST and held >= NEARLY * tried


def _look_at_part(
    columns: Columns, names: list[str], number: int, size: int
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
    orders = (np.arange(len(usable)), np.argsort((matrix**2).sum(axis=0)))
    vectors = [one for order in orders for one in _shorten(_find_null_vectors(matrix, order))]
    return [relation for vector in vectors if (relation := _to_relation(vector, usable))]


def _complete(columns: Columns, names: list[str], rows: Ints) -> tuple[list[str], Floats]:
    """Columns that vary and rows that miss none of them.

    Columns with many gaps, and such whose squares are beyond all doubles, are left out.
    """
    matrix = np.column_stack([columns.numbers(name)[rows] for name in names] or [np.empty(0)])
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


def _find_null_vectors(matrix: Floats, order: Ints) -> list[Ints]:
    """Combinations with factors 1, -1 and 0 that vanish in all these rows.

    Each column is a combination of those that come before it in the order, or independent of them.
    """
    lengths = np.sqrt((matrix**2).sum(axis=0))
    basis, upper = np.zeros((len(matrix), 0)), np.zeros((0, 0))
    independent: list[int] = []
    found = []
    for at in order.tolist():
        column = matrix[:, at] / lengths[at]
        along = basis.T @ column
        rest = column - basis @ along
        again = basis.T @ rest
        along, rest = along + again, rest - basis @ again
        left = float(np.sqrt(rest @ rest))
        if left > ZERO:
            upper = np.block([[upper, along[:, None]], [np.zeros((1, len(along))), left]])
            basis = np.column_stack([basis, rest / left])
            independent.append(at)
            continue
        factors = _solve(upper, along) * lengths[at] / lengths[independent]
        whole = np.rint(factors)
        if np.abs(factors - whole).max() <= CLOSE and np.abs(whole).max() <= 1:
            vector = np.zeros(matrix.shape[1], np.int64)
            vector[independent], vector[at] = whole, -1
            found.append(vector)
    return found


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


def _count_rows(columns: Columns, relation: LinearRelation) -> tuple[int, int]:
    """In how many of the rows that have all its numbers a relation holds."""
    total, size = np.zeros(columns.rows), np.zeros(columns.rows)
    for name, sign in relation.signs:
        numbers = columns.numbers(name)
        total += sign * numbers
        np.maximum(size, np.abs(numbers), out=size)
    there = np.isfinite(total)
    held = np.abs(total[there]) <= EXACT * size[there]
    return int(held.sum()), int(there.sum())


def _describe(relation: LinearRelation, target: str, held: int, tried: int) -> Finding:
    text = relation.write(target)
    rows = f"in all {tried:,} rows that have them" if held == tried else (
        f"in {held:,} of {tried:,} rows; mend the others before you declare it"
    )  # fmt: skip
    return Finding(
        about=text,
        columns=(target, *(name for name in relation.names if name != target)),
        reason=rows,
        rows=held,
        options=write_derivation(text, relation.names) if held == tried else (),
    )
