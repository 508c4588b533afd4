"""Small tables of mixed columns, their groups, and slow ways to compute what trades compute."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from swapmeet.base.parallel import Workers
from swapmeet.base.seeds import Seed
from swapmeet.methods.matched_swap.trading import Groups, Keeping, encode_features
from swapmeet.methods.matched_swap.trading.features import Triples
from swapmeet.methods.matched_swap.trading.matching import pull_of
from swapmeet.methods.matched_swap.trading.trades import TradeGoal, count_together
from swapmeet.tables.microdata import Microdata, Variable
from swapmeet.tables.schema import Kind

ONE = Workers(1)
NO_TRIPLES = Triples(*(np.empty((0, 3), np.int64),) * 3, np.empty(0, np.int64), 0)
SHAPES = ("number", "tied", "gaps", "nominal", "rare", "flat", "empty")


def streams(seed):
    return Seed.chosen_by_user(seed).within("matched")


def words(shape, seed):
    return np.random.default_rng(seed).integers(0, 2**63 - 1, shape)


def make_column(shape, name, n, rng):
    """A column with ties, gaps, rare levels, one value or none at all."""
    numbers = rng.normal(size=n)
    if shape in {"nominal", "rare"}:
        levels = 3 if shape == "nominal" else max(n // 2, 2)
        return Variable(name, Kind.NOMINAL, rng.integers(-1, levels, n), levels)
    if shape == "tied":
        numbers = rng.integers(0, 3, n).astype(float)
    elif shape == "gaps":
        numbers[rng.random(n) < 0.3] = np.nan
    elif shape in {"flat", "empty"}:
        numbers[:] = 7.0 if shape == "flat" else np.nan
    return Variable(name, Kind.NUMERIC, numbers)


def make_data(shapes, n, seed=0):
    rng = np.random.default_rng(seed)
    columns = [make_column(shape, f"{shape}{j}", n, rng) for j, shape in enumerate(shapes)]
    return Microdata(tuple(columns), np.zeros(n, np.int32))


def make_numbers(table):
    """A table of numbers, a column each."""
    table = np.asarray(table, float)
    columns = [Variable(f"x{j}", Kind.NUMERIC, column.copy()) for j, column in enumerate(table.T)]
    return Microdata(tuple(columns), np.zeros(len(table), np.int32))


def make_groups(n, size, blocks=1, seed=0):
    """Groups of `size` rows or a few more, in a random order of rows, in so many blocks."""
    count = max(n // size, 1) if n else 0
    labels = np.arange(n) * count // max(n, 1)
    labels = np.random.default_rng(seed).permutation(labels)
    return Groups(labels, np.arange(count) % blocks)


@st.composite
def tables(draw, least=0):
    """Features of a table of any columns: squares, triples, units of two, some that stay."""
    shapes = draw(st.lists(st.sampled_from(SHAPES), min_size=1, max_size=5))
    data = make_data(shapes, draw(st.integers(least, 24)), draw(st.integers(0, 99)))
    names = list(data.names)
    units = draw(st.sampled_from([[[n] for n in names], [names[:2], *([n] for n in names[2:4])]]))
    triples = [tuple(names[:3])] if len(names) > 2 and draw(st.booleans()) else []
    return encode_features(
        data, Keeping(squares=draw(st.booleans()), triples=tuple(triples)), units
    )


def make_goal(gap, weights, limit=2, *, donors=None, most=10**9):
    """A goal without relations of three columns; columns may go together unless told otherwise."""
    units = len(gap)
    together = np.zeros((units, units), np.int64) if donors is None else count_together(donors)
    pull = pull_of(np.array(gap, float), weights)
    return TradeGoal(pull, weights, NO_TRIPLES, np.empty(0), limit, together, most)


def multiply_out(feature, value, total):
    """All rows as dense lines of features, and the sums of their products."""
    dense = np.zeros((len(feature), total))
    for e in range(feature.shape[1]):
        dense[np.arange(len(feature)), feature[:, e]] += value[:, e]
    return dense.T @ dense


def widen(weights, total):
    """W for all features: 1 for those behind the numbers."""
    full = np.eye(total)
    full[: len(weights), : len(weights)] = weights
    return full


def count_most(donors):
    """The largest number of cells of one person in a row."""
    return max((int(np.unique(row, return_counts=True)[1].max()) for row in donors), default=0)
