from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sdcmicro_golden import table

import swapmeet as sm
from swapmeet.comparison.comparison import Comparison
from swapmeet.measures.risk.closeness import pairings
from swapmeet.measures.risk.nearest_record import DBRLSorted
from swapmeet.tables.microdata import Microdata, Variable
from swapmeet.tables.schema import Kind


def numeric(frame):
    return sm.Schema(tuple(sm.Column(name, "numeric") for name in frame))


def dbrl_sorted(original, released, **options):
    options = {"match": "unknown", "schema": numeric(original)} | options
    card = sm.assess(original, released, measures=[DBRLSorted()], **options)
    return card["dbrl-sorted"]


def test_by_hand():
    """Sorted by x the pairs are the nearest; sorted by y the first and the last trade places."""
    original = pd.DataFrame({"x": [1.0, 2.0, 3.0], "y": [10.0, 10.5, 11.0]})
    released = pd.DataFrame({"x": [3.1, 1.1, 2.1], "y": [10.9, 11.1, 11.0]})
    score = dbrl_sorted(original, released)
    assert score.details["worst column"] == "x"
    assert score.value == max(score.details["sorted by x"], score.details["sorted by y"])


def literally(comparison):
    """The paper's algorithm with all distances, and ties that share the hit."""
    columns = []
    for file in (comparison.original, comparison.released):
        parts = []
        for variable in file.variables:
            if variable.kind is Kind.NOMINAL:
                parts.append(np.eye(variable.levels)[variable.values])
            else:
                parts.append(((variable.values - variable.values.mean())
                              / variable.values.std(ddof=1))[:, None])  # fmt: skip
        columns.append(parts)
    for one, other in zip(*columns, strict=True):
        if one.shape[1] > 1:
            spread = one.std(axis=0, ddof=1)
            one /= spread
            other /= spread
    original, released = (np.concatenate(parts, axis=1) for parts in columns)
    distances = ((released[:, None] - original[None]) ** 2).sum(axis=2)
    nearest = distances <= distances.min(axis=1, keepdims=True) * (1 + 1e-9)
    chance = nearest / nearest.sum(axis=1, keepdims=True)
    rows = np.arange(comparison.n)
    return {
        f"sorted by {pairing.column}": chance[rows, pairing.original_of_released].mean()
        for pairing in pairings(comparison)
    }


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("words", [False, True])
def test_it_is_what_the_paper_says(seed, words):
    rng = np.random.default_rng(seed)
    n = 80
    numbers = np.concatenate([rng.normal(size=(2, n)), rng.integers(0, 3, (1, n))])
    noise = np.array([[0.05], [0.1], [0.0]]) * rng.normal(size=(3, n))
    codes = rng.integers(0, 3, n).astype(np.int32)
    files = []
    for values in (numbers, numbers + noise):
        variables = [
            Variable(name, Kind.NUMERIC, column) for name, column in zip("abc", values, strict=True)
        ]
        if words:
            variables.append(Variable("w", Kind.NOMINAL, codes, 3))
        files.append(Microdata(tuple(variables), np.zeros(n, np.int32)))
    comparison = Comparison(*files, files[0].names, files[0].names)
    score = DBRLSorted().score(comparison)
    expected = literally(comparison)
    found = {name: score.details[name] for name in expected}
    assert found == pytest.approx(expected)
    assert 0.2 < score.value == pytest.approx(max(expected.values()))


def test_twins_share_the_hit():
    frame = pd.DataFrame({"x": [1.0, 1.0, 5.0, 5.0]})
    assert dbrl_sorted(frame, frame).value == 0.5


def test_of_many_rows_some_are_linked():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(2000, 2)), columns=["x", "y"])
    released = frame + rng.normal(scale=0.02, size=frame.shape)
    whole, part = (dbrl_sorted(frame, released, at_most=rows) for rows in (None, 500))
    assert part.interval[0] < whole.value < part.interval[1]
    assert part.interval[1] - part.interval[0] > 1.5 * (whole.interval[1] - whole.interval[0])


@pytest.mark.parametrize(
    ("name", "bins", "true", "by_sorting"),
    [
        ("census", 100, (0.99, 1.00), (0.07, 0.13)),
        ("census", 30, (0.97, 1.00), (0.02, 0.05)),
        ("census", 10, (0.67, 0.74), (0.005, 0.025)),
        ("tarragona", 100, (0.78, 0.84), (0.04, 0.08)),
        ("tarragona", 30, (0.33, 0.39), (0.02, 0.04)),
        ("tarragona", 10, (0.10, 0.14), (0.01, 0.03)),
    ],
)
def test_sorting_says_little_of_the_true_owners(shared, masked, name, bins, true, by_sorting):
    """The finding on the SJPPDS paper: a row keeps its bins, and the owner is found by them."""
    frame = table(shared, name)
    schema = numeric(frame)
    release = masked(frame, sm.SJPPDS(bins=bins), schema=schema, seed=1)
    card = sm.assess(frame, release, schema=schema, measures=["dbrl", DBRLSorted()])
    assert true[0] <= card["dbrl"].value <= true[1]
    assert by_sorting[0] <= card["dbrl-sorted"].value <= by_sorting[1]
    assert "where dbrl has a value, rely on that instead" in card["dbrl-sorted"].sentence
