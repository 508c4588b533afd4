"""Every method of the table keeps the contract of `swapmeet.testing`."""

from __future__ import annotations

import json

import pytest

from swapmeet.methods import (
    MEDS,
    METHODS,
    MEWS,
    NBRS,
    RWN,
    SJPPDS,
    Cart,
    DataShuffle,
    KLTheta,
    Method,
    Microaggregation,
    Noise,
    PerColumn,
    RankSwap,
    make,
)
from swapmeet.testing import check_method

EXAMPLES = {
    "rwn": [
        RWN(k=5),
        RWN(k=3, eps=0.3, q=0.5, weights=0.1, ties="all"),
        RWN(k=3, scale="zscore", weights={"income": 2.0, "town": 0.0}),
        RWN(k=3, search="sample", sample=40),
        RWN(k=3, search="pairs", sample=40),
        RWN(k=3, search="partition", parts=4),
        RWN(k=3, search="cells", parts=4),
    ],
    "nbrs": [NBRS(eps=2.0), NBRS(eps=0.5, q=0.4, weights=0.2)],
    "sjppds": [SJPPDS(bins=5), SJPPDS(bins=40, variant="full"), SJPPDS(bins=40, min_bin=6)],
    "mews": [
        MEWS(bins=2),
        MEWS(columns=["income", "age"], bins={"income": 8, "age": 4}),
        MEWS(columns=["age"], width=20.0),
        MEWS(columns=["income"], rest="swap"),
    ],
    "meds": [
        MEDS(k=4),
        MEDS(columns=["income", "age", "grade"], k=6, rest="swap"),
    ],
    "kl-theta": [
        KLTheta(k=6, l=2, theta=0.7),
        KLTheta(k=6, l=2, theta=0.7, strategy="paper", together=False, weights={"age": 2.0}),
    ],
    "microaggregation": [
        Microaggregation(),
        Microaggregation(k=5, by="pca"),
        Microaggregation(k=5, by="pppca"),
        Microaggregation(k=4, by="columns"),
        Microaggregation(k=6, permute=True),
        Microaggregation(k=10, by="columns", permute=True),
    ],
    "rank-swap": [
        RankSwap(),
        RankSwap(window=0.3, top=0.05, bottom=0.05),
        RankSwap(correlation=0.9),
        RankSwap(mean=0.1),
        RankSwap(variant="distribution"),
        RankSwap(variant="buckets", window=0.05, top=0.1),
    ],
    "noise": [
        Noise(),
        Noise(level=0.5, correlated=True),
        Noise(whole="ignore", bounds="none"),
    ],
    "data-shuffle": [DataShuffle(), DataShuffle(predictors=["age"])],
    "cart": [Cart(), Cart(min_leaf=20, order=["town", "age"], min_gain=0.01)],
    "per-column": [
        PerColumn(
            parts=[(RWN(k=3), ["income", "age"]), (NBRS(eps=1.0, weights=0.1), ["town", "grade"])]
        )
    ],
}
METHOD_EXAMPLES = [
    pytest.param(method, id=f"{name}-{number}")
    for name, methods in EXAMPLES.items()
    for number, method in enumerate(methods)
]


def test_every_method_has_an_example():
    assert set(EXAMPLES) == set(METHODS)


@pytest.mark.parametrize("method", METHOD_EXAMPLES)
def test_method_keeps_the_contract(method):
    check_method(method)


@pytest.mark.parametrize("method", METHOD_EXAMPLES)
def test_settings_survive_json_and_make_the_same_method(method):
    settings = json.loads(json.dumps(method.settings()))
    assert make(method.name, settings) == method


@pytest.mark.parametrize(("name", "method"), METHODS.items())
def test_table_maps_the_name_to_the_class(name, method):
    assert issubclass(method, Method)
    assert method.name == name
    assert name == name.lower()
    assert method.summary
    assert method.__doc__.count(">>>") >= 1
    assert all(parameter.meaning for parameter in method.parameters())
