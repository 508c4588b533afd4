"""Section 7: the joint distribution converges as neighbourhoods shrink, and when they do not."""

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

RADII = (0.8, 0.4, 0.2, 0.1, 0.05, 0.025, 0.0125)
COLUMNS = (2, 5, 10, 20)
ROWS = (500, 5_000, 10_000)
CORRELATION = 0.3
LAWS = {
    "normal, correlation 0.8": lambda x, e: 0.8 * x + 0.6 * e,
    "curve: y = x² + noise": lambda x, e: x**2 + 0.3 * e,
}


def run(run: Run) -> Section:
    """Two laws over eps, and the normal law over the number of columns."""
    rows = run.choose(20_000, 3_000)
    gaps = {
        name: {eps: _find_gap(name, eps, rows, run.seeds(2, 2)) for eps in RADII} for name in LAWS
    }
    kept = {
        p: {n: _find_kept(p, n, run.seeds(2, 2)) for n in run.choose(ROWS, ROWS[:2])}
        for p in COLUMNS
    }
    normal = next(iter(gaps.values()))
    sizes = list(kept[2])
    return Section(
        title="Section 7: the theorem on shrinking neighbourhoods",
        finding="It holds: the largest difference between the joint distribution functions falls "
        f"from {normal[RADII[0]].mean:.3f} at eps = {RADII[0]:g} to {normal[RADII[-1]].mean:.4f} "
        f"at eps = {RADII[-1]:g}, for a straight and for a curved relation. But a table is far "
        f"from this limit: with ten columns, k = 10 and {sizes[-1]:,} rows, correlations become "
        f"{kept[10][sizes[-1]].mean:.2f} times as large.",
        words=split_paragraphs(f"""
            {rows:,} draws of two columns, masked with k = 1 and all rows within eps, each value
            with a draw of its own. The difference is the largest over a grid of 40 by 40 points.
            The radius that holds k of n rows shrinks like n to the power −1/p: slowly, where there
            are p = 10 columns. The second panel has columns that all correlate by {CORRELATION},
            and k = 10. A number above 1 means relations that became stronger: what is a person's
            own in single columns is replaced by what neighbours have. More rows do not soon mend
            that.
        """),
        tables=[
            Table(
                "Largest difference of joint distribution functions",
                ["eps", *LAWS],
                [[eps, *(f"{gaps[name][eps].mean:.4f}" for name in LAWS)] for eps in RADII],
            ),
            Table(
                "Mean correlation after RWN with k = 10, by that before",
                ["columns", *(f"{n:,} rows" for n in sizes)],
                [[p, *(f"{kept[p][n].mean:.3f}" for n in sizes)] for p in COLUMNS],
            ),
        ],
        pictures=[_picture(gaps, kept)],
    )


def _find_gap(name: str, eps: float, n: int, seeds) -> Estimate:
    """How far the joint distribution of a release is from that of its original."""

    def look(seed: int) -> dict[str, float]:
        rng = np.random.default_rng([seed, 1])
        x, noise = rng.normal(size=(2, n))
        frame = pd.DataFrame({"x": x, "y": LAWS[name](x, noise)})
        released = sm.mask(frame, sm.RWN(k=1, eps=eps), schema=describe(frame), seed=seed).data
        cuts = [np.quantile(frame[column], np.linspace(0.02, 0.98, 40)) for column in frame]
        return {"gap": float(np.abs(_count(frame, cuts) - _count(released, cuts)).max())}

    return repeat(look, seeds)["gap"]


def _count(frame: pd.DataFrame, cuts: list[np.ndarray]) -> np.ndarray:
    """The joint distribution function at all pairs of cuts."""
    places = [np.searchsorted(cut, frame[name]) for name, cut in zip(frame, cuts, strict=True)]
    counts = np.zeros((41, 41))
    np.add.at(counts, tuple(places), 1.0)
    return counts.cumsum(axis=0).cumsum(axis=1)[:-1, :-1] / len(frame)


def _find_kept(p: int, n: int, seeds) -> Estimate:
    """The mean correlation of a release, in units of the original's."""

    def look(seed: int) -> dict[str, float]:
        rng = np.random.default_rng([seed, 2])
        common, own = rng.normal(size=(n, 1)), rng.normal(size=(n, p))
        values = CORRELATION**0.5 * common + (1.0 - CORRELATION) ** 0.5 * own
        frame = pd.DataFrame(values, columns=[f"x{j}" for j in range(p)])
        release = sm.mask(frame, sm.RWN(k=10), schema=describe(frame), seed=seed)
        card = sm.assess(frame, release, measures=["correlations"], limits={})
        found = card["correlations"].details
        return {"kept": found["mean size after"] / found["mean size before"]}

    return repeat(look, seeds)["kept"]


def _picture(gaps: dict, kept: dict) -> Picture:
    panels = [
        Panel(
            title="two columns: joint distribution", across="eps",
            up="largest difference",
            curves={
                name: (list(by), [one.mean for one in by.values()]) for name, by in gaps.items()
            },
            log="xy",
        ),
        Panel(
            title="k = 10: mean correlation", across="columns", up="after / before",
            curves={
                f"{n:,} rows": (list(kept), [by[n].mean for by in kept.values()])
                for n in next(iter(kept.values()))
            },
        ),
    ]  # fmt: skip
    return Picture.of(
        draw_panels(panels, height=2.8),
        title="The theorem on shrinking neighbourhoods",
        description="Left: the largest difference of joint distributions falls with eps for both "
        "laws. Right: what is left of correlations by number of columns and rows.",
        caption="Left, both axes are logarithmic. Right, 1 would be no change.",
        name="rwn-theorem",
    )
