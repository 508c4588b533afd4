"""How fast is data shuffling, against sorting every column twice, which it cannot avoid?"""

from __future__ import annotations

import warnings
from statistics import median
from typing import TYPE_CHECKING

import numpy as np
from measure import Figure, cpu_seconds
from people import normal

import swapmeet as sm

if TYPE_CHECKING:
    import pandas as pd


def main() -> None:
    warnings.simplefilter("ignore", sm.SwapmeetWarning)
    for n in (100_000, 1_000_000):
        show(normal(n, 12))


def show(frame: pd.DataFrame) -> None:
    schema, values = sm.Schema.infer(frame), [frame[name].to_numpy() for name in frame]
    sm.mask(frame, sm.DataShuffle(), schema=schema)
    ours, sorts = [], []
    for _ in range(3):
        sorts.append(cpu_seconds(lambda: [np.argsort(column) for column in 2 * values]))
        ours.append(cpu_seconds(lambda: sm.mask(frame, sm.DataShuffle(), schema=schema)))
    question = f"{len(frame):,} x 12 normal (CPU) / 24 argsorts"
    Figure(question, median(ours), median(sorts), 4.0).show()


if __name__ == "__main__":
    main()
