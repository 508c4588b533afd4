"""Files as statistical offices have them, made from a seed: a household survey, a business survey.

Nothing in them is about anybody.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd

REGIONS = {"Süd": ("Altötting", "Füssen", "Kötzting"), "Nord": ("Büsum", "Husum", "Jever"),
           "West": ("Düren", "Kleve", "Wesel"), "Ost": ("Görlitz", "Löbau", "Zeitz")}  # fmt: skip
AGE_GROUPS = (0, 15, 25, 45, 65, 120)
SECTORS = ("C10", "C25", "F41", "G46", "G47", "H49", "I56", "M69")


def make_households(households: int = 1200, seed: int = 7) -> pd.DataFrame:
    """One row per person: household and place, a weight, a position, codes for missing values.

    Nobody under 16 is other than single, an age group follows from the age, and all members of a
    household share its place, its weight, its water supply and its number of rooms.
    """
    rng = np.random.default_rng(seed)
    homes = _make_homes(households, rng)
    size = rng.choice([1, 2, 3, 4, 5, 6], households, p=[0.28, 0.3, 0.17, 0.15, 0.07, 0.03])
    people = homes.loc[np.repeat(homes.index, size)].reset_index(drop=True)
    people.insert(1, "person_no", np.concatenate([np.arange(1, n + 1) for n in size]))
    people["hh_size"] = np.repeat(size, size)
    return _fill_in_people(people, rng)


def _make_homes(households: int, rng: np.random.Generator) -> pd.DataFrame:
    districts = [(region, one) for region, several in REGIONS.items() for one in several]
    place = rng.choice(len(districts), households, p=np.linspace(3, 1, 12) / 24)
    factor = np.linspace(80, 240, 12)[place]
    return pd.DataFrame(
        {
            "hh_id": rng.permutation(np.arange(10_001, 10_001 + households)),
            "region": [districts[p][0] for p in place],
            "district": [districts[p][1] for p in place],
            "weight": np.round(factor * rng.choice([0.8, 1.0, 1.25], households), 1),
            "water_supply": rng.choice(["pipe", "well", "tank"], households, p=[0.8, 0.15, 0.05]),
            "rooms": np.clip(rng.poisson(3.2, households), 1, 9),
        }
    )


def _fill_in_people(people: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    n = len(people)
    is_child = people["person_no"] > 2
    head = rng.integers(19, 90, people["hh_id"].nunique())
    age = np.repeat(head, people.groupby("hh_id", sort=False).size().to_numpy())
    age = np.where(people["person_no"] == 2, np.clip(age + rng.normal(0, 5, n), 18, 95), age)
    age = np.where(is_child, np.clip(age - rng.integers(20, 40, n), 0, 60), age).astype(int)
    relation = np.array(["head", "partner", "child"])[np.clip(people["person_no"], 1, 3) - 1]
    people["relation"] = relation
    people["age"] = age
    groups = [f"{low}-{high - 1}" for low, high in pairwise(AGE_GROUPS)]
    people["age_group"] = np.array(groups)[np.searchsorted(AGE_GROUPS, age, "right") - 1]
    people["sex"] = rng.integers(1, 3, n)
    single = (age < 16) | (rng.random(n) < np.where(age < 30, 0.8, 0.2))
    other = np.where(age > 65, rng.choice(["married", "widowed"], n), "married")
    people["marital"] = np.where(single, "single", np.where(rng.random(n) < 0.1, "divorced", other))
    income = np.round(np.exp(rng.normal(7.4, 0.6, n)) + 12 * np.clip(age - 18, 0, 40), -1)
    income = np.where(age < 16, 0, income).astype(int)
    people["income"] = np.where((rng.random(n) < 0.06) & (age >= 16), -9, income)
    return people


def make_businesses(rows: int = 1500, seed: int = 8) -> pd.DataFrame:
    """One row per business: turnover = domestic + export, profit = turnover - costs."""
    rng = np.random.default_rng(seed)
    staff = np.clip(np.round(np.exp(rng.normal(2.4, 1.1, rows))), 1, None).astype(int)
    drawn = np.array([24.0, 9.0, 3.5, 1.0])[np.searchsorted([10, 50, 250], staff, "right")]
    turnover = staff * np.exp(rng.normal(4.6, 0.5, rows))
    domestic = np.round(turnover * rng.uniform(0.3, 1.0, rows), 1)
    export = np.where(rng.random(rows) < 0.4, 0.0, np.round(turnover - domestic, 1))
    total = np.round(domestic + export, 1)
    costs = np.round(total * rng.uniform(0.6, 1.1, rows), 1)
    return pd.DataFrame(
        {
            "sector": rng.choice(SECTORS, rows),
            "region": rng.choice(list(REGIONS), rows),
            "employees": staff,
            "domestic": domestic,
            "export": export,
            "turnover": total,
            "costs": costs,
            "profit": np.round(total - costs, 1),
            "design_weight": np.round(drawn * rng.choice([0.95, 1.0, 1.08], rows), 2),
        }
    )
