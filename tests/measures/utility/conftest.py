from __future__ import annotations

import json
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.running.assessing import assess


@pytest.fixture(scope="session")
def score():
    """The score that a measure gives a release whose rows are matched by position."""

    def scored(measure, original, released, *, schema=None, match="rows"):
        schema = numeric(original) if schema is None else schema
        card = assess(original, released, schema=schema, match=match, measures=[measure])
        return card[measure.name]

    return scored


@pytest.fixture(scope="session")
def blind():
    """A release whose columns were shuffled each on its own."""

    def shuffled(frame, seed=0):
        rng = np.random.default_rng(seed)
        return frame.apply(lambda column: rng.permutation(column.to_numpy()))

    return shuffled


@pytest.fixture(scope="session")
def golden(shared):
    """Input, masked data and sdcMicro's figures of a data set."""
    folder = shared / "reference" / "sdcmicro"

    def read(name, method="mdav", aggr=3):
        pairs = "mdav" if method == "mdav" else "onedims_and_pca"
        figures = json.loads(
            (folder / name / f"dRisk_dRiskRMD_dUtility_of_{pairs}_pairs.json").read_text()
        )
        original = pd.read_csv(folder / name / "input.csv").astype(float)
        released = pd.read_csv(folder / name / f"microaggregation_{method}_aggr{aggr}_mx.csv")
        released = released.set_axis(original.columns, axis=1).astype(float)
        return SimpleNamespace(
            original=original, released=released, figures=figures[f"{method}_aggr{aggr}"]
        )

    return read


@pytest.fixture(scope="session")
def bodyfat(shared):
    """241 men; the paper's cleaned data."""
    return pd.read_csv(shared / "reference" / "rwn" / "bodyfat_clean_241.csv").astype(float)


@pytest.fixture(scope="session")
def with_bmi():
    """The body mass index, recomputed from what a table says of weight and height."""
    return lambda frame: frame.assign(bmi=703.0 * frame["weight"] / frame["height"] ** 2)


@pytest.fixture(scope="session")
def aggregated():
    """A frame with every row replaced by the mean of its group."""

    def means(frame, by, k):
        labels = {"mdav": mdav, "pca": first_component, "pppca": pursuit}[by](frame.to_numpy(), k)
        return frame.groupby(labels).transform("mean")

    return means


def numeric(frame):
    return sm.Schema(tuple(sm.Column(name, "numeric") for name in frame))


def mdav(values, k):
    """MDAV, written as plainly as possible."""
    points = values / values.std(axis=0)
    left, labels, groups = np.arange(len(points)), np.zeros(len(points), int), 0
    while len(left) >= 2 * k:
        first = left[_away(points[left], points[left].mean(axis=0)).argmax()]
        last = left[_away(points[left], points[first]).argmax()]
        for seed in (first, last) if len(left) >= 3 * k else (first,):
            groups += 1
            nearest = np.lexsort((-left, _away(points[left], points[seed])))[:k]
            labels[left[nearest]] = groups
            left = np.delete(left, nearest)
    return labels


def first_component(values, k):
    points = (values - values.mean(axis=0)) / values.std(axis=0)
    loadings = np.linalg.svd(points, full_matrices=False)[2][0]
    return _cut(points @ (loadings * np.sign(loadings[0])), k)


def pursuit(values, k):
    """The direction through the median and a record along which the MAD is largest."""
    centred = values - np.median(values, axis=0)
    lengths = np.sqrt((centred**2).sum(axis=1))
    directions = centred[lengths > 0] / lengths[lengths > 0, None]
    along = centred @ directions.T
    spread = np.median(np.abs(along - np.median(along, axis=0)), axis=0)
    best = directions[spread.argmax()]
    return _cut(centred @ (best * np.sign(best[0])), k)


def _away(points, centre):
    return ((points - centre) ** 2).sum(axis=1)


def _cut(key, k):
    """Groups of k in the order of the key; the last takes the remainder."""
    labels = np.empty(len(key), int)
    labels[np.argsort(key, kind="stable")] = np.minimum(np.arange(len(key)) // k, len(key) // k - 1)
    return labels
