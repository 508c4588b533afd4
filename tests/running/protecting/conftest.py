from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm


def make_people(n=60, seed=5):
    """People of whom one stands out."""
    rng = np.random.default_rng(seed)
    age = rng.integers(20, 80, n).astype(float)
    income = np.round(age * 700 + rng.normal(0, 4000, n), 2)
    income[7], age[7] = 900_000.0, 99.0
    return pd.DataFrame({"age": age, "sex": rng.choice(["f", "m"], n), "income": income})


@pytest.fixture(scope="session")
def people():
    return make_people()


@pytest.fixture(scope="session")
def protected(people):
    """Few neighbours: many people are found at first."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return sm.protect(people, sm.RWN(k=2, weights=0.1), sensitive=["income"], seed=3)
