"""Table 1: how private MEWS is said to be on binormal data."""

from __future__ import annotations

import math
from itertools import product
from typing import TYPE_CHECKING

from scipy.stats import multivariate_normal

import swapmeet as sm
from kit.claim import Claim
from kit.estimate import Estimate
from kit.panels import Panel, draw_panels
from kit.section import Claims, Picture, Section, Table
from parts.mews.data import EDGE, draw_binormal

if TYPE_CHECKING:
    from kit.study import Run

CORRELATIONS = (0.1, 0.5, 0.9)
PRINTED = {
    (0.2, 10_000): ("0.3466", "", ""),
    (0.4, 10_000): ("0.1973", "0.1060", "0.0461"),
    (0.4, 100_000): ("0.0359", "0.0172", "0.0069"),
    (0.8, 10_000): ("0.0443", "0.0254", "0.0125"),
    (0.8, 100_000): ("0.0066", "0.0036", "0.0017"),
}
"""By width and rows; the others of the first line cannot be read in our copy."""


def compute_table_one(run: Run) -> Section:
    """The printed values, and what lemma 2 and the smallest cell give on samples."""
    claims = [
        Claim.of(f"n = {rows:,}, t ≤ {width}, ρ = {correlation}", printed,
                 compute_corner(rows, width, correlation), note="ln(q)/q of one corner cell")
        for (width, rows), line in PRINTED.items()
        for correlation, printed in zip(CORRELATIONS, line, strict=True)
        if printed
    ]  # fmt: skip
    rows = run.choose((10_000, 100_000), (10_000,))
    found = {
        case: simulate(run, *case) for case in product(rows, run.choose((0.4, 0.8), (0.8,)),
                                                       CORRELATIONS)
    }  # fmt: skip
    most = max(rows)
    last = [found[most, 0.8, c]["lemma"].mean for c in CORRELATIONS]
    times = [one / compute_corner(most, 0.8, c) for one, c in zip(last, CORRELATIONS, strict=True)]
    return Section(
        title="Table 1: privacy on binormal data",
        finding="All 13 values that can be read are ln(q)/q, with q the expected number of rows in "
        f"one corner cell. Lemma 2 itself, on samples of {most:,} rows and widths up to 0.8, gives "
        f"{last[0]:.2f}, {last[1]:.2f} and {last[2]:.2f} for ρ = 0.1, 0.5 and 0.9: up to "
        f"{max(times):.0f} times as much, and not in the paper's order, "
        "in which related columns are safest.",
        words=[
            ("The corner is [2 − t, 2]², and q = floor(n · P) with P its probability under the "
            "binormal before it is cut. The table treats this cell as the emptiest. With positive "
            "ρ it is one of the two fullest corners: those where one value is high and the other "
            "low are nearly empty, and the emptier the higher ρ is. So the smallest cell does not "
            "grow as the paper's corner does. Lemma 2's constant is also dropped."),
            ("An intruder who knows the width finds a partner with probability 1 / (N − 1) in a "
            "cell of N rows; the last column is this figure at the narrowest width that leaves "
            "nobody alone, where a smallest cell of two or three rows is what stops the search."),
        ],
        claims=[Claims("Table 1, P for MEWS", claims)],
        tables=[
            Table(
                "The same by simulation: widths that the pruning scheme keeps, lemma 2 and the "
                "smallest cell",
                ["n, t ≤, ρ", "Table 1's reading", "lemma 2", "± error", "widths kept (q)",
                 "narrowest width kept", "largest 1/(N − 1) there"],
                [
                    [f"{n:,}, {t}, {c}", compute_corner(n, t, c), one["lemma"].mean,
                     one["lemma"].error, one["widths"].mean, one["width"].mean,
                     one["exposure"].mean]
                    for (n, t, c), one in found.items()
                ],
            )
        ],
        pictures=[
            Picture.of(
                draw_panels(
                    [Panel(title=f"n = {n:,}, widths up to 0.8", across="correlation ρ",
                           up="P (lower is said to be safer)", log="y", curves=trace(found, n))
                     for n in rows],
                    columns=len(rows),
                ),
                title="Table 1 and lemma 2",
                description="Privacy P over the correlation, logarithmic. The printed line falls; "
                "lemma 2 on samples lies far above it and does not fall: with 100,000 rows it "
                "rises.",
                caption="What the paper prints, and what its own lemma gives on samples.",
                name="mews-table-one",
            )
        ],
    )  # fmt: skip


def trace(found: dict, rows: int) -> dict:
    """Both figures over the correlation."""
    return {
        "Table 1, ln(q)/q of a corner": (
            CORRELATIONS,
            [compute_corner(rows, 0.8, c) for c in CORRELATIONS],
        ),
        "lemma 2 on samples": (
            CORRELATIONS,
            [found[rows, 0.8, c]["lemma"].mean for c in CORRELATIONS],
        ),
    }


def compute_corner(rows: int, width: float, correlation: float) -> float:
    """ln(q)/q with q the expected rows of the corner [2 - t, 2]²."""

    def below(x: float, y: float) -> float:
        shape = [[1.0, correlation], [correlation, 1.0]]
        return float(multivariate_normal.cdf([x, y], cov=shape))

    inner = EDGE - width
    share = below(EDGE, EDGE) - 2.0 * below(inner, EDGE) + below(inner, inner)
    count = math.floor(rows * share)
    return math.log(count) / count


def simulate(run: Run, rows: int, width: float, correlation: float) -> dict[str, Estimate]:
    """Lemma 2 over the widths that the pruning scheme keeps; 1 where it keeps none."""
    found = []
    for seed in run.seeds(6, 4):
        sample = draw_binormal(rows, correlation, seed)
        kept = sm.propose_widths(sample, ["x", "y"], upper=width / (2 * EDGE))
        first = kept.proposals[0] if kept.proposals else None
        found.append({
            "lemma": 1.0 if kept.privacy is None else kept.privacy,
            "widths": float(len(kept.proposals)),
            "width": first.width["x"] if first else math.nan,
            "exposure": 1.0 / (first.minimal_depth - 1) if first else 1.0,
        })  # fmt: skip
    return {name: average([one[name] for one in found]) for name in found[0]}


def average(values: list[float]) -> Estimate:
    """The mean where there is a value."""
    there = [one for one in values if not math.isnan(one)]
    return Estimate.from_runs(there) if there else Estimate(math.nan, math.nan)
