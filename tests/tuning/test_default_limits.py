"""A search judges by the limits that assess judges by."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.measures.default_limits import are_default, list_default_limits

pytestmark = pytest.mark.filterwarnings("ignore::swapmeet.SwapmeetWarning")

ROLES = {
    "none": {},
    "weights": {"weight": ["weight"]},
    "households": {"household": ["home"]},
    "persons": {"person": ["person"]},
    "households and persons": {"household": ["home"], "person": ["person"]},
}


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(5)
    n = 48
    return pd.DataFrame(
        {
            "home": np.repeat(np.arange(n // 4), 4),
            "person": np.repeat(np.arange(n // 2), 2),
            "weight": rng.uniform(1.0, 2.0, n).round(2),
            "age": rng.integers(18, 90, n),
            "income": rng.lognormal(10.0, 0.5, n).round(),
        }
    )


@pytest.mark.parametrize("kind", ROLES)
def test_the_limits_of_a_search_are_those_of_assess(people, cheap, kind):
    roles = ROLES[kind]
    named = {name for names in roles.values() for name in names}
    data = people.drop(columns=[c for c in ("home", "person", "weight") if c not in named])
    study = sm.tune(
        data, ["rwn:k=3"], goal=sm.Goal(risk=cheap.risk, loss=cheap.loss), measures=[], repeats=1,
        final_repeats=1, workers=1, seed=1, **roles,
    )  # fmt: skip
    card = sm.assess(data, sm.mask(data, sm.RWN(k=3), seed=1, **roles))
    assert study.limits == card.verdict.limits
    assert are_default(study.limits)
    assert set(study.limits) <= set(study.setup.measures)


def test_limits_with_another_figure_are_somebody_s_own():
    usual = list_default_limits({"household", "person"})
    assert are_default(usual)
    assert not are_default({**usual, "household-linkage": 0.1})
    assert not are_default({})
