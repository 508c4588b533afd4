"""Real microdata that come with statsmodels and scikit-learn, each with a sensible schema."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.core.tables.schema import Column, Kind, Role, Schema
from swapmeet.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd


@dataclass(frozen=True)
class Dataset:
    """A built-in data set. Columns are numeric and keys unless they are named otherwise."""

    description: str
    read: Callable[[], pd.DataFrame]
    nominal: tuple[str, ...] = ()
    ordinal: tuple[str, ...] = ()
    sensitive: tuple[str, ...] = ()

    def schema(self, names: list[str]) -> Schema:
        """The schema of its columns."""
        return Schema(tuple(Column(name, self._kind(name), self._role(name)) for name in names))

    def _kind(self, name: str) -> Kind:
        if name in self.nominal:
            return Kind.NOMINAL
        return Kind.ORDINAL if name in self.ordinal else Kind.NUMERIC

    def _role(self, name: str) -> Role:
        return Role.SENSITIVE if name in self.sensitive else Role.KEY


def load(name: str) -> pd.DataFrame:
    """A built-in data set as a pandas frame.

    >>> load("fair").shape
    (6366, 9)
    """
    return _find(name).read()


def schema(name: str) -> Schema:
    """The schema of a built-in data set.

    >>> schema("fair").having(Role.SENSITIVE)
    ('affairs',)
    """
    found = _find(name)
    return found.schema(list(found.read().columns))


def _find(name: str) -> Dataset:
    if name not in DATASETS:
        raise UsageError(
            f"no built-in data set {name!r}{did_you_mean(name, DATASETS)} "
            f"There are {', '.join(DATASETS)}."
        )
    return DATASETS[name]


def _file(package: str, *parts: str) -> Path:
    """A file inside an installed package, found without importing the package."""
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise UsageError(
            f"this data set comes with {package}, which is not installed. "
            'Run: pip install "swapmeet[data]"'
        )
    return Path(spec.origin).parent.joinpath(*parts)


def _statsmodels(name: str, **options: str) -> pd.DataFrame:
    import pandas as pd

    return pd.read_csv(_file("statsmodels", "datasets", name, f"{name}.csv"), **options)


def _anes96() -> pd.DataFrame:
    frame = _statsmodels("anes96", sep="\t", quotechar="'")
    return frame.assign(logpopul=np.log(frame["popul"] + 0.1))


def _diabetes() -> pd.DataFrame:
    import pandas as pd

    names = ["age", "sex", "bmi", "bp", "s1", "s2", "s3", "s4", "s5", "s6"]
    folder = _file("sklearn", "datasets", "data")
    frame = pd.read_csv(folder / "diabetes_data_raw.csv.gz", sep=" ", names=names)
    target = pd.read_csv(folder / "diabetes_target.csv.gz", names=["target"])
    return frame.assign(target=target["target"])


def _breast_cancer() -> pd.DataFrame:
    import pandas as pd

    features = ("radius", "texture", "perimeter", "area", "smoothness", "compactness", "concavity",
                "concave points", "symmetry", "fractal dimension")  # fmt: skip
    names = [f"mean {f}" for f in features]
    names += [f"{f} error" for f in features]
    names += [f"worst {f}" for f in features]
    file = _file("sklearn", "datasets", "data", "breast_cancer.csv")
    frame = pd.read_csv(file, skiprows=1, names=[*names, "diagnosis"])
    return frame.assign(diagnosis=frame["diagnosis"].map({0: "malignant", 1: "benign"}))


DATASETS = {
    "fair": Dataset(
        "6,366 married women, Redbook survey of 1974: marriage, work and affairs",
        lambda: _statsmodels("fair"),
        nominal=("occupation", "occupation_husb"),
        ordinal=("rate_marriage", "religious", "educ"),
        sensitive=("affairs",),
    ),
    "randhie": Dataset(
        "20,190 person-years of the RAND health insurance experiment: doctor visits and health",
        lambda: _statsmodels("randhie"),
        nominal=("idp", "hlthg", "hlthf", "hlthp"),
        sensitive=("mdvis", "disea", "physlm"),
    ),
    "anes96": Dataset(
        "944 voters, American National Election Study of 1996: opinions, income and vote",
        _anes96,
        nominal=("vote",),
        ordinal=("selfLR", "ClinLR", "DoleLR", "PID", "educ", "income"),
        sensitive=("vote", "PID", "income"),
    ),
    "diabetes": Dataset(
        "442 diabetes patients: age, sex, eight measurements, progression after a year",
        _diabetes,
        nominal=("sex",),
        sensitive=("target",),
    ),
    "breast_cancer": Dataset(
        "569 breast tumours, Wisconsin: thirty measurements of cell nuclei and the diagnosis",
        _breast_cancer,
        nominal=("diagnosis",),
        sensitive=("diagnosis",),
    ),
}
