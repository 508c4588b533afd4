"""Seven tables of people: their columns, roles, and what analysts ask of them."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

import swapmeet as sm
from kit.data import OUTLYING_MEN, read

ROWS = 2_000
"""Of a larger table so many random rows are taken."""
SAMPLE = 13
"""The seed of these rows."""


@dataclass(frozen=True, kw_only=True)
class Survey:
    """A table, its schema, the column that models explain, and the one that queries count."""

    name: str
    people: pd.DataFrame
    schema: sm.Schema
    explained: str
    counted: str

    @property
    def words(self) -> str:
        """What is in it, for the head of its section."""
        sensitive = ", ".join(self.schema.having(sm.Role.SENSITIVE))
        return (
            f"{len(self.people):,} rows × {self.people.shape[1]} columns; sensitive: {sensitive}. "
            f"Prediction and coefficients explain {self.explained}, queries count {self.counted}."
        )


def load_survey(name: str, *, rows: int | None = ROWS) -> Survey:
    """A table by its name; of a larger one a fixed random sample of so many rows."""
    people, explained, counted, schema = LOADERS[name]()
    if rows is not None and len(people) > rows:
        people = people.sample(rows, random_state=SAMPLE).reset_index(drop=True)
    return Survey(name=name, people=people, schema=schema, explained=explained, counted=counted)


Loaded = tuple[pd.DataFrame, str, str, sm.Schema]


def load_census() -> Loaded:
    """Twelve amounts of money of 1,080 tax payers; the first six are keys."""
    people = read("census").drop(columns="AFNLWGT").astype(float)
    return people, "FEDTAX", "PTOTVAL", split_in_half(people)


def load_tarragona() -> Loaded:
    """Thirteen accounting figures of 834 companies; the first six are keys."""
    people = read("tarragona").astype(float)
    return people, "SALES", "LABOR.COSTS", split_in_half(people)


def load_bodyfat() -> Loaded:
    """Body fat and thirteen measurements of 241 men, as in the RWN paper; body fat is sensitive."""
    men = read("bodyfat")
    men = men[~men["case"].isin(OUTLYING_MEN)].reset_index(drop=True)
    people = men.drop(columns=["case", "brozek", "density"]).astype(float)
    schema = sm.Schema.infer(people).assign(numeric=list(people), sensitive=["siri"])
    return people, "siri", "siri", schema


def load_fair() -> Loaded:
    """6,366 married women; affairs are sensitive."""
    return sm.datasets.load("fair"), "affairs", "affairs", sm.datasets.schema("fair")


def load_randhie() -> Loaded:
    """20,190 years of insured people; doctor visits and illnesses are sensitive."""
    return sm.datasets.load("randhie"), "mdvis", "mdvis", sm.datasets.schema("randhie")


def load_adult() -> Loaded:
    """32,561 people without their weight and the second name of education; income is 0 or 1."""
    people = read("adult").drop(columns=["fnlwgt", "education"])
    people["income"] = (people["income"] == ">50K").astype(int)
    numbers = ["age", "education-num", "capital-gain", "capital-loss", "hours-per-week", "income"]
    schema = sm.Schema.infer(people).assign(
        numeric=numbers,
        nominal=[name for name in people if name not in numbers],
        sensitive=["occupation", "income"],
    )
    return people, "income", "occupation", schema


def load_svcensus() -> Loaded:
    """20,090 programmers and engineers; their wages are sensitive."""
    people = read("svcensus").astype({"occ": str})
    schema = sm.Schema.infer(people).assign(
        numeric=["age", "wageinc", "wkswrkd"],
        nominal=["educ", "occ", "gender"],
        sensitive=["wageinc"],
    )
    return people, "wageinc", "occ", schema


def split_in_half(people: pd.DataFrame) -> sm.Schema:
    """Numbers, of which the first six are keys and the others sensitive."""
    names = list(people)
    return sm.Schema.infer(people).assign(numeric=names, key=names[:6], sensitive=names[6:])


LOADERS = {
    "census": load_census,
    "tarragona": load_tarragona,
    "bodyfat": load_bodyfat,
    "fair": load_fair,
    "adult": load_adult,
    "svcensus": load_svcensus,
    "randhie": load_randhie,
}
MIXED = ("fair", "adult", "svcensus", "randhie")
