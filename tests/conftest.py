from __future__ import annotations

import os
import warnings
from pathlib import Path

import pandas as pd
import pytest

import swapmeet as sm


@pytest.fixture(scope="session")
def shared():
    """The folder of data sets and reference values, which is not part of the repository."""
    default = Path(__file__).parents[2] / "shared"
    folder = Path(os.environ.get("SWAPMEET_SHARED", default))
    if not folder.is_dir():
        pytest.skip(f"no data in {folder}; set SWAPMEET_SHARED to their folder")
    return folder


@pytest.fixture(scope="session")
def svcensus(shared):
    """20,090 programmers and engineers; occupation is a code."""
    return pd.read_csv(shared / "data" / "svcensus.csv", dtype={"occ": str})


@pytest.fixture(scope="session")
def masked():
    """mask(), with its warnings unheard."""

    def quietly(*args, **options):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", sm.SwapmeetWarning)
            return sm.mask(*args, **options)

    return quietly
