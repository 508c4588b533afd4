"""The papers' data sets, from the data folder."""

from __future__ import annotations

import os
from pathlib import Path

import pandas as pd

SHARED = Path(os.environ.get("SWAPMEET_SHARED", Path(__file__).parents[3] / "shared"))
OUTLYING_MEN = [26, 29, 42, 48, 55, 76, 96, 169, 171, 172, 182]
"""Cases that the RWN paper leaves out of bodyfat."""


def read(name: str, **options: object) -> pd.DataFrame:
    """A data set by its name; a clear end where the folder is not there."""
    path = next((SHARED / "data").glob(f"{name}.csv*"), None)
    if path is None:
        raise SystemExit(
            f"no data set {name!r} in {SHARED / 'data'}. Set SWAPMEET_SHARED to the folder that "
            "holds data/."
        )
    return pd.read_csv(path, **options)
