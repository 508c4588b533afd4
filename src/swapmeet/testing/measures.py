"""The contract of a measure.

It is taken of a release, of an unchanged and of a blind one, and of odd tables; whatever is
promised of a score is asserted. A measure that cannot tell an unchanged release from a blind one
fails.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

from swapmeet.comparison.score import Family, Score
from swapmeet.errors import SwapmeetWarning
from swapmeet.measures.base import Measure
from swapmeet.methods import RWN
from swapmeet.running.assessing import assess
from swapmeet.running.masking import mask
from swapmeet.tables.frame import Frame
from swapmeet.tables.schema import Column, Kind, Schema
from swapmeet.testing.examples import ROWS, Example, examples
from swapmeet.testing.methods import SEED

NEARLY = 1e-9
UNCHANGED, BLIND = ", unchanged", ", blind"


def check_measure(measure: Measure) -> None:
    """Raise AssertionError unless `measure` keeps the contract.

    In the blind release each masked column is drawn at random, with replacement, regardless of all
    others.

    >>> from swapmeet.measures.risk.nearest_record import PSCR
    >>> check_measure(PSCR())
    """
    _check_family(measure)
    values: dict[str, float] = {}
    for label, original, released, schema in _pairs():
        score, again = (_score(measure, original, released, schema) for _ in range(2))
        _check_form(score, measure, label)
        if score.undefined:
            continue
        _check_figures(score, len(original), label)
        same = abs(score.value - again.value) <= NEARLY * max(abs(score.value), 1.0)
        _require(same, score, label, "has two values for the same tables")
        values[label] = score.value
    _check_difference(measure, values)


def _check_family(measure: Measure) -> None:
    if not isinstance(getattr(measure, "family", None), Family):
        raise AssertionError(
            f"{measure.name}: has no family; it must be Family.RISK or Family.UTILITY."
        )


def _check_difference(measure: Measure, values: dict[str, float]) -> None:
    """Require that some example has different scores unchanged and blind."""
    pairs = [
        (value, values[label.replace(UNCHANGED, BLIND)])
        for label, value in values.items()
        if label.endswith(UNCHANGED) and label.replace(UNCHANGED, BLIND) in values
    ]
    if all(abs(one - other) <= NEARLY * max(abs(one), 1.0) for one, other in pairs):
        raise AssertionError(
            f"{measure.name}: an unchanged release and a blind one have the same score."
        )


def _check_form(score: Score, measure: Measure, label: str) -> None:
    _require(score.measure == measure.name, score, label, "has another name")
    sentence = score.sentence
    whole = sentence.endswith(".") and (sentence[0].isupper() or sentence[0].isdigit())
    _require(whole, score, label, "says no whole sentence")
    valued = bool(np.isnan(score.value)) == bool(score.undefined)
    _require(valued, score, label, "has neither a value nor a reason, or both")
    try:
        json.dumps(score.to_dict(), allow_nan=False)
    except (TypeError, ValueError):
        _require(False, score, label, "has details that JSON does not hold")  # noqa: FBT003


def _check_figures(score: Score, rows: int, label: str) -> None:
    low, high = score.bounds
    inside = low - NEARLY <= score.value <= high + NEARLY
    _require(inside, score, label, f"has a value outside {score.bounds}")
    if score.interval is not None:
        below, above = score.interval
        around = below - NEARLY <= score.value <= above + NEARLY
        _require(around, score, label, "has an interval without its value")
    if score.records is not None:
        _require(len(score.records) == rows, score, label, "has values for other rows")


def _score(measure: Measure, original: Frame, released: Frame, schema: Schema) -> Score:
    return assess(original, released, schema=schema, match="rows", measures=[measure])[measure.name]


@cache
def _pairs() -> tuple[tuple[str, Frame, Frame, Schema], ...]:
    """Tables and releases of them."""
    return tuple(_make_pairs())


def _make_pairs() -> Iterator[tuple[str, Frame, Frame, Schema]]:
    rng = np.random.default_rng(30)
    for example in (*examples()[:4], _related(), _survey(), _patients()):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SwapmeetWarning)
            release = mask(example.data, RWN(k=5), schema=example.schema, seed=SEED)
        blind = release.data.copy()
        for name in example.schema.masked:
            blind[name] = blind[name].take(rng.integers(0, len(blind), len(blind))).array
        yield f"{example.label}, masked", example.data, release.data, example.schema
        yield f"{example.label}{UNCHANGED}", example.data, example.data, example.schema
        yield f"{example.label}{BLIND}", example.data, blind, example.schema
    for label, table in _odd_tables().items():
        yield label, table, table, _plain_schema(table)


def _related() -> Example:
    """Related numbers of the same size: none of them decides alone what a measure sees."""
    import pandas as pd

    rng = np.random.default_rng(31)
    common = rng.normal(size=ROWS)
    data = pd.DataFrame({name: common + 0.3 * rng.normal(size=ROWS) for name in "xyz"})
    return Example("related numbers", data, _plain_schema(data))


def _survey() -> Example:
    """Households of one to four people, with weights."""
    import pandas as pd

    rng = np.random.default_rng(32)
    household = np.repeat(np.arange(ROWS), rng.integers(1, 5, ROWS))[:ROWS]
    data = pd.DataFrame({
        "household": household,
        "person": np.arange(ROWS),
        "weight": rng.lognormal(2.0, 0.5, ROWS)[household],
        "region": rng.choice(list("abc"), ROWS)[household],
        "age": rng.integers(0, 90, ROWS),
        "sex": rng.choice(["f", "m"], ROWS),
        "income": rng.lognormal(9.0, 1.0, ROWS),
    })  # fmt: skip
    schema = Schema.guess(data, {}).assign(
        weight=["weight"], household=["household"], person=["person"]
    )
    return Example("a survey of households", data, schema)


def _patients() -> Example:
    """Few keys, which in one place tell the sensitive value."""
    import pandas as pd

    rng = np.random.default_rng(33)
    place = rng.choice(list("abc"), ROWS)
    ill = np.where(place == "a", "flu", rng.choice(["flu", "cold", "none"], ROWS))
    data = pd.DataFrame({"place": place, "sex": rng.choice(["f", "m"], ROWS), "ill": ill})
    columns = (Column(name, Kind.NOMINAL) for name in data)
    return Example("patients", data, Schema(tuple(columns)).assign(sensitive=["ill"]))


def _plain_schema(table: Any) -> Schema:
    kinds = {name: Kind.NOMINAL if name == "t" else Kind.NUMERIC for name in table}
    return Schema(tuple(Column(name, kind) for name, kind in kinds.items()))


def _odd_tables() -> dict[str, Any]:
    import pandas as pd

    return {
        "two rows": pd.DataFrame({"x": [1.5, 2.5], "t": ["a", "b"]}),
        "one row": pd.DataFrame({"x": [1.5], "t": ["a"]}),
        "constant": pd.DataFrame({"x": [1.0] * 9, "y": [2.0] * 9, "t": ["a"] * 9}),
        "missing": pd.DataFrame({"x": [np.nan] * 9, "y": [1.0, *[np.nan] * 8], "t": [None] * 9}),
        "collinear": pd.DataFrame({"x": np.arange(20.0), "y": 2 * np.arange(20.0)}),
        "one column": pd.DataFrame({"t": list("abc") * 5}),
    }


def _require(holds: bool, score: Score, label: str, what: str) -> None:  # noqa: FBT001
    if not holds:
        raise AssertionError(f"{score.measure} on {label!r}: {what}.")
