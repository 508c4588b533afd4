from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from swapmeet.comparison.sums import LEAST, MOST, OF_ROWS, SAME, BeforeAfter, Sums


@dataclass(frozen=True)
class Findings(Sums):
    name: str = field(metadata=SAME)
    rows: int
    least: float = field(metadata=LEAST)
    most: np.ndarray = field(metadata=MOST)
    parts: tuple[int, ...]
    by_key: dict[str, int]
    absent: None
    records: np.ndarray | None = field(metadata=OF_ROWS)


def find(rows, least, most):
    most = np.array(most)
    return Findings("age", rows, least, most, (rows, 1), {"a": rows}, None, np.zeros(rows))


def test_each_field_adds_up_as_it_says():
    both = find(2, 0.5, [1.0, 4.0]) + find(3, -1.0, [2.0, 3.0])
    assert (both.name, both.rows, both.least) == ("age", 5, -1.0)
    assert both.most.tolist() == [2.0, 4.0]
    assert (both.parts, both.by_key, both.absent) == ((5, 2), {"a": 5}, None)


def test_values_of_single_rows_are_those_of_one_piece_only():
    assert find(2, 0.0, [0.0]).records is not None
    assert (find(2, 0.0, [0.0]) + find(1, 0.0, [0.0])).records is None


def test_findings_before_and_after_add_up_apart():
    both = BeforeAfter(1, np.array([1.0])) + BeforeAfter(2, np.array([3.0]))
    assert (both.before, both.after.tolist()) == (3, [4.0])
