"""Check of which clusters satisfy the conditions, counted from the rows and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from swapmeet.base.jit import kernel

if TYPE_CHECKING:
    from swapmeet.base.arrays import Flags, Ints
    from swapmeet.methods.kl_theta.conditions import Conditions
    from swapmeet.methods.kl_theta.sensitive import SensitiveCodes


def check_clusters(labels: Ints, values: SensitiveCodes, conditions: Conditions) -> Flags:
    """For each cluster, whether it satisfies all conditions; one without rows does not."""
    found: Flags = _check_each(
        labels,
        values.codes,
        int(values.ranges[-1]),
        conditions.k,
        conditions.diversity,
        conditions.theta,
    )
    return found


@kernel
def _check_each(
    labels: Ints, codes: Ints, values: int, k: int, diversity: int, theta: float
) -> Any:
    """Sort the rows by cluster, then count the values of each cluster."""
    clusters = 0
    for label in labels:
        clusters = max(clusters, label + 1)
    begins = np.zeros(clusters + 2, np.int64)
    for label in labels:
        if label >= 0:
            begins[label + 2] += 1
    for cluster in range(clusters):
        begins[cluster + 2] += begins[cluster + 1]
    rows = np.empty(labels.shape[0], np.int64)
    for row in range(labels.shape[0]):
        if labels[row] >= 0:
            rows[begins[labels[row] + 1]] = row
            begins[labels[row] + 1] += 1
    satisfied = np.zeros(clusters, np.bool_)
    counts = np.zeros(values, np.int64)
    for cluster in range(clusters):
        begin, end = begins[cluster], begins[cluster + 1]
        satisfied[cluster] = end - begin >= k
        for j in range(codes.shape[1]):
            distinct, highest = 0, 0
            for i in range(begin, end):
                value = codes[rows[i], j]
                counts[value] += 1
                distinct += counts[value] == 1
                highest = max(highest, counts[value])
            for i in range(begin, end):
                counts[codes[rows[i], j]] = 0
            if distinct < diversity or highest / max(end - begin, 1) > theta:
                satisfied[cluster] = False
    return satisfied
