"""Lemmas 1 and 2 beside what an intruder finds who knows the groups."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import swapmeet as sm
from kit.section import Section, Table
from parts.mews.data import load_tables
from parts.mews.releases import find_bins, mask, read_partition

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kit.study import Run

GAMMA = 0.5772156649


def compare_lemmas(run: Run) -> Section:
    """The literal lemmas, their approximations, and the honest figure of releases."""
    tables = load_tables(run.choose(100_000, 10_000))
    releases = [*list_releases(run, tables)]
    worst = sum(row[-2] == 1.0 for row in releases)
    return Section(
        title="Lemmas 1 and 2, and the honest figure",
        finding=f"In {worst} of {len(releases)} releases some row is alone or has one possible "
        "partner only, so that someone who knows the groups reads it with certainty; the lemmas "
        "say less than 0.1 for MEDS whatever the groups are, because they count partitions, not "
        "rows.",
        words=[
            ("Both lemmas average over the q partitions that the publisher might have chosen, and "
            "fall as ln(q)/q. An intruder who knows the method can try all q of them. The honest "
            "figure is the largest 1 / (N − 1) over the groups that were used, and 1 for a row "
            "that is alone, for it keeps its values."),
            ("Lemma 1's constant is misprinted: (H(q/2) + q/(2(q + 2))) − ln q tends to γ − ln 2 + "
            f"½ = {GAMMA - math.log(2) + 0.5:.3f}, not into [γ + 0.2, 1.2] = "
            f"[{GAMMA + 0.2:.2f}, 1.2]. Lemma 2 has no closed form: N* takes the values 2, 3, … "
            "only if the widths that are kept give each of them, and on real data they do not."),
        ],
        tables=[
            Table(
                "Lemma 1, literally and by its approximation",
                ["q", "lemma 1", "(ln q + 0.384)/q", "(ln q + γ + 0.2)/q, as printed"],
                [[q, compute_lemma_one(q), (math.log(q) + GAMMA - math.log(2) + 0.5) / q,
                  (math.log(q) + GAMMA + 0.2) / q] for q in (10, 100, 1000, 10_000)],
            ),
            Table(
                "Releases: the first two columns are the swapping set",
                ["release", "groups", "smallest", "rows alone", "rows left over",
                 "largest 1/(N − 1)", "the lemma"],
                releases,
            ),
        ],
    )  # fmt: skip


def compute_lemma_one(partitions: int) -> float:
    """The sum as printed."""
    harmonic = math.fsum(1.0 / i for i in range(1, partitions // 2 + 1))
    return (harmonic + partitions / (2.0 * (partitions + 2.0))) / partitions


def list_releases(run: Run, tables: dict) -> Iterator[list[object]]:
    for name, table in tables.items():
        columns = tuple(table.columns[:2])
        kept = sm.propose_widths(table, list(columns)).privacy
        for degree in run.choose((100, 1000), (100,)):
            bins = find_bins(table, columns, degree)
            own = read_partition(mask(table, sm.MEWS(columns=columns, bins=bins), run.seed))
            yield [f"{name}, MEWS, {bins} bins", *own, own.exposure,
                   "no width" if kept is None else kept]  # fmt: skip
            size = len(table) // degree
            own = read_partition(mask(table, sm.MEDS(columns=columns, k=size), run.seed))
            yield [f"{name}, MEDS, k = {size}", *own, own.exposure,
                   compute_lemma_one(len(table) // 2 - 1)]  # fmt: skip
