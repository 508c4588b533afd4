"""Table 1 and Figures 2 and A1: what a permutation inside bins keeps of a relation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

import swapmeet as sm
from kit.claim import Claim
from kit.estimate import repeat
from kit.section import Claims, Picture, Section, Table
from parts.sjppds.literal import cut
from parts.sjppds.tables import describe
from swapmeet.plots.style import ORIGINAL, RELEASED, look, sheet

if TYPE_CHECKING:
    import numpy.typing as npt

    from kit.study import Run

    Floats = npt.NDArray[np.float64]

BEFORE = (8.87, 9.57, 9.61, 9.36, 9.75, 10.51, 10.01, 9.67, 10.29, 11.42, 12.11, 11.64)
GUIDE = (9.66, 10.09, 10.52, 10.54, 10.80, 11.19, 11.24, 11.47, 11.61, 11.96, 12.23, 12.39)
PRINTED_BINS = (1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3)
AFTER = (9.61, 9.36, 8.87, 9.57, 9.75, 10.51, 9.67, 10.01, 11.64, 12.11, 10.29, 11.42)
METHODS = {
    "d-shuffle": sm.DataShuffle(), "SJPPDS, 10 bins": sm.SJPPDS(bins=10),
    "SJPPDS, 20 bins": sm.SJPPDS(bins=20), "SJPPDS, 30 bins": sm.SJPPDS(bins=30),
}  # fmt: skip
ROWS, DRAWN, SLICES = 1000, 250, 40


def run(run: Run) -> Section:
    """Check Table 1, and measure how much of two relations is kept."""
    tables = {"log": _make(np.log, 0.0, 1), "cosine": _make(np.cos, -10.0, 2)}
    kept = {name: _measure(table, run) for name, table in tables.items()}
    cosine, original = kept["cosine"], _explain(tables["cosine"])
    return Section(
        title="Which relations are kept",
        finding="Figure A1 comes out: both methods keep a relation that only rises; of one that "
        f"turns, data shuffling keeps {100 * cosine['d-shuffle'] / original:.0f} of 100 parts of "
        "the explained variance, and SJPPDS with 30 bins "
        f"{100 * cosine['SJPPDS, 30 bins'] / original:.0f}.",
        words=[
            ("The share of the variance of X₂ that X₁ explains (in 40 slices of X₁) says how much "
            "is left of a relation of any shape. The data are 1,000 "
            "draws, X₂ = log X₁ or cos X₁ plus uniform noise."),
        ],
        claims=[
            Claims(
                "Table 1: the restricted permutation",
                [
                    Claim.of("values whose bin is the printed one", "12", _count_bins()),
                    Claim.of("printed values that are in their bin", "12", _count_kept()),
                ],
            )
        ],
        tables=[
            Table(
                "Share of the variance of X₂ that X₁ explains",
                ["", "original", *METHODS],
                [
                    [f"X₂ = {name} X₁ + noise", _explain(tables[name]),
                     *(kept[name][method] for method in METHODS)]
                    for name in tables
                ],
            ),
            _restrict(run),
        ],
        pictures=[_draw(tables["cosine"], run)],
    )  # fmt: skip


def _count_bins() -> int:
    return int(np.sum(cut(np.array(GUIDE), 3) + 1 == np.array(PRINTED_BINS)))


def _count_kept() -> int:
    """Values of the printed release that belong to those of their bin."""
    codes = np.array(PRINTED_BINS)
    return sum(
        value in np.array(BEFORE)[codes == code]
        for value, code in zip(AFTER, PRINTED_BINS, strict=True)
    )


def _make(shape: np.ufunc, low: float, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    x = rng.uniform(low, 10.0, ROWS)
    return pd.DataFrame({"x1": x, "x2": shape(x) + rng.uniform(-1.0, 1.0, ROWS)})


def _measure(table: pd.DataFrame, run: Run) -> dict[str, float]:
    def once(seed: int) -> dict[str, float]:
        return {
            name: _explain(sm.mask(table, method, schema=describe(table), seed=seed).data)
            for name, method in METHODS.items()
        }

    return {name: found.mean for name, found in repeat(once, run.seeds(20, 3)).items()}


def _explain(table: pd.DataFrame) -> float:
    """The correlation ratio, less what as many slices of nothing would explain."""
    codes = pd.qcut(table["x1"], SLICES, labels=False)
    inside = table["x2"].groupby(codes).var().mean()
    return float(1.0 - inside / table["x2"].var())


def _restrict(run: Run) -> Table:
    """Figure 2: the correlation after one variable was permuted inside bins of the other."""
    rng = np.random.default_rng(run.seed)
    x = rng.multivariate_normal([10.0, 11.0], [[1.0, 0.9], [0.9, 1.0]], 10_000)
    table = pd.DataFrame(x, columns=["x1", "x2"])
    rows = []
    for bins in (2, 3, 5, 10, 20, 50):
        release = sm.mask(table, sm.SJPPDS(bins=bins), schema=describe(table), seed=run.seed).data
        one = np.corrcoef(table["x1"], release["x2"])[0, 1]
        rows.append([f"{bins} bins", float(one), float(release.corr().iloc[0, 1])])
    return Table(
        "Figure 2: correlation of 0.9, 10,000 rows",
        ["", "one column permuted", "both permuted"], rows,
    )  # fmt: skip


def _draw(table: pd.DataFrame, run: Run) -> Picture:
    releases = {
        name: sm.mask(table, METHODS[name], schema=describe(table), seed=run.seed).data
        for name in ("d-shuffle", "SJPPDS, 10 bins", "SJPPDS, 30 bins")
    }
    with look():
        figure = sheet(2.1)
        panels = figure.subplots(1, 4, sharex=True, sharey=True)
        for axes, (name, shown) in zip(
            panels, {"original": table, **releases}.items(), strict=True
        ):
            colour = (ORIGINAL if name == "original" else RELEASED).colour
            part = shown.iloc[:DRAWN]
            axes.plot(part["x1"], part["x2"], ".", color=colour, markersize=2.5)
            axes.set(title=name, xlabel="X₁")
        panels[0].set_ylabel("X₂")
    return Picture.of(
        figure,
        title="Figure A1: a relation that turns",
        description="Four scatterplots of a cosine with noise: the original, data shuffling "
        "without any pattern, and SJPPDS with 10 and 30 bins, where the waves are back.",
        caption=f"{DRAWN} of {ROWS:,} rows. Data shuffling knows rank correlations only.",
        name="sjppds-relations",
    )
