from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.base.seeds import Seed
from swapmeet.engines import choose_engine
from swapmeet.measures.registry import chosen_measures
from swapmeet.plan.plan import Plan
from swapmeet.running.preparation import prepare as settle
from swapmeet.tuning.candidate import Candidate
from swapmeet.tuning.goal import Goal
from swapmeet.tuning.trial import Setting, Trial
from swapmeet.tuning.tuner import _set_up

CHEAP = ("pscr", "margins")


@pytest.fixture(scope="session")
def cheap():
    """A goal whose measures cost next to nothing."""
    return Goal(risk={"pscr": 1.0}, loss={"margins": 1.0}, balance=0.5)


@pytest.fixture(scope="session")
def table():
    """60 people with whole numbers, levels, an order and missing values."""
    rng = np.random.default_rng(3)
    n = 60
    wage = rng.lognormal(10, 0.5, n).round(2)
    wage[[4, 40]] = np.nan
    return pd.DataFrame(
        {
            "age": rng.integers(18, 90, n),
            "wage": wage,
            "sex": rng.choice(["female", "male", None], n, p=[0.5, 0.45, 0.05]),
            "grade": pd.Categorical.from_codes(rng.integers(0, 4, n), list("dcba"), ordered=True),
            "region": rng.choice(["north", "south"], n),
            "hours": rng.integers(0, 60, n),
        }
    )


@pytest.fixture(scope="session")
def numbers(table):
    """The columns that every method takes."""
    return table[["age", "hours"]].assign(wage=table["wage"].fillna(1.0))


@pytest.fixture(scope="session")
def prepare():
    """A trial runner and the setup of its study."""

    def make(data, *, schema=None, measures=CHEAP, known=None, seed=1):
        root = Seed.chosen_by_user(seed)
        ready = settle(Plan(), data, choose_engine(data), asked_by="tune", schema=schema)
        return _set_up(ready, chosen_measures(measures), known, 20_000, root)

    return make


@pytest.fixture(scope="session")
def bins():
    """A setting that differs from others by its number."""
    return lambda number: Setting.of(sm.SJPPDS(bins=number))


@pytest.fixture(scope="session")
def trial(bins):
    """A trial made up: its setting, repeat, risk and loss."""

    def make(number, repeat, risk=0.5, loss=0.5, **more):
        return Trial(bins(number), repeat, 0.1, {"pscr": risk, "margins": loss}, **more)

    return make


@pytest.fixture(scope="session")
def candidate(bins, cheap):
    """A candidate made up: risk and loss, each one number or one for each repeat."""

    def make(number, risk, loss, *, goal=cheap, owned=True, **others):
        shape = np.broadcast_shapes(np.shape(risk), np.shape(loss), (1,))
        figures = {"pscr": risk, "margins": loss, **others}
        figures = {n: np.broadcast_to(np.asarray(v, float), shape) for n, v in figures.items()}
        return Candidate(
            number, bins(number), {**figures, **goal.of(figures)}, owned=owned, goal=goal
        )

    return make
