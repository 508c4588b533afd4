"""The K-L-θ algorithm of paper 004, section 3.1, word by word and without any index.

Where the text leaves a choice, the author's program decides: see METHODS. Distances are taken from
one cluster to all candidates at once; nothing else is clever.
"""

from __future__ import annotations

import numpy as np


class Literal:
    """Rows with scaled numbers, codes of nominal keys, and codes of sensitive values."""

    def __init__(self, numbers, nominal, sensitive, k, distinct, theta, weights, costs):
        self.numbers, self.nominal, self.sensitive = numbers, nominal, sensitive
        self.k, self.distinct, self.theta = k, distinct, theta
        self.weights, self.costs = weights, costs
        n = len(sensitive)
        self.mean = np.zeros((n, numbers.shape[1]))
        self.size = np.zeros(n)
        self.sets = [np.zeros((n, column.max() + 1), bool) for column in nominal.T]
        self.counts = [np.zeros((n, column.max() + 1), int) for column in sensitive.T]
        self.rows = []
        self.rounds = []

    def labels(self):
        """The cluster of each row, satisfied or not."""
        left = np.arange(len(self.sensitive))
        while len(left):
            queue = self.steps_1_and_2(left)
            self.rounds.append((len(self.rows), len(queue)))
            left = self.step_3(queue)
        self.step_5()
        labels = np.empty(len(self.sensitive), int)
        for cluster, rows in enumerate(self.rows):
            labels[rows] = cluster
        return labels

    def steps_1_and_2(self, left):
        queue = []
        while len(left):
            cluster = len(self.rows)
            self.rows.append([])
            self.add(cluster, left[0])
            left = left[1:]
            while len(left) and not self.is_diverse(cluster):
                nearest = int(np.argmin(self.from_cluster_to_rows(cluster, left)))
                row, left = left[nearest], np.delete(left, nearest)
                if self.brings_a_value(cluster, row):
                    self.add(cluster, row)
                else:
                    queue.append(row)
        return queue

    def step_3(self, queue):
        left = []
        while queue:
            row = queue.pop()
            clusters = np.flatnonzero(self.are_open(row))
            if len(clusters):
                self.add(clusters[np.argmin(self.from_row_to_clusters(row, clusters))], row)
            else:
                left.append(row)
        return np.array(left, int)

    def step_5(self):
        for cluster in range(len(self.rows)):
            if self.size[cluster] == 0 or self.is_satisfied(cluster):
                continue
            others = np.flatnonzero(self.size[: len(self.rows)] > 0)
            others = others[others != cluster]
            keeps, satisfies = self.unions(cluster, others)
            for good in (keeps & satisfies, keeps):
                if good.any():
                    away = self.from_cluster_to_clusters(cluster, others[good])
                    self.merge(cluster, others[good][np.argmin(away)])
                    break

    def add(self, cluster, row):
        n = self.size[cluster]
        self.mean[cluster] = (self.mean[cluster] * n + self.numbers[row]) / (n + 1)
        self.size[cluster] = n + 1
        for values, code in zip(self.sets, self.nominal[row], strict=True):
            values[cluster, code] = True
        for counts, code in zip(self.counts, self.sensitive[row], strict=True):
            counts[cluster, code] += 1
        self.rows[cluster].append(row)

    def merge(self, cluster, other):
        n, more = self.size[cluster], self.size[other]
        self.mean[cluster] = (self.mean[cluster] * n + self.mean[other] * more) / (n + more)
        self.size[cluster], self.size[other] = n + more, 0
        for values in self.sets:
            values[cluster] |= values[other]
        for counts in self.counts:
            counts[cluster] += counts[other]
        self.rows[cluster] += self.rows[other]
        self.rows[other] = []

    def is_diverse(self, cluster):
        return all((counts[cluster] > 0).sum() >= self.distinct for counts in self.counts)

    def brings_a_value(self, cluster, row):
        return any(
            (counts[cluster] > 0).sum() < self.distinct and counts[cluster, code] == 0
            for counts, code in zip(self.counts, self.sensitive[row], strict=True)
        )

    def are_open(self, row):
        made = len(self.rows)
        opened = self.size[:made] < self.k
        for counts, code in zip(self.counts, self.sensitive[row], strict=True):
            own = counts[:made, code]
            highest = np.maximum(counts[:made].max(axis=1), own + 1)
            opened &= (own == 0) | (highest / self.size[:made] < self.theta)
        return opened

    def is_satisfied(self, cluster):
        return (
            self.size[cluster] >= self.k
            and self.is_diverse(cluster)
            and all(c[cluster].max() / self.size[cluster] <= self.theta for c in self.counts)
        )

    def unions(self, cluster, others):
        total = self.size[cluster] + self.size[others]
        keeps, satisfies = np.ones(len(others), bool), total >= self.k
        for counts in self.counts:
            union = counts[others] + counts[cluster]
            keeps &= union.max(axis=1) / total <= self.theta
            satisfies &= (union > 0).sum(axis=1) >= self.distinct
        return keeps, satisfies

    def from_cluster_to_rows(self, cluster, rows):
        differ = [
            ~(values[cluster, codes] & (values[cluster].sum() == 1))
            for values, codes in zip(self.sets, self.nominal[rows].T, strict=True)
        ]
        return self.distance(
            self.size[cluster], self.mean[cluster], 1.0, self.numbers[rows], differ
        )

    def from_row_to_clusters(self, row, clusters):
        differ = [
            ~(values[clusters, code] & (values[clusters].sum(axis=1) == 1))
            for values, code in zip(self.sets, self.nominal[row], strict=True)
        ]
        return self.distance(
            self.size[clusters], self.mean[clusters], 1.0, self.numbers[row], differ
        )

    def from_cluster_to_clusters(self, cluster, others):
        differ = [(values[others] != values[cluster]).any(axis=1) for values in self.sets]
        return self.distance(
            self.size[cluster], self.mean[cluster], self.size[others], self.mean[others], differ
        )

    def distance(self, n1, mean1, n2, mean2, differ):
        total = 0.0 * (mean1 - mean2).sum(axis=-1)
        for j, weight in enumerate(self.weights):
            gap = mean1[..., j] - mean2[..., j]
            total = total + weight * (n1 * n2 / (n1 + n2) * (gap * gap))
        for flags, cost in zip(differ, self.costs, strict=True):
            total = total + cost * flags
        return total
