"""Gap between the relations of a release and those of the original, and its weights."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from swapmeet.core.base.jit import kernel

if TYPE_CHECKING:
    from swapmeet.algorithms.exchange.matched.features import Features
    from swapmeet.algorithms.exchange.matched.trades import Goal
    from swapmeet.core.base.arrays import Floats, ShortInts

LIFT = 0.2
"""Directions in which numbers vary less than this are lifted to it; others stay as they are."""
WIDE = 4
"""So many times more numbers than rows vary in a few directions only."""
LEAST = 1e-3
"""Below this, variance is taken for rounding."""


@kernel
def sum_products(feature: ShortInts, value: Floats, count: int) -> Floats:
    """The products of all pairs of features, summed over the rows: (features, features)."""
    total = np.zeros((count, count))
    for row in range(feature.shape[0]):
        for e in range(feature.shape[1]):
            for f in range(feature.shape[1]):
                total[feature[row, e], feature[row, f]] += value[row, e] * value[row, f]
    return total


def weigh_directions(features: Features) -> Floats:
    """The weight of a gap between each two numbers: the matrix W of the objective tr(W E W E).

    Where columns nearly depend on one another, some combinations of them hardly vary (a total
    less its parts), and a small gap there is a large error: they weigh more, up to 0.2 / variance.
    Nominal features weigh 1, and are not in this matrix.
    """
    w = features.numbers
    if w == 0:
        return np.zeros((0, 0))
    rows = max(len(features.feature), 1)
    if WIDE * rows < w:
        return _weigh_few_directions(features, rows)
    moments = sum_products(features.feature, features.value, features.total)[:w, :w] / rows
    variances, directions = np.linalg.eigh(moments)
    return np.asarray((directions * _weigh(variances)) @ directions.T)


def _weigh_few_directions(features: Features, rows: int) -> Floats:
    """The same where numbers vary in no more directions than there are rows, far fewer than all."""
    dense = np.zeros((rows, features.total))
    at = np.broadcast_to(np.arange(rows)[:, None], features.feature.shape)
    np.add.at(dense, (at, features.feature), features.value)
    own = dense[:, : features.numbers] / np.sqrt(rows)
    _, lengths, directions = np.linalg.svd(own, full_matrices=False)
    still = float(_weigh(np.zeros(1))[0])
    varied = (directions.T * (_weigh(lengths**2) - still)) @ directions
    return np.asarray(still * np.eye(features.numbers) + varied)


def _weigh(variances: Floats) -> Floats:
    return np.maximum(LIFT / (np.maximum(variances, 0.0) + LEAST), 1.0)


def pull_of(gap: Floats, weights: Floats) -> Floats:
    """W E W: how the objective changes with each relation; W is 1 for features behind numbers."""
    size = len(weights)
    pull = gap.copy()
    pull[:size] = weights @ pull[:size]
    pull[:, :size] = pull[:, :size] @ weights
    return pull


def objective_of(goal: Goal) -> float:
    """tr(W E W E) / 2 and the squared gaps of triples."""
    gap = pull_of(goal.pull, np.asarray(np.linalg.inv(goal.weights), np.float64))
    return float((gap * goal.pull).sum()) / 2.0 + float(goal.gaps @ goal.gaps)
