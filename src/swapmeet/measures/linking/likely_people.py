"""Sums over everybody, from the people of whom a row is likely at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from swapmeet.algorithms.likelihood.sums import log_sum

if TYPE_CHECKING:
    from collections.abc import Sequence

    from swapmeet.algorithms.likelihood import Likelihood

NEGLIGIBLE = 21.0
"""All others together may add this much less, in the logarithm: less than one part in 10⁹."""


def sum_over_likely(pieces: Sequence[Likelihood], row: int, n: int) -> float:
    """The logarithm of the sum of a row's likelihoods over `n` people.

    Where a row holds rare values, few people can have got them. The others add at most what they
    would if everything else fitted them; where that is not negligible, NaN says that everybody has
    to be looked at.
    """
    lists = [likely for piece in pieces if (likely := piece.find_likely(row)) is not None]
    if not lists:
        return np.nan
    people = np.unique(np.concatenate([likely.people for likely in lists]))
    if not len(people):
        return np.nan
    logs = np.sum([piece.of_few(row, people) for piece in pieces], axis=0)
    total = float(log_sum(logs[np.newaxis], axis=1)[0])
    others = np.log(n) + sum(likely.others for likely in lists)
    return total if others < total - NEGLIGIBLE else np.nan


def can_sum_over_likely(pieces: Sequence[Likelihood]) -> bool:
    """Return whether all pieces of evidence can be asked about some people only."""
    return all(piece.for_few for piece in pieces)
