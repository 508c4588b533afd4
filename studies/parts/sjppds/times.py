"""Figures 14 and 15: running times."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

import swapmeet as sm
from kit.claim import Claim
from kit.panels import Panel, draw_panels
from kit.section import Claims, Picture, Section, Table
from parts.sjppds.literal import full, sequential, simplified
from parts.sjppds.tables import describe

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kit.study import Run

METHODS = {
    "sjppds": sm.SJPPDS(bins=100),
    "micro-mdav": sm.Microaggregation(k=7),
    "micro-pca": sm.Microaggregation(k=7, by="pca"),
    "micro-pppca": sm.Microaggregation(k=7, by="pppca"),
    "noise-a": sm.Noise(level=1.0, whole="ignore", bounds="none"),
    "noise-c": sm.Noise(level=1.0, correlated=True, whole="ignore", bounds="none"),
    "rankswap-p": sm.RankSwap(window=0.15, top=0.05, bottom=0.05),
    "d-shuffle": sm.DataShuffle(),
    "cart": sm.Cart(),
}
"""With the settings of A1.6."""
LITERAL = {"Algorithm 3, simplified": simplified, "Algorithm 3, full": full}
MOST_ROWS = 1_000
"""For the full version."""
ONE_PASS, TWO_PASSES = "one pass (Swapmeet)", "Algorithms 2 and 3, literally"
BASE = {"rows": 10_000, "columns": 10, "bins": 100}
GROWTH = {"columns": "2.0", "rows": "1.0", "bins": "1.0"}
"""The exponents that the paper states for the simplified version."""
FIXED = "what does not grow with it takes part of the time"
WHY = (
    "One pass over each column: sorted by bin once, whatever the number of bins, and other columns "
    "are not touched."
)


def run(run: Run) -> Section:
    """Take the CPU time of all methods, and of SJPPDS as it grows."""
    sizes = run.choose((1_000, 5_000, 10_000), (1_000,))
    growth = {what: _grow(what, run) for what in GROWTH}
    rows = [[name, *(_time_method(method, size, 12, run) for size in sizes)]
            for name, method in METHODS.items()]  # fmt: skip
    rows += [[f"{name} (numpy)", *(_time_literal(f, size, run) for size in sizes)]
             for name, f in LITERAL.items()]  # fmt: skip
    largest = f"{sizes[-1]:,} rows, 12 columns, 100 bins: CPU seconds"
    return Section(
        title="Running times",
        finding="What the paper calls O(n(p² + n_c·p)) is O(np): one pass takes a fraction of the "
        "time, and neither more bins nor more columns beside it make a column slower.",
        words=[
            (
                "CPU time of one mask, after a first one that compiles loops, with the audit "
                "record; multivariate normal data of A1.6. The paper's times are those of R on "
                "another machine: only growth and order can be compared. The full SJPPDS is slow "
                "for nothing, as the part before shows."
            ),
        ],
        claims=[
            Claims(
                "Exponents of growth, from the two largest sizes",
                [
                    *(_claim(what, TWO_PASSES, growth, margin=0.6) for what in GROWTH),
                    *(
                        _claim(
                            what, ONE_PASS, growth, margin=0.3, note="" if what == "rows" else WHY
                        )
                        for what in GROWTH
                    ),
                ],
            ),
            Claims(
                "Simplified SJPPDS (the paper: under 1.5 s)",
                [Claim.of(largest, "", rows[0][-1])],
            ),
        ],
        tables=[
            Table(
                "CPU seconds, 12 columns (Figure 14)",
                ["method", *(f"{size:,} rows" for size in sizes)],
                rows,
            )
        ],
        pictures=[_draw(growth)],
    )


def _make(rows: int, columns: int, seed: int) -> pd.DataFrame:
    places = np.arange(columns)
    cov = (-0.75) ** np.abs(places[:, None] - places)
    values = np.random.default_rng(seed).multivariate_normal(np.zeros(columns), cov, rows)
    return pd.DataFrame(values, columns=[f"x{place}" for place in places])


def _take_time(work: Callable[[], object], repeats: int) -> float:
    """The least CPU time of some repeats, after one that does not count."""
    work()
    found = []
    for _ in range(repeats):
        begin = time.process_time()
        work()
        found.append(time.process_time() - begin)
    return min(found)


def _time_method(method: object, rows: int, columns: int, run: Run) -> float:
    table = _make(rows, columns, run.seed)
    schema, engine = describe(table), sm.Local(threads=1)
    return _take_time(
        lambda: sm.mask(table, method, schema=schema, seed=run.seed, engine=engine),
        run.choose(3, 1),
    )


def _time_literal(shuffling: Callable[..., object], rows: int, run: Run) -> float | None:
    """Once; the full version only where it does not take minutes."""
    if shuffling is full and rows > MOST_ROWS:
        return None
    values = _make(rows, 12, run.seed).to_numpy()
    rng = np.random.default_rng(run.seed)
    begin = time.process_time()
    sequential(values, 100, rng, shuffling)
    return time.process_time() - begin


def _grow(what: str, run: Run) -> dict[str, tuple[Sequence[float], Sequence[float]]]:
    """Times by size, literally and in one pass."""
    sizes = {
        "columns": run.choose((5, 10, 20, 50), (5, 20)),
        "rows": run.choose((10_000, 20_000, 50_000), (10_000, 30_000)),
        "bins": run.choose((100, 200, 500, 1_000), (100, 1_000)),
    }[what]
    one, two = [], []
    for size in sizes:
        asked = {**BASE, what: size}
        table = _make(asked["rows"], asked["columns"], run.seed)
        values, schema = table.to_numpy(), describe(table)
        method, engine = sm.SJPPDS(bins=asked["bins"]), sm.Local(threads=1)
        rng = np.random.default_rng(run.seed)
        one.append(
            _take_time(
                partial(sm.mask, table, method, schema=schema, seed=1, engine=engine),
                run.choose(3, 2),
            )
        )
        begin = time.process_time()
        sequential(values, asked["bins"], rng, simplified)
        two.append(time.process_time() - begin)
    return {TWO_PASSES: (sizes, two), ONE_PASS: (sizes, one)}


def _claim(what: str, which: str, growth: dict, *, margin: float, note: str = "") -> Claim:  # type: ignore[type-arg]
    sizes, times = growth[what][which]
    slope = round(np.log(times[-1] / times[-2]) / np.log(sizes[-1] / sizes[-2]), 1) + 0.0
    return Claim.of(
        f"{which}: {what}", GROWTH[what], float(slope), margin=margin, because=note or FIXED
    )


def _draw(growth: dict) -> Picture:  # type: ignore[type-arg]
    panels = [
        Panel(
            title=f"more {what}", across=what, up="CPU seconds" if what == "columns" else "",
            curves=growth[what], log="xy",
        )
        for what in GROWTH
    ]  # fmt: skip
    return Picture.of(
        draw_panels(panels, columns=3),
        title="Figure 15: how the time of SJPPDS grows",
        description="CPU seconds over columns, rows and bins on logarithmic axes. The literal "
        "algorithms grow with all three, one pass only with rows and columns, and is far below.",
        caption="10,000 rows, 10 columns and 100 bins unless the axis says otherwise.",
        name="sjppds-times",
    )
