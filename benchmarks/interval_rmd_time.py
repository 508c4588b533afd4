"""How fast is interval-rmd, and how much memory does it take, against sdcMicro's dRiskRMD?

sdcMicro makes the matrix of all distances: 3.9 CPU seconds and 3.5 GB at 10,000 rows, and it fails
at 50,000. Measured on a machine like this one with R 4.2.2 and sdcMicro 5.8.1, which are not
shipped.
"""

from __future__ import annotations

from pathlib import Path
from statistics import median

import numpy as np
from measure import Figure, cpu_seconds, in_fresh_process

from swapmeet.comparison.comparison import Comparison
from swapmeet.measures.risk.interval_rmd import IntervalRMD
from swapmeet.tables.microdata import Microdata, Variable
from swapmeet.tables.schema import Kind

R_SECONDS = 3.9
R_MEBIBYTES = 3.5 * 1024
COLUMNS = 12
CODE = """
import resource, sys
sys.path.insert(0, {folder!r})
import interval_rmd_time as ours
ours.measured({rows})
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def pair(rows: int) -> Comparison:
    """Skewed, correlated columns, and the same with noise of a tenth of their deviation."""
    rng = np.random.default_rng(rows)
    common = rng.normal(size=(rows, 3)) @ rng.normal(size=(3, COLUMNS))
    original = np.exp((common + rng.normal(size=(rows, COLUMNS))) / 2.0)
    released = original + rng.normal(size=original.shape) * original.std(axis=0) / 10.0
    names = tuple(f"c{j}" for j in range(COLUMNS))
    return Comparison(table(original, names), table(released, names), names, names)


def table(values: np.ndarray, names: tuple[str, ...]) -> Microdata:
    pairs = zip(names, values.T, strict=True)
    variables = (Variable(name, Kind.NUMERIC, column.copy()) for name, column in pairs)
    return Microdata(tuple(variables), np.zeros(len(values), np.int32))


def measured(rows: int) -> float:
    comparison = pair(rows)
    return cpu_seconds(lambda: IntervalRMD().score(comparison))


def main() -> None:
    measured(500)
    for rows, bound in ((10_000, 0.5), (50_000, 1.0)):
        seconds = median(measured(rows) for _ in range(3))
        question = f"interval-rmd, {rows} x {COLUMNS} (CPU) / sdcMicro at 10,000"
        Figure(question, seconds, R_SECONDS, bound).show()
    peak = float(in_fresh_process(CODE.format(folder=str(Path(__file__).parent), rows=50_000)))
    Figure(
        f"peak memory, 50000 x {COLUMNS} / sdcMicro at 10,000", peak, R_MEBIBYTES, 0.2, "MiB"
    ).show()


if __name__ == "__main__":
    main()
