"""Small tables of made people with what is to be done with their columns: one for each concern."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

import swapmeet as sm

if TYPE_CHECKING:
    from collections.abc import Callable

AGES = np.array(["0-17", "18-34", "35-64", "65+"])


class Task(NamedTuple):
    """A table, roles of its columns, and kinds where the guess is wrong."""

    data: pd.DataFrame
    roles: dict[str, Any]
    kinds: dict[str, Any]

    @property
    def schema(self) -> sm.Schema:
        return sm.Schema.infer(self.data).assign(**self.roles, **self.kinds)


def make_people(n: int = 160) -> pd.DataFrame:
    """Numbers, dates, ordered categories, texts and flags; a number, a weight and a region."""
    rng = np.random.default_rng(1)
    grade = rng.integers(0, 4, n)
    return pd.DataFrame(
        {
            "id": [f"person-{number}" for number in rng.permutation(n) + 610_000],
            "age": rng.integers(0, 95, n),
            "income": (rng.lognormal(9.5, 0.6, n) * (1 + grade)).round(2),
            "since": pd.Timestamp("1990-01-01") + pd.to_timedelta(rng.integers(0, 9999, n), "D"),
            "grade": pd.Categorical.from_codes(grade, list("dcba"), ordered=True),
            "town": rng.choice(["Aarau", "Basel", "Chur", "Davos", "Zug"], n),
            "member": rng.random(n) < 0.4,
            "region": rng.choice(["north", "south"], n),
            "weight": (rng.random(n) + 0.5).round(3),
        }
    )


def add_gaps(people: pd.DataFrame) -> pd.DataFrame:
    rng = np.random.default_rng(2)
    holed = people.astype({"age": "Int64", "member": "boolean"})
    for name in ("age", "income", "since", "grade", "town", "member"):
        holed[name] = holed[name].mask(rng.random(len(holed)) < 0.1)
    return holed


def add_codes(people: pd.DataFrame) -> pd.DataFrame:
    rng = np.random.default_rng(3)
    coded = people.copy()
    coded["age"] = coded["age"].mask(rng.random(len(coded)) < 0.1, -9)
    coded["income"] = coded["income"].mask(rng.random(len(coded)) < 0.1, -8.0)
    return coded


def add_bonds(people: pd.DataFrame) -> pd.DataFrame:
    """Height and weight with an index of both, an age group, sums, and nobody married young."""
    rng = np.random.default_rng(4)
    n, age = len(people), people["age"]
    height = rng.normal(1.7, 0.1, n).round(2)
    mass = (height**2 * rng.normal(24, 3, n)).round(1)
    wages, other, extra = rng.integers(0, 5000, (3, n))
    return people[["age", "town"]].assign(
        height=height, mass=mass, bmi=(mass / height**2).round(1),
        group=AGES[np.digitize(age, [18, 35, 65])],
        marital=np.where((age >= 18) & (rng.random(n) < 0.6), "married", "unwed"),
        wages=wages, other=other, total=wages + other, turnover=wages + other + extra // 20,
    )  # fmt: skip


def make_homes(homes: int = 60) -> pd.DataFrame:
    """People in households: place, rooms and weight are the home's, the rest is the person's."""
    rng = np.random.default_rng(5)
    sizes = rng.choice([1, 2, 3, 4], homes)
    home = np.repeat(np.arange(homes), sizes)
    line = np.concatenate([np.arange(size) for size in sizes])
    district = rng.integers(0, 6, homes)[home]
    n = len(home)
    return pd.DataFrame(
        {
            "home": home + 100,
            "relation": np.array(["head", "partner", "child", "child"])[line],
            "region": district // 3,
            "district": district,
            "rooms": rng.integers(1, 7, homes)[home],
            "age": np.where(line < 2, rng.integers(20, 90, n), rng.integers(0, 20, n)),
            "sex": rng.choice(["f", "m"], n),
            "wage": rng.gamma(2, 900, n).round(),
            "weight": rng.choice([1.0, 1.5, 2.0], homes)[home],
        }
    )


def make_visits(people: int = 70) -> pd.DataFrame:
    """Several rows for each person."""
    rng = np.random.default_rng(6)
    person = np.repeat(np.arange(people), rng.integers(1, 5, people))
    n = len(person)
    return pd.DataFrame(
        {
            "person": person + 500,
            "sex": rng.choice(["f", "m"], people)[person],
            "born": rng.integers(1930, 2005, people)[person],
            "pressure": rng.normal(130, 15, n).round(),
            "ward": rng.choice(list("ABC"), n),
        }
    )


def _load(name: str, rows: int) -> Callable[[], pd.DataFrame]:
    return lambda: sm.datasets.load(name).head(rows)


PERSONAL: dict[str, Any] = {"drop": ["id"], "weight": ["weight"], "sensitive": ["income"]}
HOMES: dict[str, Any] = {"household": "home", "position": "relation", "weight": "weight"}
BONDS: dict[str, Any] = {
    "together": [["height", "mass"]],
    "derive": ["bmi = mass / height ** 2", "group = lookup(age)", "total = wages + other",
               "turnover = total + rest"],
    "rule": ["age >= 18 or marital = 'unwed'"],
}  # fmt: skip
STEPS = ["age: top 80", "age: bottom 10", "income: round 500", "since: year",
         "town: group Chur, Zug = east"]  # fmt: skip
RARE = ["age: cut 0, 18, 65", "town: suppress rare 30"]
_MADE: dict[str, tuple[Callable[[], pd.DataFrame], dict[str, Any], dict[str, Any]]] = {
    "plain": (make_people, PERSONAL, {}),
    "kinds": (make_people, PERSONAL, {"ordinal": "age", "nominal": ["member", "grade"]}),
    "gaps": (lambda: add_gaps(make_people()), PERSONAL, {}),
    "strata": (make_people, PERSONAL | {"strata": ["region"]}, {}),
    "strata with gaps": (
        lambda: add_gaps(make_people()).assign(region=["n", "s", None, "s"] * 40),
        PERSONAL | {"strata": ["region"]}, {},
    ),
    "small strata": (make_people, PERSONAL | {"strata": ["region", "member", "town"]}, {}),
    "keep": (make_people, {"drop": "id", "keep": ["weight", "member", "since"]}, {}),
    "published": (make_people, {"publish": ["id"], "keep": ["id"], "key": ["age", "town"]}, {}),
    "numbers": (lambda: make_people()[["age", "income", "weight"]], {"sensitive": "income"}, {}),
    "equal values": (
        lambda: make_people().assign(income=lambda t: t["income"].round(-5)).iloc[:40]
        .loc[lambda t: t.index.repeat(4)].reset_index(drop=True), PERSONAL, {},
    ),
    "odd index": (lambda: make_people().set_index(np.arange(160)[::-1] // 2), PERSONAL, {}),
    "codes": (lambda: add_codes(make_people()),
              PERSONAL | {"missing": {"age": [-9], "income": [-8]}}, {}),
    "recoded": (make_people, PERSONAL | {"recode": STEPS}, {}),
    "recoded rare": (
        lambda: add_codes(make_people()),
        PERSONAL | {"missing": {"age": [-9]}, "recode": RARE}, {},
    ),
    "bound": (lambda: add_bonds(make_people()), BONDS, {}),
    "bound and recoded": (
        lambda: add_bonds(make_people()),
        BONDS | {"unrepaired": "leave", "recode": "town: group rare 33 = x"}, {},
    ),
    "homes": (make_homes, HOMES | {"sensitive": "wage"}, {}),
    "homes with places": (make_homes, HOMES | {"place": ["region", "district"]}, {}),
    "whole homes": (make_homes, HOMES | {"place": ["region", "district"], "whole_households": True},
                    {}),
    "visits": (make_visits, {"person": "person", "sensitive": "pressure"}, {}),
    "homes and persons": (
        lambda: make_homes().assign(person=lambda t: np.arange(len(t)) + 7)
        .loc[lambda t: t.index.repeat(1 + t["rooms"] % 2)].reset_index(drop=True),
        {"household": "home", "person": "person", "keep": "weight"}, {},
    ),
    "empty column": (lambda: make_people().assign(never=np.nan, same="x"), {"drop": "id"}, {}),
    "eight rows": (lambda: make_people(8), {"drop": "id"}, {}),
    "diabetes": (_load("diabetes", 200), {"sensitive": "target"}, {"nominal": "sex"}),
    "fair": (_load("fair", 250), {"sensitive": "affairs"}, {"ordinal": ["rate_marriage", "educ"]}),
    "anes96": (_load("anes96", 200), {"sensitive": ["vote"], "together": [["popul", "logpopul"]]},
               {"nominal": "vote"}),
    "breast_cancer": (_load("breast_cancer", 120), {"sensitive": "diagnosis"}, {}),
    "no such column": (make_people, {"drop": ["id"], "keep": ["wieght"]}, {}),
    "roles that conflict": (make_people, {"drop": "id", "publish": "id"}, {}),
    "nothing to mask": (make_people, {"keep": list(make_people(2).columns)}, {}),
    "wrong step": (make_people, {"drop": "id", "recode": "town: top 5"}, {}),
    "wrong tie": (make_people, {"drop": "id", "derive": "age = incme + 1"}, {}),
    "wrong codes": (make_people, {"drop": "id", "missing": {"age": [-5]}}, {}),
    "identifier": (make_people, {"sensitive": "income"}, {}),
}  # fmt: skip
TASKS = {name: Task(make(), roles, kinds) for name, (make, roles, kinds) in _MADE.items()}
