"""One-to-one links: each released row is somebody's, and nobody has two."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from swapmeet.algorithms.likelihood.sums import count_together

if TYPE_CHECKING:
    from swapmeet.core.base.arrays import Floats, Ints
    from swapmeet.measures.linking.posterior import Posterior

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
