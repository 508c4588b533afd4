"""How fast is NBRS, against the 15 CPU seconds of its authors' R script on pef at eps = 0.5?"""

from __future__ import annotations

import warnings
from statistics import median

import pandas as pd
from measure import SHARED, Figure, cpu_seconds

import swapmeet as sm

R_SCRIPT = 15.0
"""CPU seconds measured on a machine like this one with R 4.2.2; the script is not shipped."""


def main() -> None:
    warnings.simplefilter("ignore", sm.SwapmeetWarning)
    table = pd.read_csv(SHARED / "data" / "pef.csv")
    table["educ"] = table["educ"].replace({"zzzOther": "0"}).astype(int)
    schema = sm.Schema.infer(table).assign(numeric=list(table.columns))
    method = sm.NBRS(eps=0.5)
    sm.mask(table, method, schema=schema)
    turns = [cpu_seconds(lambda: sm.mask(table, method, schema=schema)) for _ in range(7)]
    Figure(
        "NBRS eps=0.5 on pef, numeric codes (CPU) / R script", median(turns), R_SCRIPT, 0.02
    ).show()


if __name__ == "__main__":
    main()
