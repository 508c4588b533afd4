from __future__ import annotations

import numpy as np
import pytest

from swapmeet.comparison.knowledge import Knowledge
from swapmeet.intruders.links.intruder import Intruder
from swapmeet.intruders.record_agreement import CopiedRows
from swapmeet.measures.risk.exposure import Exposure


def link(hits, sure):
    return Intruder(
        knows=("a",), level=Knowledge.KEYS, knows_method=True, way="guesses",
        hits=np.array(hits, float), sure=np.array(sure, float),
    )  # fmt: skip


def test_a_right_link_among_many_alike_that_are_wrong_is_luck():
    alike = link([1, 0, 0, 0, 0, 0, 0, 0], [2.0] * 8)
    assert alike.chances.tolist() == [0.125, 0, 0, 0, 0, 0, 0, 0]


def test_a_lone_sure_link_that_is_right_counts():
    sure = link([1, 0, 0, 0, 1, 0, 0, 0], [9.0, 1, 1, 1, 1, 1, 1, 1])
    assert sure.chances[0] == 1.0
    assert sure.chances[4] == pytest.approx(1 / 7)


def test_surer_links_are_right_at_least_as_often():
    odd = link([1, 1, 0, 0], [1.0, 2, 3, 4])
    assert odd.chances.tolist() == [0.5, 0.5, 0, 0]


def test_the_worst_of_three_counts_and_people_may_be_counted_twice():
    exposure = Exposure(
        found=np.array([0.1, 0.5, 0.0]), unmoved=np.array([0.0, 0.25, 0.3]),
        sought=np.arange(3), copies=CopiedRows.none(),
    )  # fmt: skip
    assert exposure.list_above(0.2).tolist() == [1, 2]
    assert exposure.count_above(0.2) == {"found": 1, "copied": 0, "unmoved": 2}
    assert "0.5" not in repr(exposure)
