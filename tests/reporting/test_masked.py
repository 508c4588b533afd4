from __future__ import annotations

import warnings

import pytest

import swapmeet as sm
from swapmeet.methods import METHODS
from swapmeet.reporting.masked import touches

METHODS_OF_NUMBERS = {
    "rwn": sm.RWN(),
    "nbrs": sm.NBRS(eps=2.0),
    "sjppds": sm.SJPPDS(bins=3),
    "mews": sm.MEWS(columns=["bmi", "bp"], bins=3),
    "meds": sm.MEDS(columns=["bmi", "bp"]),
    "microaggregation": sm.Microaggregation(),
    "kl-theta": sm.KLTheta(k=5, l=2, theta=0.9),
    "rank-swap": sm.RankSwap(),
    "noise": sm.Noise(),
    "cart": sm.Cart(),
    "data-shuffle": sm.DataShuffle(predictors=["age"]),
    "per-column": sm.PerColumn(
        parts=[(sm.RWN(), ["age"]), (sm.MEDS(columns=["bp"]), ["bp", "s1"])]
    ),
}


@pytest.mark.parametrize("name", METHODS)
def test_what_a_method_is_said_to_touch_is_what_it_touches(name):
    people = sm.datasets.load("diabetes").drop(columns="sex")
    schema = sm.Schema.infer(people).assign(
        sensitive=["target"], keep=["s2"], numeric=list(people.columns)
    )
    method = METHODS_OF_NUMBERS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sm.SwapmeetWarning)
        release = sm.mask(people, method, schema=schema, seed=1)
    touched = {c.name for c in release.changes if c.moved + c.made + c.suppressed > 0}
    said = {c.name for c in schema if touches(method.name, method.settings(), c)}
    assert said == touched


def test_columns_that_are_kept_are_never_touched():
    column = sm.Column("weight", sm.Kind.NUMERIC, sm.Role.KEEP)
    assert not any(touches(name, {}, column) for name in METHODS)
