from __future__ import annotations

import numpy as np
import pytest

from swapmeet.release.protection import Protection, ProtectionStep, ProtectionSummary

TRADED = ProtectionStep(
    what="traded again", exposed=12, left=1, rows=20, cells=1, loss=0.12345, taken=True
)
UNDONE = ProtectionStep(
    what="cells suppressed in 1 column", exposed=1, left=2, rows=5, cells=5, loss=0.2, taken=False,
    why="2 other people would stand out",
)  # fmt: skip


def summarize(**changes):
    facts = {
        "people": 300, "sought": 300, "limit": 0.2, "loss_limit": None, "exposed": 12,
        "protected": 14, "left": 1, "marked": 0, "loss_before": 0.1, "loss_after": 0.12,
        "steps": (TRADED, UNDONE), "stopped": "nothing helps",
    }  # fmt: skip
    return ProtectionSummary(**facts | changes)


def test_steps_are_told_with_their_figures():
    assert (
        TRADED.sentence == "traded again: 12 → 1 person above the limit, 1 cell changed, loss 0.123"
    )
    assert UNDONE.sentence.endswith(
        "1 → 2 people above the limit; undone, for 2 other people would stand out"
    )


def test_the_summary_tells_who_came_later_and_only_steps_that_were_kept():
    assert summarize().sentence == (
        "Protection was raised for 14 people (traded again): after masking 12 of 300 people were "
        "above the limit of 0.2, now 1 is. 2 people stood out only when others had been treated."
    )
    alone = summarize(exposed=1, protected=1, left=0)
    assert alone.sentence == (
        "Protection was raised for 1 person (traded again): after masking 1 of 300 people was "
        "above the limit of 0.2, now nobody is."
    )


def test_where_nothing_was_kept_the_reason_is_told():
    told = summarize(protected=0, left=12, steps=(UNDONE,)).sentence
    assert told == (
        "Protection was raised for nobody: 12 of 300 people are above the limit of 0.2, and "
        "nothing helps."
    )


@pytest.mark.parametrize(
    ("left", "words"), [(0, "none of all people are"), (1, "1 of all people is")]
)
def test_insiders_are_told_counts_and_no_people(left, words):
    secret = Protection(
        (None, None), np.zeros(50, int), np.arange(50), np.array([41, 43, 47]), np.arange(left) + 40
    )
    assert secret.sentence == (
        "Protection was raised for 3 people after masking, in 2 steps; "
        f"{words} still above the limit."
    )
