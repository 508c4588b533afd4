from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.running.protecting.loop import DEAR, DONE, HELPLESS, SPENT

pytestmark = pytest.mark.filterwarnings("ignore")


def test_where_masking_alone_costs_too_much_no_step_is_tried(people):
    done = sm.protect(people, sm.RWN(k=2, weights=0.1), sensitive=["income"], seed=3, loss=0.0)
    assert done.summary.loss_before > 0.0
    assert done.summary.steps == ()
    assert done.summary.stopped == DEAR
    assert done.summary.sentence.startswith("Protection was raised for nobody")
    assert DEAR in done.release.notes[-1]


@pytest.mark.slow
def test_the_loss_limit_is_kept_to_the_last_step(people, protected):
    between = (protected.summary.loss_before + protected.summary.loss_after) / 2
    done = sm.protect(people, sm.RWN(k=2, weights=0.1), sensitive=["income"], seed=3, loss=between)
    assert done.summary.loss_after <= between
    dear = [step for step in done.summary.steps if step.loss > between]
    assert dear
    assert not any(step.taken for step in dear)
    assert len({step.what for step in dear}) == len(dear), "a dear step is tried once"


@pytest.mark.slow
def test_a_step_that_costs_too_much_keeps_no_other_from_being_tried(people, protected):
    """Whoever trades again far away may cost more than a few cells that are left out."""
    between = (protected.summary.loss_before + protected.summary.loss_after) / 2
    done = sm.protect(people, sm.RWN(k=2, weights=0.1), sensitive=["income"], seed=3, loss=between)
    words = [step.what for step in done.summary.steps]
    assert any("suppressed" in what for what in words) or not done.summary.left
    assert done.summary.stopped in {SPENT, DONE, HELPLESS}


def test_others_who_would_stand_out_are_told_where_a_step_is_undone():
    rng = np.random.default_rng(4)
    numbers = np.r_[np.zeros(90), rng.integers(1, 9, 10) * 1000.0]
    crowd = pd.DataFrame({"a": numbers, "b": numbers * rng.choice([1, 2], 100)})
    done = sm.protect(crowd, sm.RWN(k=3), seed=2)
    undone = [step for step in done.summary.steps if not step.taken]
    for step in undone:
        assert step.left >= step.exposed
        assert step.why == "it frees nobody" or "would stand out" in step.why


@pytest.mark.slow
@pytest.mark.parametrize("seed", [5, 6])
def test_no_intruder_of_the_card_finds_more_than_the_limit_where_nobody_is_left(seed):
    """Totals tie the columns together; whoever knows the steps alone finds more here than with
    the list of people."""
    rng = np.random.default_rng(1)
    parts = np.round(np.exp(rng.normal(9, 1, (150, 4))))
    table = pd.DataFrame(parts, columns=list("abcd"))
    table["ab"], table["cd"], table["all"] = table.a + table.b, table.c + table.d, parts.sum(axis=1)
    done = sm.protect(table, sm.RWN(k=5, weights=0.1), seed=seed)
    assert done.summary.left <= 3
    assert done.after["linkage"].value <= done.summary.limit
