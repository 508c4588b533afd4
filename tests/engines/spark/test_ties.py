"""Derived columns and rules on Spark: the release is the one that memory makes in blocks."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.errors import SchemaError

pytestmark = pytest.mark.filterwarnings("ignore::swapmeet.errors.SwapmeetWarning")
TIES = {
    "together": ["height,weight"],
    "derive": ["total = a + b", "group = lookup(age)"],
    "rule": ["age >= 16 or married = 0"],
}


def _people():
    rng = np.random.default_rng(5)
    n = 300
    age = rng.integers(0, 90, n)
    a, b = (rng.integers(0, 10**6, n) / 100 for _ in "ab")
    return pd.DataFrame(
        {"age": age, "married": (age >= 16) * rng.integers(0, 2, n), "a": a, "b": b,
         "total": (a + b).round(2), "group": np.where(age < 30, "young", "old"),
         "height": rng.normal(1.7, 0.1, n).round(2), "weight": rng.normal(75, 9, n).round(1)}
    )  # fmt: skip


@pytest.mark.slow
def test_a_cluster_makes_the_release_that_memory_makes(spark):
    people = _people()
    frame = spark.createDataFrame(people)
    schema = sm.Schema.guess(people, {}).assign(**TIES)
    method = sm.SJPPDS(bins=2)
    release = sm.mask(frame, method, schema=schema, seed=3, engine=sm.Spark(block_rows=100))
    released = release.data.toArrow().to_pandas()
    assert ((released.a + released.b).round(2) == released.total).all()
    assert (np.where(released.age < 30, "young", "old") == released.group).all()
    assert not ((released.age < 16) & (released.married == 1)).any()
    pairs = set(zip(people.height, people.weight, strict=True))
    assert set(zip(released.height, released.weight, strict=True)) <= pairs
    assert any("the method broke it in" in note for note in release.notes)


@pytest.mark.slow
def test_what_the_original_breaks_is_refused(spark):
    frame = spark.createDataFrame(_people())
    with pytest.raises(SchemaError, match="the original breaks it in"):
        sm.mask(frame, sm.SJPPDS(bins=2), seed=1, engine=sm.Spark(block_rows=100), rule=["age > 9"])
