"""The tables of the RWN paper, prepared as it does."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import swapmeet as sm
from kit.data import OUTLYING_MEN, read

if TYPE_CHECKING:
    import pandas as pd

BMI = "bmi = 703 * weight / height ** 2"
"""Not an input of the masking: it is computed anew from what the release says."""


@cache
def read_men() -> pd.DataFrame:
    """241 men and 14 measurements: the body fat data without eleven implausible cases."""
    men = read("bodyfat")
    kept = men[~men["case"].isin(OUTLYING_MEN)].drop(columns=["case", "brozek", "density"])
    return kept.reset_index(drop=True).astype(float)


def add_bmi(men: pd.DataFrame) -> pd.DataFrame:
    """With the body mass index, in pounds and inches."""
    return men.assign(bmi=703.0 * men["weight"] / men["height"] ** 2)


def standardise(frame: pd.DataFrame) -> pd.DataFrame:
    """Each column by its own mean and standard deviation."""
    return (frame - frame.mean()) / frame.std()


@cache
def read_census() -> pd.DataFrame:
    """20,090 programmers and engineers; education, occupation and gender are categories."""
    return read("svcensus", dtype={"educ": str, "occ": str})


@cache
def read_engineers() -> pd.DataFrame:
    """The same people, as the part on prediction has them."""
    return read("pef", dtype={"educ": str, "occ": str, "sex": str})


def describe(frame: pd.DataFrame, nominal: tuple[str, ...] = ()) -> sm.Schema:
    """A schema in which all columns are numbers but those named."""
    kinds = {name: "nominal" if name in nominal else "numeric" for name in frame}
    return sm.Schema(tuple(sm.Column(name, kind) for name, kind in kinds.items()))
