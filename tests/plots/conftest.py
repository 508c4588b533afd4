from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import swapmeet as sm
from swapmeet.tuning.trial import Setting, Trial
from swapmeet.tuning.trial_table import TrialTable


@pytest.fixture(scope="session")
def crowded(study_of):
    """500 settings of eight methods."""
    rng = np.random.default_rng(3)
    methods = [
        *(sm.RWN(k=k, q=q) for k in range(2, 62) for q in (0.5, 1.0)),
        *(sm.SJPPDS(bins=bins) for bins in range(2, 102)),
        *(sm.Noise(level=level / 100) for level in range(1, 101)),
        *(sm.Microaggregation(k=k) for k in range(2, 62)),
        *(sm.RankSwap(window=window / 60) for window in range(1, 41)),
        *(sm.MEDS(k=k) for k in range(2, 32)),
        *(sm.Cart(min_leaf=k) for k in range(1, 31)),
        *(sm.MEWS(bins=bins) for bins in range(2, 22)),
    ]
    share = rng.uniform(0.02, 0.98, len(methods))
    more = rng.uniform(1.0, 1.6, len(methods))
    return study_of(
        {
            m: (0.5 * f * (1 - s) ** 2, 0.5 * f * s)
            for m, s, f in zip(methods, share, more, strict=True)
        },
        {"dbrl": 0.2, "dcr": 0.9},
    )


@pytest.fixture(scope="session")
def once(study_of):
    """A study of one run of each setting."""
    study = study_of({sm.RWN(k=2): (0.5, 0.1)}, {"dbrl": 0.3})
    trials = TrialTable()
    for k in (2, 10, 50):
        figures = {"dbrl": 1 / k, "pil": k / 100, "dcr": 1.0}
        trials.add(Trial(Setting.of(sm.RWN(k=k)), 0, 0.1, figures))
    return replace(study, trials=trials)
