from __future__ import annotations

import numpy as np

from swapmeet.methods import RWN
from swapmeet.tuning.goal import Goal
from swapmeet.tuning.trial import Setting, Trial
from swapmeet.tuning.trial_table import TrialTable

GOAL = Goal(risk={"pscr": 1.0}, loss={"margins": 1.0})


def test_a_release_that_kept_a_limit_by_chance_is_outvoted_by_others():
    table, setting = TrialTable(), Setting.of(RWN(k=5))
    table.add(Trial(setting, 0, 1.0, {"pscr": 0.1, "margins": 0.2}, "", True, {}))
    for repeat, copies in enumerate((0.0, 0.02, 0.03)):
        table.add(Trial(setting, repeat, 2.0, {"copies": copies, "pscr": 0.3}, "", True, {},
                        check=True))  # fmt: skip
    (one,) = table.candidates(GOAL)
    assert table.count_checks(setting) == 3
    assert (table.checks, table.mean_seconds, table.predict_check()) == (1, 1.0, 2.0)
    np.testing.assert_allclose((one.median("copies"), one.median("pscr")), (0.02, 0.3))
    assert one.find_missed({"copies": 0.01}) == {"copies": 0.01}
