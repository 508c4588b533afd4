"""Monte Carlo values of sdcMicro, and how ours are compared with them."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from swapmeet.base.parallel import Workers
from swapmeet.base.seeds import Seed
from swapmeet.tables.microdata import Microdata, Variable
from swapmeet.tables.schema import Kind

SETS = ("census", "tarragona", "bodyfat", "diabetes", "breast_cancer")
LIMIT = 4.0
"""Standard errors between the two means: 1 in 16,000 comparisons is a false alarm."""


def table(shared, name):
    """The data that sdcMicro had."""
    if name == "diabetes":
        from sklearn.datasets import load_diabetes

        return load_diabetes(scaled=False, as_frame=True).frame
    if name == "breast_cancer":
        from sklearn.datasets import load_breast_cancer

        return load_breast_cancer(as_frame=True).data
    return pd.read_csv(shared / "reference" / "sdcmicro" / name / "input.csv")


def entries(shared, name, file):
    """The settings of a file of Monte Carlo values that worked."""
    text = (shared / "reference" / "sdcmicro" / name / f"{file}.json").read_text()
    return [entry for entry in json.loads(text) if "call" in entry]


def numbers(frame):
    """All columns as numbers, without strata."""
    columns = (Variable(name, Kind.NUMERIC, frame[name].to_numpy(float)) for name in frame)
    return Microdata(tuple(columns), np.zeros(len(frame), np.int32))


def release(method, data, seed):
    """The values that `method` releases, unrounded."""
    outcome = method.outcome(data, Seed.chosen_by_user(seed).within("golden"), Workers(1))
    columns = []
    for variable, donors in zip(data.variables, outcome.donors.matrix.T, strict=True):
        moved = variable.values[np.maximum(donors, 0)]
        columns.append(np.where(donors == -2, outcome.made.get(variable.name, 0.0), moved))
    return np.stack(columns, axis=1)


def correlations(values):
    """Those of different columns."""
    return np.corrcoef(values.T)[np.triu_indices(values.shape[1], 1)]


class Original:
    """A table to compare releases with."""

    def __init__(self, frame):
        self.data = numbers(frame)
        self.values = frame.to_numpy(float)
        self.ranks = rankdata(self.values, axis=0)

    def statistics(self, released):
        """What the files of Monte Carlo values have of both methods."""
        ranks = rankdata(released, axis=0)
        moves = np.abs(ranks - self.ranks) / len(ranks)
        pearson = correlations(released) - correlations(self.values)
        spearman = correlations(ranks) - correlations(self.ranks)
        return {
            "mean_abs_pearson_diff": np.abs(pearson).mean(),
            "mean_signed_pearson_diff": pearson.mean(),
            "mean_abs_spearman_diff": np.abs(spearman).mean(),
            "mean_abs_rank_displacement_over_n": moves.mean(),
            "max_abs_rank_displacement_over_n": moves.max(),
            "share_cells_changed": (released != self.values).mean(),
            "mean_sd_ratio": (released.std(axis=0) / self.values.std(axis=0)).mean(),
        }


def strangers(own, golden, allowance=0.0):
    """The statistics whose means differ too much, with ours and theirs."""
    far = {}
    for name in (name for name in own if name in golden):
        theirs = golden[name]
        errors = np.hypot(theirs["sd"] / theirs["n"] ** 0.5, own[name].std() / len(own) ** 0.5)
        if abs(own[name].mean() - theirs["mean"]) > LIMIT * errors + allowance + 1e-9:
            far[name] = (own[name].mean(), theirs["mean"])
    return far
