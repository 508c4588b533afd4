"""The cells of a table of categories, as rows of a log-linear model."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from swapmeet.core.tables.schema import Kind
from swapmeet.measures.score import Undefined

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from swapmeet.core.base.arrays import Floats
    from swapmeet.core.tables.formulas import Factor
    from swapmeet.core.tables.microdata import Microdata

    Codes = npt.NDArray[np.int64]

MOST_CELLS = 50_000
MOST_FIGURES = 20_000_000


class Cells(NamedTuple):
    """Names and columns of the design, a row for each cell; the counts, the sums of the squared
    weights of their rows, and how many rows were counted.
    """

    names: tuple[str, ...]
    design: Floats
    counts: Floats
    squares: Floats
    rows: int


def count_cells(
    data: Microdata,
    like: Microdata,
    terms: Sequence[tuple[Factor, ...]],
    weights: Floats,
) -> Cells:
    """All combinations of the levels that `like` has, and how many rows of `data` are in each."""
    columns = tuple(dict.fromkeys(factor.column for term in terms for factor in term))
    levels = {name: _list_levels(like, name) for name in columns}
    sizes = tuple(len(levels[name]) for name in columns)
    if np.prod([float(size) for size in sizes]) > MOST_CELLS:
        raise Undefined(f"the table has more than {MOST_CELLS:,} cells; recode its columns")
    codes = [_number(data, name, levels[name]) for name in columns]
    complete = np.all([code >= 0 for code in codes], axis=0) & (weights > 0.0)
    places = np.ravel_multi_index([code[complete] for code in codes], sizes)
    total, weights = int(np.prod(sizes)), weights[complete]
    grid = dict(zip(columns, np.indices(sizes).reshape(len(sizes), -1), strict=True))
    names, design = _make_design(terms, grid, levels)
    counts, squares = (_add_up(places, some, total) for some in (weights, weights**2))
    return Cells(names, design, counts, squares, int(complete.sum()))


def _add_up(places: Codes, weights: Floats, total: int) -> Floats:
    return np.bincount(places, weights, total).astype(np.float64)


def _list_levels(like: Microdata, name: str) -> Floats:
    variable = like[name]
    levels: Floats = np.unique(variable.values[~variable.missing])
    if not len(levels):
        raise Undefined(f"{name} has no values")
    return levels


def _number(data: Microdata, name: str, levels: Floats) -> Codes:
    """The number of each row's level, -1 where it is missing or none of these."""
    variable = data[name]
    values = np.where(variable.missing, levels[0], variable.values)
    places = np.minimum(np.searchsorted(levels, values), len(levels) - 1)
    strange = variable.missing | (levels[places] != values)
    if (strange & ~variable.missing).any() and variable.kind is not Kind.NOMINAL:
        raise Undefined(f"{name} has values that the original does not have")
    return np.where(strange, -1, places)


def _make_design(
    terms: Sequence[tuple[Factor, ...]], grid: dict[str, Codes], levels: dict[str, Floats]
) -> tuple[tuple[str, ...], Floats]:
    """An intercept, and a column for each combination of levels that are not the first."""
    names, columns = ["intercept"], [np.ones(len(next(iter(grid.values()))))]
    for term in terms:
        product = [("", columns[0])]
        for factor in term:
            product = [
                (f"{label}:{factor.column} (category {level + 1})".lstrip(":"),
                 column * (grid[factor.column] == level))
                for label, column in product
                for level in range(1, len(levels[factor.column]))
            ]  # fmt: skip
        names += [label for label, _ in product]
        columns += [column for _, column in product]
        if len(columns) * len(columns[0]) > MOST_FIGURES:
            raise Undefined("the model has too many terms for its table; recode its columns")
    return tuple(names), np.stack(columns, axis=1)
