"""The three conditions counted by hand: shares nothing with the package."""

from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction


def broken(labels, columns, k, distinct, theta):
    """What is wrong with a partition; rows with a negative label are in no cluster."""
    clusters = defaultdict(list)
    for row, label in enumerate(labels):
        if label >= 0:
            clusters[label].append(row)
    problems = []
    for label, rows in clusters.items():
        if len(rows) < k:
            problems.append(f"cluster {label} has {len(rows)} rows")
        for j, column in enumerate(columns):
            counts = Counter(column[row] for row in rows)
            if len(counts) < distinct:
                problems.append(f"cluster {label} has {len(counts)} values in column {j}")
            if Fraction(max(counts.values()), len(rows)) > Fraction(str(theta)):
                problems.append(f"cluster {label} has too much of one value in column {j}")
    return problems


def partition(labels):
    """The clusters as a set of sets of rows, whatever they are called."""
    clusters = defaultdict(set)
    for row, label in enumerate(labels):
        if label >= 0:
            clusters[label].add(row)
    return {frozenset(rows) for rows in clusters.values()}
