"""All trials of the paper's grids, made once: parts read them from the journals of searches."""

from __future__ import annotations

import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from multiprocessing import get_context
from typing import TYPE_CHECKING

import numpy as np

import swapmeet as sm
from parts.sjppds.settings import Tried, choose, find_least, group_by_method
from parts.sjppds.tables import REAL, SIMULATED, describe, read, simulate

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import pandas as pd

    from kit.study import Run

MEASURES = (
    "dbrl", "rid", "sdid", "dbrl-sorted", "rid-sorted", "sdid-sorted", "propensity", "pil", "cbil",
    "dr3",
)  # fmt: skip
GRIDS = ("sjppds-paper", "sjppds-paper-synthetic")
UNBOUNDED = "whole=ignore:bounds=none"
QUICK = (
    "sjppds:bins=10|30|100|130|200|300",
    "microaggregation:k=2|5|7|9|20:by=mdav|pca|pppca",
    f"noise:level=0.09|0.69|0.93|1.17:{UNBOUNDED}",
    f"noise:level=0.3|0.4123105625617661|0.7810249675906654|1.0816653826391966:correlated=true:{UNBOUNDED}",
    "rank-swap:window=0.2|0.32|0.4|0.6:top=0.05:bottom=0.05",
    "data-shuffle",
)
"""A part of the grids."""
QUICK_ORDERS = 4
TABLES = 10
"""Of each kind; the paper has 30."""
REPEATS = 30
"""Of each method's chosen setting, as in the paper."""


@cache
def search_real(run: Run) -> dict[str, list[Tried]]:
    """The trials of census and tarragona; the settings that are chosen have 30 repeats."""
    return {name: _search_and_repeat(run, name) for name in REAL}


@cache
def search_simulated(run: Run) -> dict[str, list[list[Tried]]]:
    """The trials of each simulated table, one run of each setting."""
    numbers = range(run.choose(TABLES, 2))
    jobs = [(kind, number, run) for number in numbers for kind in SIMULATED]
    with ProcessPoolExecutor(os.cpu_count(), get_context("spawn")) as pool:
        found = [*pool.map(_search_simulated, *zip(*jobs, strict=True))]
    return {
        kind: [trials for (own, _, _), trials in zip(jobs, found, strict=True) if own == kind]
        for kind in SIMULATED
    }


def _search_and_repeat(run: Run, name: str) -> list[Tried]:
    table = read(name)
    tried = _search(run, name, table, repeats=run.choose(10, 2), workers=None)
    again = {
        best.candidate.label: best.candidate.method
        for own in group_by_method(tried).values()
        for view in ("paper", "owners", "synthetic")
        if (best := choose(own, view)) is not None
    }
    least = find_least(group_by_method(tried)["noise-a"])
    again |= {one.candidate.label: one.candidate.method for one in least}
    return _try(
        run, name, table, methods=[*again.values()], repeats=run.choose(REPEATS, 5), workers=None
    )


def _search_simulated(kind: str, number: int, run: Run) -> list[Tried]:
    table = simulate(kind, number)
    return _search(run, f"{kind}-{number:02}", table, repeats=1, workers=1)


def _search(
    run: Run, name: str, table: pd.DataFrame, *, repeats: int, workers: int | None
) -> list[Tried]:
    if run.quick:
        draw = np.random.default_rng(run.seed).permutation
        orders = [sm.Cart(order=draw(table.columns).tolist()) for _ in range(QUICK_ORDERS)]
        methods = [*QUICK, *orders]
        return _try(run, name, table, methods=methods, repeats=repeats, workers=workers, first=True)
    _try(run, name, table, grid=GRIDS[0], repeats=repeats, workers=workers, first=True)
    return _try(run, name, table, grid=GRIDS[1], repeats=repeats, workers=workers)


def _try(
    run: Run,
    name: str,
    table: pd.DataFrame,
    *,
    repeats: int,
    workers: int | None,
    grid: str | None = None,
    methods: Sequence[object] | None = None,
    first: bool = False,
) -> list[Tried]:
    """All trials that the table has then; those that its journal holds are not made again."""
    begin = time.perf_counter()
    study = sm.tune(
        table, methods, grid=grid, limit={}, goal=sm.Goal.of_sjppds_paper(), measures=MEASURES,
        repeats=repeats, final_repeats=1, schema=describe(table), workers=workers, seed=run.seed,
        journal=_place(run, name), fresh=first and run.afresh,
    )  # fmt: skip
    told = f"{name}: {len(study.trials):,} trials ({time.perf_counter() - begin:.0f} s)"
    print(told, file=sys.stderr, flush=True)
    return [Tried(one) for one in study.candidates if not one.failure]


def _place(run: Run, name: str) -> Path:
    kind = ".quick" if run.quick else ""
    return run.folder / f"{name}.{run.seed}{kind}.study.jsonl"
