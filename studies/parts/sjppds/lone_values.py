"""Values alone in their bin never move: the largest firms of tarragona."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import swapmeet as sm
from kit.claim import Claim
from kit.estimate import Estimate
from kit.section import Claims, Section, Table
from parts.sjppds.tables import REAL, describe, read

if TYPE_CHECKING:
    from kit.study import Run

BINS = (10, 30, 110, 300)
TOGETHER = 11
REMEDY = 5


def run(run: Run) -> Section:
    """Count the cells that stay, and what merging of bins does."""
    rows = [_count(run, name, bins) for name in REAL for bins in BINS]
    merged = [_count(run, name, bins, REMEDY) for name in REAL for bins in (30, 110)]
    firms = _count_stuck(run, "tarragona", 110)
    return Section(
        title="Values that never move",
        finding=f"On tarragona with 110 bins {int(np.sum(firms >= TOGETHER))} firms keep at least "
        f"{TOGETHER} of their 13 values, together and in every release. They are among the ten "
        "largest by most columns.",
        words=[
            ("Bins have equal widths, and money is skewed: nearly all firms are in the lowest "
            "bins, and the largest have bins of their own. What is alone in its bin stays with "
            "its row. The paper does not mention it. Swapmeet counts such cells with every "
            f"release, and `min_bin` merges neighbouring bins; with {REMEDY} nothing has to stay."),
        ],
        claims=[
            Claims(
                "tarragona, 110 bins",
                [
                    Claim.of(
                        f"firms with at least {TOGETHER} of 13 values that cannot move", "",
                        int(np.sum(firms >= TOGETHER)),
                    ),
                    Claim.of("firms with at least one such value", "", int(np.sum(firms > 0))),
                    Claim.of(
                        f"firms that keep at least {TOGETHER} of 13 values in a release, with "
                        "those that stay by chance", "", _count_kept(run, "tarragona", 110),
                    ),
                ],
            )
        ],
        tables=[
            Table(
                "Cells that cannot move, and whom an intruder finds",
                ["setting", "cells", "people", "most in one row", "DBRL, true", "linkage, true"],
                [*rows, *merged],
            )
        ],
    )  # fmt: skip


def _count_stuck(run: Run, name: str, bins: int, least: int = 1) -> np.ndarray:
    """Of each row, how many values cannot move."""
    table = read(name)
    method = sm.SJPPDS(bins=bins, min_bin=least)
    release = sm.mask(table, method, schema=describe(table), seed=run.seed)
    counts = np.zeros(len(table), int)
    for rows in release.audit.stuck.values():
        counts[rows] += 1
    return counts


def _count_kept(run: Run, name: str, bins: int) -> Estimate:
    """How many rows keep most of their values, over some releases."""
    table = read(name)
    own = np.arange(len(table))[:, None]
    found = []
    for seed in run.seeds(30, 5):
        release = sm.mask(table, sm.SJPPDS(bins=bins), schema=describe(table), seed=seed)
        found.append(int(np.sum((release.audit.donors == own).sum(axis=1) >= TOGETHER)))
    return Estimate.from_runs(found)


def _count(run: Run, name: str, bins: int, least: int = 1) -> list[object]:
    table = read(name)
    method = sm.SJPPDS(bins=bins, min_bin=least)
    release = sm.mask(table, method, schema=describe(table), seed=run.seed)
    card = sm.assess(
        table, release, schema=describe(table), measures=["dbrl", "linkage"], limits={}
    )
    stuck = _count_stuck(run, name, bins, least)
    told = f", min_bin {least}" if least > 1 else ""
    return [
        f"{name}, {bins} bins{told}", int(stuck.sum()), int(np.sum(stuck > 0)), int(stuck.max()),
        float(card["dbrl"].value), float(card["linkage"].value),
    ]  # fmt: skip
