"""MDAV as it is described, round by round over all rows that are left."""

from __future__ import annotations

import math

import numpy as np


class Space:
    """The columns in which rows differ, with their weights and what a missing value costs."""

    def __init__(self, columns):
        self.columns, self.weights, self.costs = [], [], []
        for column in columns:
            present = column[~np.isnan(column)]
            if len(present) and present.min() < present.max():
                weight = 1.0 / present.var()
                self.columns.append(column)
                self.weights.append(weight)
                self.costs.append(np.ptp(present) * np.ptp(present) * weight)

    def at(self, row):
        return [column[row] for column in self.columns]

    def mean(self, rows):
        present = [column[rows][~np.isnan(column[rows])] for column in self.columns]
        return [math.fsum(x) / len(x) if len(x) else np.nan for x in present]

    def distances(self, point, rows):
        total = np.zeros(len(rows))
        for x, column, weight, cost in zip(
            point, self.columns, self.weights, self.costs, strict=True
        ):
            gaps = column[rows] - x
            one_missing = np.isnan(column[rows]) != np.isnan(x)
            total += np.where(one_missing, cost, np.nan_to_num(gaps * gaps * weight))
        return total


def literal_mdav(columns, k):
    """The group of each row, numbered as they are formed."""
    space = Space(columns)
    left = np.arange(columns.shape[1])
    labels = np.full(len(left), -1)
    groups = 0
    while len(left) >= 2 * k:
        r = left[space.distances(space.mean(left), left).argmax()]
        s = left[space.distances(space.at(r), left).argmax()]
        for centre in (r, s) if len(left) >= 3 * k else (r,):
            away = space.distances(space.at(centre), left)
            nearest = np.lexsort((-left, away))[:k]
            labels[left[nearest]] = groups
            left = np.delete(left, nearest)
            groups += 1
    labels[left] = groups
    return labels
