"""How fast is CART synthesis, against scikit-learn growing the trees alone? How does it grow?"""

from __future__ import annotations

import warnings
from math import log
from statistics import median
from typing import TYPE_CHECKING

import pandas as pd
from measure import SHARED, Figure, cpu_seconds
from people import adult, normal
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import swapmeet as sm

if TYPE_CHECKING:
    from collections.abc import Callable

LEAF = {"min_samples_leaf": 5, "min_samples_split": 15, "random_state": 0}
"""The leaves of synthpop's default."""


def main() -> None:
    warnings.simplefilter("ignore", sm.SwapmeetWarning)
    for name in ("census", "tarragona"):
        frame = pd.read_csv(SHARED / "reference" / "sdcmicro" / name / "input.csv").astype(float)
        show(f"{name}, {len(frame)} x {frame.shape[1]}", frame, bound=0.5, repeats=7)
    show("normal, 20,000 x 12", normal(20_000, 12), bound=0.2, repeats=3)
    show("adult, 32,561 x 13, mixed", adult(), bound=1.5, repeats=3)
    few, many = (cpu(normal(n, 12), 3) for n in (25_000, 100_000))
    expected = few * 4 * log(100_000) / log(25_000)
    Figure("100,000 x 12 normal (CPU) / n log n from 25,000", many, expected, 1.5).show()


def show(label: str, frame: pd.DataFrame, *, bound: float, repeats: int) -> None:
    ours = cpu(frame, repeats)
    peer = middle(lambda: trees(frame), repeats)
    Figure(f"{label} (CPU) / trees of scikit-learn", ours, peer, bound).show()


def cpu(frame: pd.DataFrame, repeats: int) -> float:
    schema = sm.Schema.infer(frame)
    sm.mask(frame, sm.Cart(), schema=schema)
    return middle(lambda: sm.mask(frame, sm.Cart(), schema=schema), repeats)


def middle(work: Callable[[], object], repeats: int) -> float:
    return median(cpu_seconds(work) for _ in range(repeats))


def trees(frame: pd.DataFrame) -> None:
    """One tree for each column but the first; text counts as codes with an order."""
    coded = frame.apply(lambda column: column if is_number(column) else pd.factorize(column)[0])
    for turn in range(1, frame.shape[1]):
        number = is_number(frame.iloc[:, turn])
        tree = (DecisionTreeRegressor if number else DecisionTreeClassifier)(**LEAF)
        tree.fit(coded.iloc[:, :turn].to_numpy(), coded.iloc[:, turn].to_numpy())


def is_number(column: pd.Series) -> bool:
    return pd.api.types.is_numeric_dtype(column)


if __name__ == "__main__":
    main()
