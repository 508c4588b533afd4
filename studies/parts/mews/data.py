"""The paper's data: two real tables, a synthetic one, and truncated binormal samples."""

from __future__ import annotations

import numpy as np
import pandas as pd

from kit.data import read

EDGE = 2.0
"""The paper cuts binormal samples at ± 2."""


def draw_binormal(rows: int, correlation: float, seed: int) -> pd.DataFrame:
    """So many rows of a binormal sample inside [-2, 2]²."""
    random = np.random.default_rng(seed)
    kept = np.empty((0, 2))
    while len(kept) < rows:
        drawn = random.multivariate_normal([0, 0], [[1, correlation], [correlation, 1]], 2 * rows)
        kept = np.vstack([kept, drawn[(np.abs(drawn) <= EDGE).all(axis=1)]])
    return pd.DataFrame(kept[:rows], columns=["x", "y"])


def load_tables(synthetic_rows: int, real_rows: int | None = None) -> dict[str, pd.DataFrame]:
    """Syn100k (or fewer rows of it), and the continuous variables of abalone and magic04."""
    random = np.random.default_rng(100)
    pair = random.multivariate_normal([0, 0], [[1, 0.5], [0.5, 1]], synthetic_rows)
    others = random.standard_normal((synthetic_rows, 2))
    synthetic = pd.DataFrame(np.hstack([pair, others]), columns=["x1", "x2", "x3", "x4"])
    tables = {
        "Syn100k": synthetic,
        "Abalone": read("abalone").drop(columns=["Sex", "Rings"]),
        "MagicTele": read("magic04").drop(columns=["class"]),
    }
    if real_rows is None:
        return tables
    return {name: one.head(real_rows) for name, one in tables.items()}
