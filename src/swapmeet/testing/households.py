"""A household survey for tests: members, positions, places, and values that differ or agree."""

from __future__ import annotations

from typing import Any

import numpy as np

from swapmeet.tables.schema import Column, Kind, Role, Schema
from swapmeet.testing.examples import Example

HOUSEHOLDS = 90
WATER = ("piped", "well", "river")
POSITIONS = ("head", "partner", "child")


def make_household_example(households: int = HOUSEHOLDS) -> Example:
    """People in households, in places; income and water belong to households."""
    schema = Schema(tuple(Column(name, *facts) for name, facts in FACTS.items()))
    return Example("households", make_households(households), schema)


FACTS = {
    "household": (Kind.NOMINAL, Role.HOUSEHOLD),
    "position": (Kind.NOMINAL, Role.POSITION),
    "region": (Kind.NOMINAL, Role.PLACE),
    "district": (Kind.NOMINAL, Role.PLACE),
    "water": (Kind.NOMINAL, Role.KEY),
    "rooms": (Kind.NUMERIC, Role.KEY),
    "income": (Kind.NUMERIC, Role.SENSITIVE),
    "age": (Kind.NUMERIC, Role.KEY),
    "sex": (Kind.NOMINAL, Role.KEY),
    "wage": (Kind.NUMERIC, Role.SENSITIVE),
    "weight": (Kind.NUMERIC, Role.WEIGHT),
}
"""Kind and role of the columns."""


def make_households(households: int, seed: int = 30) -> Any:
    """A table in which some values are missing and rows of a household are not side by side."""
    import pandas as pd

    rng = np.random.default_rng(seed)
    sizes = rng.choice([1, 2, 3, 4, 5], households, p=[0.2, 0.3, 0.25, 0.15, 0.1])
    home = np.repeat(np.arange(households), sizes)
    n = len(home)
    place = np.arange(n) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    district = rng.integers(0, 6, households)
    income = np.where(rng.random(households) < 0.1, np.nan, rng.lognormal(8, 0.6, households))
    people = pd.DataFrame(
        {
            "household": (rng.permutation(households) + 71_000)[home],
            "position": np.array(POSITIONS)[np.minimum(place, 2)],
            "region": np.array(["north", "south", "east"])[district[home] // 2],
            "district": np.array([f"D{number}" for number in range(6)])[district[home]],
            "water": np.array([*WATER, None], object)[rng.integers(0, 4, households)][home],
            "rooms": rng.integers(1, 7, households)[home],
            "income": income[home],
            "age": np.where(place < 2, rng.integers(20, 90, n), rng.integers(0, 20, n)),
            "sex": rng.choice(["f", "m"], n),
            "wage": np.where(rng.random(n) < 0.2, np.nan, rng.lognormal(7, 0.5, n)),
            "weight": rng.uniform(1, 9, households)[home],
        }
    )
    return people.take(rng.permutation(n)).reset_index(drop=True)
