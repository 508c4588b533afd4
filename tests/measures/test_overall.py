from __future__ import annotations

import numpy as np
import pytest

from swapmeet.comparison.score import Direction, Family, Score, Undefined
from swapmeet.measures.overall import overall


def card(**values):
    names = {name.replace("_", "-"): value for name, value in values.items()}
    return {
        name: Score(name, value, "So.", Direction.LOWER, (0.0, 1.0), Family.RISK,
                    undefined="" if value == value else "unknown")
        for name, value in names.items()
    }  # fmt: skip


LOSS = {"propensity": 0.3, "pil": 0.2, "cbil": 0.1}


def test_equation_4_is_the_mean_of_mean_risk_and_mean_loss():
    found = overall(card(dbrl=0.6, rid=0.3, sdid=0.0, **LOSS))
    assert (found.risk, found.loss) == pytest.approx((0.3, 0.2))
    assert found.score == pytest.approx((0.6 + 0.3 + 0.0 + 0.3 + 0.2 + 0.1) / 6)
    assert found.basis == "by the true owners"


def test_sorted_risk_counts_only_where_the_owners_are_unknown():
    both = {"dbrl": np.nan, "rid": 0.3, "sdid": 0.0, "dbrl_sorted": 0.1, "rid_sorted": 0.1,
            "sdid_sorted": 0.1}  # fmt: skip
    found = overall(card(**both, **LOSS))
    assert found.risk == pytest.approx(0.1)
    assert "may flatter" in found.sentence


def test_what_is_not_defined_is_named():
    with pytest.raises(Undefined, match="pil is not defined"):
        overall(card(dbrl=0.6, rid=0.3, sdid=0.0, propensity=0.3, cbil=0.1))
