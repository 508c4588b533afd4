"""Small tables of many types on which methods and measures are checked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Any

import numpy as np

from swapmeet.methods import Method
from swapmeet.tables.frame import Frame, Table
from swapmeet.tables.microdata import Microdata
from swapmeet.tables.schema import Column, Kind, Role, Schema

ROWS = 240
MANY_ROWS = 4_000


@dataclass(frozen=True, repr=False)
class Example:
    """A generated table with its schema."""

    label: str
    data: Frame
    schema: Schema

    def __repr__(self) -> str:
        return f"<Example {self.label!r}>"


def examples() -> tuple[Example, ...]:
    """Tables of people with income, age, since, grade, town and member to mask.

    They also have an `id` to drop, a `weight` to keep and, in one, a `region` as stratum.
    """
    plain = make_people(ROWS)
    made = [
        make_example("plain", plain),
        make_example("missing values", add_missing(plain)),
        make_example(
            "ties", plain.assign(income=plain["income"].round(-5), age=plain["age"] // 20)
        ),
        make_example("duplicates", plain.take(np.arange(ROWS) // 4).reset_index(drop=True)),
        make_example("strata", add_regions(plain), strata=["region"]),
        make_example("many rows", make_people(MANY_ROWS)),
        make_example("odd index", plain.set_index(np.arange(ROWS)[::-1] // 2)),
        make_example("pyarrow", _to_arrow(add_missing(plain))),
    ]
    if find_spec("polars"):
        made.append(make_example("polars", _to_polars(add_missing(plain))))
    return tuple(made)


def only(example: Example, *names: str) -> Example:
    """The example with no other masked columns than these; the other masked ones are kept."""
    others = [name for name in example.schema.masked if name not in names]
    return replace(example, schema=example.schema.assign(keep=others))


def fit_example(method: Method, example: Example) -> Example:
    """The example with no other masked columns than those that the method can mask."""
    data = Microdata.of(Table(example.data), example.schema)
    refused = method.refused_columns(data)
    return only(example, *(name for name in data.names if name not in refused))


def make_example(label: str, data: Frame, *, strata: Iterable[str] = ()) -> Example:
    """A table of these people with its schema."""
    names = data.column_names if hasattr(type(data), "column_names") else data.columns
    columns = tuple(Column(name, *FACTS[name]) for name in names)
    return Example(label, data, Schema(columns).assign(strata=strata))


FACTS = {
    "id": (Kind.NOMINAL, Role.DROP),
    "income": (Kind.NUMERIC, Role.SENSITIVE),
    "age": (Kind.NUMERIC, Role.KEY),
    "weight": (Kind.NUMERIC, Role.KEEP),
    "since": (Kind.NUMERIC, Role.KEY),
    "grade": (Kind.ORDINAL, Role.KEY),
    "town": (Kind.NOMINAL, Role.KEY),
    "member": (Kind.NOMINAL, Role.KEY),
    "region": (Kind.NOMINAL, Role.STRATA),
}
"""Kind and role of the columns of the examples."""


def make_people(n: int) -> Any:
    """People with columns of many types."""
    import pandas as pd

    rng = np.random.default_rng(20)
    towns = [f"Town-{number}" for number in range(482_911, 482_916)]
    return pd.DataFrame(
        {
            "id": [f"person-{number}" for number in rng.permutation(n) + 610_000],
            "income": rng.lognormal(10.7, 0.5, n),
            "age": rng.integers(18, 90, n),
            "weight": rng.random(n) + 0.5,
            "since": pd.Timestamp("1990-01-01") + pd.to_timedelta(rng.integers(0, 9999, n), "D"),
            "grade": pd.Categorical.from_codes(rng.integers(0, 4, n), list("dcba"), ordered=True),
            "town": rng.choice(towns, n),
            "member": rng.random(n) < 0.4,
        }
    )


def add_missing(people: Any) -> Any:
    """The people without some of their values."""
    rng = np.random.default_rng(21)
    holed = people.astype({"age": "Int64", "member": "boolean"})
    for name in ("income", "age", "since", "grade", "town", "member"):
        holed[name] = holed[name].mask(rng.random(len(holed)) < 0.1)
    return holed


def add_regions(people: Any) -> Any:
    """The people with a column of strata."""
    regions = np.array(["north", "south", None], dtype=object)
    return people.assign(region=regions[np.arange(len(people)) % 3])


def _to_arrow(people: Any) -> Any:
    import pyarrow as pa

    return pa.Table.from_pandas(people, preserve_index=False)


def _to_polars(people: Any) -> Any:
    import polars as pl

    frame = pl.DataFrame(_to_arrow(people))
    return frame.with_columns(pl.col("grade").cast(pl.Enum(list("dcba"))))


HOUSEHOLDS = 90
WATER = ("piped", "well", "river")
POSITIONS = ("head", "partner", "child")


def make_household_example(households: int = HOUSEHOLDS) -> Example:
    """People in households, in places; income and water belong to households."""
    schema = Schema(tuple(Column(name, *facts) for name, facts in HOUSEHOLD_FACTS.items()))
    return Example("households", make_households(households), schema)


HOUSEHOLD_FACTS = {
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
