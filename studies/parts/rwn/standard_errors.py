"""9.2: do intervals from a release cover the truth, as q falls and as n grows?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

import swapmeet as sm
from kit.estimate import Estimate, repeat
from kit.panels import Panel, draw_panels
from kit.section import Picture, Section, Table, split_paragraphs
from parts.rwn.tables import describe

if TYPE_CHECKING:
    from kit.study import Run

QS = (0.05, 0.25, 0.5, 0.75, 1.0)
ROWS = (250, 1_000, 4_000)
TRUTH = {"x1": 1.0, "x2": 0.5, "x3": 0.0}
FORMULA = "y ~ x1 + x2 + x3"
K = 5


def run(run: Run) -> Section:
    """Coverage over q and n, and what the product tells of a single table."""
    rows = run.choose(ROWS, ROWS[:2])
    found = {
        n: {q: _find_coverage(n, q, run.seeds(200, 30)) for q in run.choose(QS, QS[1::3])}
        for n in rows
    }
    least, most = (found[rows[-1]][q] for q in (min(found[rows[-1]]), 1.0))
    told = _ask_the_product(run)
    return Section(
        title="Section 9.2: standard errors as q → 0",
        finding=f"It holds as q → 0, and only then: of nominal 95 % intervals, "
        f"{_worst(least):.0%} cover the truth at the smallest q and {_worst(most):.0%} at q = 1 "
        f"(the worst of three coefficients, n = {rows[-1]:,}, k = {K}).",
        words=split_paragraphs(f"""
            People are drawn from a known population (y on three correlated columns), masked, and
            fitted by least squares; {run.choose(200, 30)} samples each, so that a share has an
            error of up to {0.5 / run.choose(200, 30) ** 0.5:.1%}. At a fixed q the bias that
            masking brings stays while standard errors fall with n: more data make it worse. So the
            paper needs q → 0 "at the proper rate relative to n". Nobody publishes with such a q: at
            q = 0.05, 95 of 100 values are true.

            The product shows an analyst's prospects beforehand, from one table:
            `assess(coverage=…)` gives {told} for the three coefficients at q = 1 and n =
            {rows[0]:,}.
        """),
        tables=[
            Table(
                "Share of 95 % intervals that cover the truth, k = 5",
                ["n, q", *TRUTH],
                [
                    [f"{n:,}, {q:g}", *(f"{one[name].mean:.2f}" for name in TRUTH)]
                    for n, by in found.items()
                    for q, one in by.items()
                ],
            )
        ],
        pictures=[_picture(found)],
    )


def _worst(found: dict[str, Estimate]) -> float:
    return min(found[name].mean for name in TRUTH)


def _draw_people(n: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng([seed, 9])
    common, own = rng.normal(size=(n, 1)), rng.normal(size=(n, 3))
    values = 0.5**0.5 * (common + own)
    y = values @ np.array(list(TRUTH.values())) + rng.normal(size=n)
    return pd.DataFrame({"y": y, **dict(zip(TRUTH, values.T, strict=True))})


def _find_coverage(n: int, q: float, seeds) -> dict[str, Estimate]:
    def look(seed: int) -> dict[str, float]:
        people = _draw_people(n, seed)
        released = sm.mask(people, sm.RWN(k=K, q=q), schema=describe(people), seed=seed).data
        return _cover(released)

    return repeat(look, seeds)


def _cover(frame: pd.DataFrame) -> dict[str, float]:
    """Whether the 95 % interval of each coefficient holds the truth."""
    design = np.column_stack([np.ones(len(frame)), frame[list(TRUTH)]])
    inverse = np.linalg.inv(design.T @ design)
    beta = inverse @ design.T @ frame["y"].to_numpy()
    rest = frame["y"].to_numpy() - design @ beta
    errors = np.sqrt(np.diag(inverse) * (rest @ rest) / (len(frame) - design.shape[1]))
    inside = np.abs(beta[1:] - list(TRUTH.values())) <= 1.96 * errors[1:]
    return dict(zip(TRUTH, inside.astype(float), strict=True))


def _ask_the_product(run: Run) -> str:
    people = _draw_people(ROWS[0], 10_000)
    release = sm.mask(people, sm.RWN(k=K), schema=describe(people), seed=run.seed)
    card = sm.assess(
        people, release, measures=["spread"], coverage=[FORMULA], limits={},
        replicates=run.choose(100, 20),
    )  # fmt: skip
    terms = {term.name: term.coverage for term in card.coverage[0].terms}
    return ", ".join(f"{terms[name]:.2f}" for name in TRUTH)


def _picture(found: dict) -> Picture:
    panels = [
        Panel(
            title=f"n = {n:,}", across="q", up="share of intervals that cover",
            curves={
                name: (list(by), [one[name].mean for one in by.values()]) for name in TRUTH
            },
            levels={"promised": 0.95},
        )
        for n, by in found.items()
    ]  # fmt: skip
    return Picture.of(
        draw_panels(panels, columns=3),
        title="Coverage of 95 % intervals after RWN",
        description="A panel for each number of rows: coverage falls from the promised 95 % as q "
        "grows, and more so with more rows.",
        caption="Coefficients 1, 0.5 and 0 of x1, x2 and x3; k = 5.",
        name="rwn-coverage",
    )
