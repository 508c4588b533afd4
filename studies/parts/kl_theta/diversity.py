"""The clusters by the other conditions that the paper mentions: entropy and recursive l-diversity,
t-closeness.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

import swapmeet as sm
from kit.section import Section, Table, split_paragraphs
from parts.kl_theta.tables import KEYS, SENSITIVE, THETA, find_clusters, read_adult

if TYPE_CHECKING:
    import numpy.typing as npt

    from kit.study import Run

KINDS = ("distinct", "entropy", "recursive")
SETTINGS = {
    "paper": ("paper", THETA),
    "balanced": ("balanced", THETA),
    "balanced, θ = 0.2": ("balanced", 0.2),
}
"""Strategy and θ."""


def make_diversity(run: Run) -> Section:
    """Worst cluster and mean over people, by the product's measures per group."""
    found = {
        name: _measure(find_clusters(strategy, run.seed, theta))
        for name, (strategy, theta) in SETTINGS.items()
    }
    keys = _measure(read_adult().groupby(KEYS).ngroup().to_numpy())
    worst = found["paper"]
    return Section(
        title="The clusters by other conditions",
        finding=f"L = 5 and θ = 0.3 keep the worst of the paper's clusters at an entropy of "
        f"{worst['entropy'][0]:.1f} equally frequent occupations, but up to "
        f"{worst['t-closeness'][0]:.2f} away from the table's distribution.",
        words=split_paragraphs(
            f"""
            The paper counts distinct values, and names t-closeness and other diversities as
            further conditions. An entropy of 5 means: as hard to guess as 5 equally frequent
            values. Recursive diversity (c = 3) is the largest l for which the most common value is
            rarer than three times all from the l-th most common on. t-closeness is the share that
            would have to change for the cluster to look like the table.

            For comparison, people who share all four keys in the original: the worst of these
            classes has an entropy of {keys["entropy"][0]:.0f}, which is what clusters are made
            against. A mean t-closeness of {worst["t-closeness"][1]:.2f} is much: a cluster of ten
            cannot look like a table of 15 occupations.
            """
        ),
        tables=[
            Table(
                "The worst cluster, and the mean over people (in brackets)",
                ["", *KINDS, "t-closeness"],
                [
                    [name, *(f"{least:.2f} ({mean:.2f})" for least, mean in one.values())]
                    for name, one in {**found, "equal keys, no clusters": keys}.items()
                ],
            )
        ],
    )


def _measure(labels: npt.NDArray[np.int64]) -> dict[str, tuple[float, float]]:
    """By measure: the worst class and the mean over people, of rows that are in a cluster."""
    placed = labels >= 0
    table = pd.DataFrame(
        {"cluster": labels[placed].astype(str), SENSITIVE: read_adult()[SENSITIVE][placed]}
    )
    card = sm.assess(
        table, table, match="rows", key=["cluster"], sensitive=[SENSITIVE], known=["cluster"],
        measures=["l-diversity", "t-closeness"], limits={},
    )  # fmt: skip
    details = card["l-diversity"].details
    close = card["t-closeness"]
    return {
        **{
            kind: (details[f"{kind} of {SENSITIVE}"], details[f"mean {kind} of {SENSITIVE}"])
            for kind in KINDS
        },
        "t-closeness": (close.value, float(np.mean(close.records))),
    }
