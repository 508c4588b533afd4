"""Impurity of the answers of some rows: Gini's index of classes, or the variance of numbers.

`kinds` is the number of classes, 0 where answers are numbers. The sums of some rows are their
weights by class, or the weighted sum of their numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from swapmeet.base.jit import kernel

if TYPE_CHECKING:
    from swapmeet.base.arrays import Floats, Ints, Singles


class Lesson(NamedTuple):
    """Data that a tree learns from: columns of features, and answer and weight of each row."""

    features: Singles
    answers: Floats
    weights: Floats
    kinds: int


@kernel
def add_row(sums: Floats, answer: float, weight: float, kinds: int) -> None:
    """Add a row to sums; a negative weight takes it out."""
    if kinds > 0:
        sums[int(answer)] += weight
    else:
        sums[0] += weight * answer


@kernel
def add_up(lesson: Lesson, rows: Ints, begin: int, end: int, sums: Floats) -> tuple[float, float]:
    """The sums of some rows; their weight, and the sum of the squares of their numbers."""
    answers, weights, kinds = lesson.answers, lesson.weights, lesson.kinds
    weight, squares = 0.0, 0.0
    sums[:] = 0.0
    for at in range(begin, end):
        row = rows[at]
        answer, own = answers[row], weights[row]
        add_row(sums, answer, own, kinds)
        squares += own * answer * answer
        weight += own
    return weight, squares


@kernel
def measure_impurity(sums: Floats, weight: float, squares: float, kinds: int) -> float:
    """Measure how mixed answers with these sums are."""
    if kinds == 0:
        mean = sums[0] / weight
        return squares / weight - mean * mean
    return measure_gini(sums, sums, 0.0, weight)


@kernel
def measure_gini(total: Floats, part: Floats, sign: float, weight: float) -> float:
    """Gini's index of a part, or for `sign` = -1 of what is left of the total."""
    squares = 0.0
    for kind in range(len(part)):
        count = part[kind] if sign == 0.0 else total[kind] - part[kind]
        squares += count * count
    return 1.0 - squares / (weight * weight)


@kernel
def rate_cut(total: Floats, left: Floats, weight: float, on_left: float, kinds: int) -> float:
    """The better the purer both sides are; for numbers up to a constant."""
    on_right = weight - on_left
    if kinds == 0:
        rest = total[0] - left[0]
        return left[0] * left[0] / on_left + rest * rest / on_right
    right = on_right * measure_gini(total, left, -1.0, on_right)
    return -right - on_left * measure_gini(total, left, 0.0, on_left)
