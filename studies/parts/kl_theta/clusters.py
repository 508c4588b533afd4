"""The clusters: how many, how large, how diverse, and whether they are the author's."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING
from unittest.mock import patch

import numpy as np
import pandas as pd

import swapmeet as sm
from kit.claim import Claim
from kit.data import SHARED
from kit.section import Claims, Section, Table, split_paragraphs
from parts.kl_theta.tables import (
    KEYS,
    SENSITIVE,
    WEIGHTS,
    choose_method,
    describe_adult,
    find_clusters,
    read_adult,
)
from swapmeet.methods.kl_theta import paper

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from kit.study import Run

AGES = "17 to 90 are 74 ages; in the file one of them (89) does not occur"
UNKNOWN_JOB = "the file has 14 occupations and '?', which the author's program takes for one more"
EXAMPLES = {
    "Figure 1": (
        ["20-30"] * 3 + ["30-40"] * 3,
        ["Bachelors"] * 3 + ["Doctorate"] * 3,
        ["Sales"] * 3 + ["Prof-specialty", "Exec-managerial", "Armed-Forces"],
    ),
    "Figure 2": (
        ["20-30"] * 4 + ["30-40"] * 4,
        ["Bachelors"] * 4 + ["Doctorate"] * 4,
        ["Sales"] * 3 + ["Craft-repair", "Sales", "Armed-Forces", "Prof-specialty", "Sales"],
    ),
    "Figure 3": (
        ["one cluster"] * 4,
        ["one cluster"] * 4,
        ["Sales", "Armed-Forces", "Sales", "Craft-repair"],
    ),
}


def make_clusters(run: Run) -> Section:
    """Counts of the algorithm's steps, the author's partition, and the conditions."""
    adult = read_adult()
    with _watch_steps() as steps:
        sm.mask(adult, choose_method(), schema=describe_adult(), seed=run.seed)
    made, queued, left = steps
    labels, balanced = (find_clusters(one, run.seed) for one in ("paper", "balanced"))
    return Section(
        title="The clusters",
        finding="The paper's algorithm gives the author's clusters, row for row: "
        f"{labels.max() + 1:,} clusters that hold all 32,561 rows. Clusters of equal size are "
        f"also possible: the largest then has {np.bincount(balanced).max()} rows, not "
        f"{np.bincount(labels).max()}.",
        words=split_paragraphs(
            """
            K = 10, L = 5, θ = 0.3. Clusters are not published; the paper's were recovered from the
            audit records of several releases, which say who gave to whom. The counts of steps come
            from the algorithm while it ran; those marked 'the author's program' were read from that
            program's own run, as the paper prints none.
            """
        ),
        claims=[
            Claims(
                "Attributes (Figure 4)",
                [
                    Claim.of("races", "5", adult["race"].nunique()),
                    Claim.of("educations", "16", adult["education"].nunique()),
                    Claim.of("sexes", "2", adult["sex"].nunique()),
                    Claim.of("ages", "74", adult["age"].nunique(), note=AGES),
                    Claim.of("occupations", "14", adult[SENSITIVE].nunique(), note=UNKNOWN_JOB),
                    Claim.of("rows", "32561", len(adult)),
                ],
            ),
            Claims(
                "Steps and clusters (the author's program; unplaced rows: section 4.3)",
                [
                    Claim.of("clusters after step 2", "3881", made),
                    Claim.of("rows in the backup queue", "13158", queued),
                    Claim.of("rows unplaced after step 3", "0", left),
                    Claim.of("clusters in the end", "2530", int(labels.max()) + 1),
                    Claim.of("clusters that are the author's", "2530", _count_same(labels)),
                ],
            ),
            Claims("Examples (Figures 1 to 3)", list(_check_examples())),
        ],
        tables=[
            _compare("strategy", {"paper": labels, "balanced": balanced}),
            _compare(
                "weights",
                {name: find_clusters("paper", run.seed, table=name) for name in WEIGHTS},
            ),
        ],
    )


@contextmanager
def _watch_steps() -> Iterator[list[int]]:
    """Clusters and queue after step 2 and rows without a cluster after step 3, of the first round.

    They are known to the algorithm only.
    """
    found: list[int] = []
    steps = paper._Run  # noqa: SLF001
    grow, place = steps.grow, steps.place

    def grow_watched(self: object, left: object) -> object:
        queue = grow(self, left)
        found.extend([self.made, len(queue)] if not found else [])
        return queue

    def place_watched(self: object, queue: object) -> object:
        left = place(self, queue)
        found.extend([len(left)] if len(found) == 2 else [])
        return left

    with (
        patch.object(steps, "grow", grow_watched),
        patch.object(steps, "place", place_watched),
    ):
        yield found


def _count_same(labels: npt.NDArray[np.int64]) -> int:
    """Clusters that hold exactly the rows of one of the author's."""
    path = SHARED / "reference" / "kl_theta" / "adult_k10_l5_theta03_clusters.csv.gz"
    theirs = pd.read_csv(path, header=None, index_col=0)[1].sort_index().to_numpy()
    pairs = pd.DataFrame({"ours": labels, "theirs": theirs}).drop_duplicates()
    alone = ~pairs["ours"].duplicated(keep=False) & ~pairs["theirs"].duplicated(keep=False)
    return int(alone.sum())


def _check_examples() -> Iterator[Claim]:
    """The small tables that explain the conditions, by the measure `k-anonymity`."""
    found = {name: _describe_groups(pd.DataFrame({"age": a, "education": e, SENSITIVE: s}))
             for name, (a, e, s) in EXAMPLES.items()}  # fmt: skip
    larger = "groups of four: the table is 3-anonymous, and even 4-anonymous"
    yield Claim.of("Figure 1: K", "3", found["Figure 1"][0])
    yield Claim.of("Figure 1: L", "1", found["Figure 1"][1])
    yield Claim.of("Figure 2: K", "3", found["Figure 2"][0], margin=1.0, note=larger)
    yield Claim.of("Figure 2: L", "2", found["Figure 2"][1])
    yield Claim.of("Figure 2: largest share", "0.75", found["Figure 2"][2])
    yield Claim.of("Figure 3: K", "4", found["Figure 3"][0])
    yield Claim.of("Figure 3: L", "3", found["Figure 3"][1])
    yield Claim.of("Figure 3: largest share", "0.5", found["Figure 3"][2])


def _describe_groups(table: pd.DataFrame) -> tuple[float, int, float]:
    """Least size, least number of values, largest share of one, by groups of equal keys."""
    keys = [name for name in table if name != SENSITIVE]
    card = sm.assess(
        table, table, match="rows", key=keys, sensitive=[SENSITIVE], known=keys,
        measures=["k-anonymity"], limits={},
    )  # fmt: skip
    score = card["k-anonymity"]
    return score.value, score.details[f"L of {SENSITIVE}"], score.details[f"theta of {SENSITIVE}"]


def _compare(by: str, found: dict[str, npt.NDArray[np.int64]]) -> Table:
    adult, rows = read_adult(), []
    for name, labels in found.items():
        groups = pd.DataFrame({"cluster": labels.astype(str), SENSITIVE: adult[SENSITIVE]})
        least, values, share = _describe_groups(groups)
        sizes = np.unique(labels, return_counts=True)[1]
        inside = adult.groupby(labels)
        rows.append(
            [
                name, len(sizes), int(least), int(sizes.max()), values, share,
                float(inside["age"].std().mean()),
                *(float(inside[key].nunique().mean()) for key in KEYS[:3]),
            ]
        )  # fmt: skip
    heads = [by, "clusters", "smallest (K)", "largest", "fewest occupations (L)",
             "largest share (θ)", "sd of age", "races", "educations", "sexes"]  # fmt: skip
    return Table(
        f"The clusters by {by}; K, L and θ by the measure k-anonymity, the last four as means "
        "inside a cluster",
        heads,
        rows,
    )
