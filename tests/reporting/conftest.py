from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.tuning import Grid, tune

SEED = 731_928_465_019_283_745
GRID = Grid("rwn", {"k": [3, 15], "q": [0.5, 0.87], "weights": [0.1]})
MEASURES = ("pscr", "dbrl", "correlations", "margins", "cell-distance", "uniqueness")


@pytest.fixture(scope="session")
def canaries():
    """A table in which each cell can be recognised; one column has a name with markup."""
    rng = np.random.default_rng(5)
    n = 150
    codes = rng.choice(np.arange(4_000_000, 9_000_000), (2, n), replace=False)
    return pd.DataFrame(
        {
            "name": [f"canary{number}" for number in codes[0]],
            "income": codes[1] + 0.25,
            "<script>alert('age')</script>": rng.normal(50.0, 9.0, n) + 0.123456789,
            "town & region": rng.choice(["kanarien-north", "kanarien-south", "kanarien-west"], n),
            "weight": rng.uniform(1.0, 2.0, n),
        }
    )


@pytest.fixture(scope="session")
def schema(canaries):
    return sm.Schema.guess(canaries, {}).assign(
        drop=["name"], keep=["weight"], sensitive=["income"], nominal=["town & region"]
    )


@pytest.fixture(scope="session")
def study(canaries, schema):
    """A real search."""
    return tune(
        canaries, [GRID, "nbrs:eps=1.5:q=0.25:weights=0.1", "noise:level=0.3"],
        limit={"dbrl": 0.5}, repeats=3, final_repeats=3, schema=schema, seed=1, workers=1,
    )  # fmt: skip


@pytest.fixture(scope="session")
def release(canaries, schema, study, masked):
    """A release with the setting that the study recommends, and a seed that can be recognised."""
    return masked(canaries, study.best.method, schema=schema, seed=SEED)


@pytest.fixture(scope="session")
def card(canaries, schema, release):
    return sm.assess(
        canaries, release, schema=schema, measures=MEASURES,
        models=["income ~ weight + C(`town & region`)"], pca=["income", "weight"],
        tables=[["town & region"]], rare=['`town & region` = "kanarien-west" and income > 8000000'],
        profile=True,
    )  # fmt: skip


@pytest.fixture(scope="session")
def secrets(canaries, release):
    """Texts that would give a cell or the seed away."""
    whole = [str(int(value)) for value in canaries["income"]]
    fine = [f"{value:.6f}" for value in canaries.iloc[:, 2]]
    return [
        "canary",
        "kanarien",
        str(SEED),
        f"{SEED:x}",
        release.audit.seed.key.hex(),
        *whole,
        *fine,
    ]
