from __future__ import annotations

import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.comparison.table_size import TOO_FEW


@pytest.mark.parametrize(("rows", "decided"), [(8, False), (TOO_FEW, True)])
def test_few_rows_are_never_called_safe(rows, decided):
    people = pd.DataFrame({"age": range(20, 20 + rows), "sex": ["f", "m"] * (rows // 2)})
    release = sm.mask(people, sm.MatchedSwap(k=4), keep=["sex"])
    verdict = sm.assess(people, release, measures=["pscr"], limits={"pscr": 1.0}).verdict
    assert verdict.safe == decided
    if not decided:
        assert verdict.sentence.startswith("Not decided under your limits: there are only 8 rows")
        assert len(verdict.advice) == 1
        assert verdict.advice[0].startswith("Nothing can be advised: there are only 8 rows, and")


def test_a_search_on_eight_rows_advises_nothing():
    people = pd.DataFrame({"age": range(20, 28), "sex": ["f", "m"] * 4})
    study = sm.tune(people, ["matched-swap:k=2|4"], limit={}, repeats=1, final_repeats=1,
                    goal=sm.Goal(risk={"pscr": 1.0}, loss={"margins": 1.0}), workers=1)  # fmt: skip
    assert study.choice.sentences[0].startswith("Nothing can be advised: there are only 8 rows")
