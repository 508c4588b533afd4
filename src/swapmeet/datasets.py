"""Real microdata, each with a sensible schema.

All but one come with the package, as Parquet files; `data/LICENSES.txt` names source and licence
of each. `fair` may not be passed on by everybody; it is read from statsmodels where that is
installed.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from swapmeet.base.extras import require_library
from swapmeet.errors import UsageError, did_you_mean
from swapmeet.tables.schema import Column, Kind, Role, Schema
from swapmeet.tables.ties import Ties

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


@dataclass(frozen=True)
class Dataset:
    """A built-in data set. Columns are numeric and keys unless they are named otherwise."""

    description: str
    nominal: tuple[str, ...] = ()
    ordinal: tuple[str, ...] = ()
    sensitive: tuple[str, ...] = ()
    together: tuple[tuple[str, ...], ...] = ()

    def schema(self, names: list[str]) -> Schema:
        """The schema of its columns."""
        columns = tuple(Column(name, self._kind(name), self._role(name)) for name in names)
        return Schema(columns, ties=Ties(together=self.together))

    def _kind(self, name: str) -> Kind:
        if name in self.nominal:
            return Kind.NOMINAL
        return Kind.ORDINAL if name in self.ordinal else Kind.NUMERIC

    def _role(self, name: str) -> Role:
        return Role.SENSITIVE if name in self.sensitive else Role.KEY


def load(name: str) -> pd.DataFrame:
    """A built-in data set as a pandas frame.

    >>> load("diabetes").shape
    (442, 11)
    """
    table = load_arrow(name)
    require_library("pandas", "data frames")
    return table.to_pandas()


def load_arrow(name: str) -> pa.Table:
    """A built-in data set as a pyarrow table, which needs no pandas.

    >>> load_arrow("anes96").num_rows
    944
    """
    _find(name)
    if name == "fair":
        return _read_fair()
    from pyarrow.parquet import read_table

    return read_table(find_file(name))


def find_file(name: str) -> Path:
    """The Parquet file of a data set that comes with the package.

    >>> find_file("anes96").name
    'anes96.parquet'
    """
    _find(name)
    return _DATA / f"{name}.parquet"


def schema(name: str) -> Schema:
    """The schema of a built-in data set.

    >>> schema("diabetes").having(Role.SENSITIVE)
    ('target',)
    """
    return _find(name).schema(load_arrow(name).column_names)


def _find(name: str) -> Dataset:
    if name not in DATASETS:
        raise UsageError(
            f"no built-in data set {name!r}{did_you_mean(name, DATASETS)} "
            f"There are {', '.join(DATASETS)}."
        )
    return DATASETS[name]


def _read_fair() -> pa.Table:
    """The table in statsmodels' folder, which is found without loading that package."""
    from pyarrow.csv import read_csv

    require_library("statsmodels", "the data set 'fair'", plural=False)
    spec = find_spec("statsmodels")
    if spec is None or spec.origin is None:
        raise UsageError("statsmodels has no folder here. Install it as files.")
    return read_csv(Path(spec.origin).parent / "datasets" / "fair" / "fair.csv")


_DATA = Path(__file__).with_name("data")
DATASETS = {
    "fair": Dataset(
        "6,366 married women, Redbook survey of 1974: marriage, work and affairs",
        nominal=("occupation", "occupation_husb"),
        ordinal=("rate_marriage", "religious", "educ"),
        sensitive=("affairs",),
    ),
    "randhie": Dataset(
        "20,190 person-years of the RAND health insurance experiment: doctor visits and health",
        nominal=("idp", "hlthg", "hlthf", "hlthp"),
        sensitive=("mdvis", "disea", "physlm"),
    ),
    "anes96": Dataset(
        "944 voters, American National Election Study of 1996: opinions, income and vote",
        nominal=("vote",),
        ordinal=("selfLR", "ClinLR", "DoleLR", "PID", "educ", "income"),
        sensitive=("vote", "PID", "income"),
        together=(("popul", "logpopul"),),
    ),
    "diabetes": Dataset(
        "442 diabetes patients: age, sex, eight measurements, progression after a year",
        nominal=("sex",),
        sensitive=("target",),
    ),
    "breast_cancer": Dataset(
        "569 breast tumours, Wisconsin: thirty measurements of cell nuclei and the diagnosis",
        nominal=("diagnosis",),
        sensitive=("diagnosis",),
    ),
}
