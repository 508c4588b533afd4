"""Synthesis by classification and regression trees (Reiter 2005)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from swapmeet.algorithms.groups.leaves.trees import DecisionTree, Predictors, Response
from swapmeet.base.arrays import Flags, Ints, ShortInts
from swapmeet.base.parallel import Workers, ranges
from swapmeet.base.params import Count, Fraction, Names, Optional
from swapmeet.base.seeds import ROWS_PER_STREAM, Streams
from swapmeet.intruders.evidence import Agreement, Evidence, Likelihood
from swapmeet.methods.base import GROUP_SIZES, Method
from swapmeet.methods.description import REAL_VALUES, Description, PublicSetting, describe_count
from swapmeet.release.donors import DonorMap
from swapmeet.release.outcome import Outcome
from swapmeet.tables.microdata import Microdata, Variable
from swapmeet.tables.schema import Kind

GIVEN_BY_OTHERS = 0.5
"""The share of cells that an intruder takes to come from somebody else."""

CAUTIONS = (
    (
        "A leaf whose rows agree releases what they agree on; in tables with few distinct "
        "values draws may put a real record together again."
    ),
    REAL_VALUES,
)


@dataclass(frozen=True, kw_only=True)
class Cart(Method):
    """Each value is drawn from people like the released row so far, as a tree finds them.

    Columns are drawn one after the other. The first comes from any row. For each further one a tree
    is grown on the original columns before it; the values drawn so far lead to one of its leaves,
    and the next value is that of a random row there. So a released row stands for nobody, yet every
    value is somebody's. Larger leaves (`min_leaf`) hide more and blur the relations more, and so
    does a higher `min_gain`; the `order` matters, since early columns are kept best.

    The trees are those of rpart, on which synthpop builds (nodes of fewer than 3 `min_leaf` rows
    stay whole), but for two things: numeric columns are cut half way between two values in ranks,
    and missing values go to the side that suits them best instead of by surrogate splits.

    Reference: Reiter (2005), Using CART to generate partially synthetic public use microdata;
    Breiman, Friedman, Olshen, Stone (1984).

    >>> import swapmeet as sm
    >>> release = sm.mask(sm.datasets.load("diabetes"), sm.Cart(min_leaf=10), seed=1)
    >>> release.data.shape
    (442, 11)
    """

    name = "cart"
    title = "synthesis by regression trees"
    summary = "each value is drawn from a leaf of a tree on the columns before it"
    keeps_owners = False
    grows = ("min_leaf",)

    min_leaf: Annotated[int, Count(1), "a leaf holds at least this many rows", GROUP_SIZES] = 5
    order: Annotated[
        tuple[str, ...] | None,
        Optional(Names()),
        "columns in the order in which they are drawn; the others follow as in the table",
    ] = None
    min_gain: Annotated[
        float,
        Fraction(),
        "a cut lowers the impurity (variance or Gini) by at least this share of the column's",
    ] = 1e-8

    @property
    def description(self) -> Description:
        return Description(
            title=self.title,
            people="Published records are put together value by value: each value is that of one "
            f"of {describe_count(self.min_leaf)} people who are alike in other respects, drawn at "
            "random.",
            analysts="The data are synthetic: a relation that no tree found is not in them. "
            "Confirm important findings on the original data where that can be arranged.",
            settings=(PublicSetting("people in a leaf", describe_count(self.min_leaf)),),
            cautions=CAUTIONS,
        )

    def check(self, data: Microdata) -> None:
        super().check(data)
        data.require_names(self.order or (), "`order`")

    def outcome(self, data: Microdata, streams: Streams, workers: Workers) -> Outcome:
        matrix = np.empty((len(data.names), data.n), np.int64).T
        for j, name in enumerate(data.names):
            matrix[:, j] = streams.random_bits(data.n, "cells", name)
        first = self.order or ()
        turns = data.select([*first, *(name for name in data.names if name not in first)])
        parts = [_Part(turns.variables, rows) for rows in data.parts()]
        self._grow(parts, len(turns.names), workers)
        _draw(parts, np.array([data.names.index(n) for n in turns.names]), matrix, workers)
        return Outcome(DonorMap(matrix), stuck=_find_alone(data))

    def attack(self, seen: Evidence) -> tuple[Likelihood, ...]:
        """A row that a person gave its cells to has their values.

        The leaves are not followed: the person who gave a value has it, so equality finds all that
        leaves would, and rows are nobody's otherwise.
        """
        return tuple(
            Agreement((name,), seen.code(name), doubt=GIVEN_BY_OTHERS) for name in seen.names
        )

    def _grow(self, parts: list[_Part], turns: int, workers: Workers) -> None:
        """Grow all trees: they depend on the original columns only. The largest come first."""
        tasks = [(part, turn) for turn in reversed(range(turns)) for part in parts]

        def some_trees(begin: int, end: int) -> None:
            for part, turn in tasks[begin:end]:
                part.grow(turn, self.min_leaf, self.min_gain)

        workers.each(some_trees, len(tasks), size=_block_size(len(tasks)), label="trees")


class _Part:
    """A stratum: the columns in the order in which they are drawn, and how to draw each."""

    def __init__(self, variables: tuple[Variable, ...], rows: Ints) -> None:
        self.rows = rows
        self.variables = variables
        self.predictors = Predictors.of(variables[:-1], rows)
        self.steps = [_Step()] * len(variables)

    def grow(self, turn: int, min_leaf: int, min_gain: float) -> None:
        """Learn how to draw the column of this turn."""
        if turn > 0:
            grower = _Grower(self.predictors.first(turn), min_leaf, min_gain)
            self.steps[turn] = grower.step(self.variables[turn], self.rows)

    def draw(self, words: Ints) -> Ints:
        """Donors, numbered within the stratum, of fresh rows; `words` has 63 bits for each cell."""
        donors = np.empty_like(words)
        fresh = np.empty((len(self.predictors.codes), words.shape[1]), np.int32)
        for turn, step in enumerate(self.steps):
            donors[turn] = step.draw(fresh[:turn], words[turn], len(self.rows))
            if turn < len(fresh):
                fresh[turn] = self.predictors.codes[turn, donors[turn]]
        return donors


@dataclass(frozen=True)
class _Grower:
    """Grows the trees of a column, on the columns before it."""

    predictors: Predictors
    min_leaf: int
    min_gain: float

    def step(self, variable: Variable, rows: Ints) -> _Step:
        """Choose how to draw the column; a numeric one asks first whether it is missing."""
        if variable.kind is Kind.NOMINAL:
            return _Step(self._tree(Response.of_classes(variable.values[rows])))
        missing = variable.missing[rows]
        if missing.all():
            return _Step()
        response = Response.of_numbers(variable.values[rows])
        if not missing.any():
            return _Step(self._tree(response))
        return _Step(
            self._tree(response, ~missing), self._tree(Response.of_classes(missing)), missing
        )

    def _tree(self, response: Response, among: Flags | None = None) -> DecisionTree:
        return DecisionTree.grow(
            self.predictors, response, min_leaf=self.min_leaf, min_gain=self.min_gain, among=among
        )


@dataclass(frozen=True)
class _Step:
    """Way to draw a column: from any row, from leaves, or first whether the value is missing."""

    values: DecisionTree | None = None
    presence: DecisionTree | None = None
    missing: Flags | None = None

    def draw(self, fresh: ShortInts, words: Ints, n: int) -> Ints:
        """The donors of fresh rows, uniformly among the rows of their leaf."""
        if self.values is None:
            return words % n
        if self.presence is None or self.missing is None:
            return _draw_from_leaf(self.values, fresh, words)[0]
        donors, words = _draw_from_leaf(self.presence, fresh, words)
        present = ~self.missing[donors]
        fresh = fresh.compress(present, axis=1)
        donors[present] = _draw_from_leaf(self.values, fresh, words[present])[0]
        return donors


def _draw_from_leaf(tree: DecisionTree, fresh: ShortInts, words: Ints) -> tuple[Ints, Ints]:
    """A random row of the leaf of each fresh row, and what is left of the random bits."""
    begin, size = tree.leaves(fresh)
    return tree.rows[begin + words % size].astype(np.int64), words // size


def _draw(parts: list[_Part], columns: Ints, matrix: Ints, workers: Workers) -> None:
    """Turn the words in `matrix` into donors. Each fresh row goes its own way."""
    tasks = [(part, b, e) for part in parts for b, e in ranges(len(part.rows), ROWS_PER_STREAM)]

    def some_rows(begin: int, end: int) -> None:
        for part, first, last in tasks[begin:end]:
            cells = np.ix_(part.rows[first:last], columns)
            matrix[cells] = part.rows[part.draw(np.ascontiguousarray(matrix[cells].T))].T

    workers.each(some_rows, len(tasks), size=_block_size(len(tasks)), label="rows")


def _block_size(tasks: int) -> int:
    """Return how many tasks make a block, so that blocks are many but not very many."""
    return 1 + tasks // 1024


def _find_alone(data: Microdata) -> dict[str, Ints]:
    """The rows that are the only one of their stratum."""
    alone = np.flatnonzero(np.bincount(data.strata)[data.strata] == 1)
    return dict.fromkeys(data.names, alone) if len(alone) else {}
