"""What the conditions promise, and what the verdict says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import swapmeet as sm
from kit.section import Section, Table, split_paragraphs
from parts.kl_theta.tables import (
    SENSITIVE,
    THETA,
    describe_adult,
    find_clusters,
    read_adult,
    release_adult,
)
from parts.kl_theta.workload import DEFAULT, QUERIES, Cube

if TYPE_CHECKING:
    from kit.study import Run

MEASURES = ("linkage", "copies", "inference", "membership", "k-anonymity", "queries")
STRATEGIES = {
    "paper": ("paper", THETA),
    "balanced": ("balanced", THETA),
    "balanced, θ = 0.2": ("balanced", 0.2),
}
"""Strategy and θ."""


def make_privacy(run: Run) -> Section:
    """Guesses of an intruder who knows the clusters, and the verdict, by strategy."""
    cards = {name: _assess(run, *setting) for name, setting in STRATEGIES.items()}
    guesses = {name: _guess(run, *setting) for name, setting in STRATEGIES.items()}
    errors = _relate_errors(run)
    found = cards["paper"]["linkage"].value
    return Section(
        title="What it protects",
        finding="Inside a cluster the value is hidden as promised, and guesses stay below θ. "
        "People are not hidden: keys are published as they are, and "
        f"{100 * found:.0f} of 100 are found by them.",
        words=[
            f"The paper's clusters: {_say_why(cards['paper'])}",
            *split_paragraphs(
                f"""
                Adult has only 3,355 combinations of the four keys, so that most people share
                theirs; in a survey with finer keys the same method leaves more than half of the
                people to be found. The paper says so itself: membership is a 'fundamental
                weakness' of publishing all keys.

                An intruder who knows the cluster of a person and names its most frequent
                occupation is right as often as the table says, and the value in a person's own
                row is the person's own somewhat less often. The paper's rules stay below θ by
                themselves: no cluster has a value with more than a quarter of its rows. Balanced
                clusters use θ up, and guesses are right more often. Balanced clusters with
                θ = 0.2 are as hard to guess from as the paper's; their query error is
                {errors["balanced, θ = 0.2"]:.0f} % of the paper's.
                """
            ),
        ],
        tables=[
            Table(
                "Guessing the occupation, by strategy",
                ["strategy", "most frequent in the cluster", "in the own row",
                 "bound of the worst cluster", "most frequent of all",
                 "query error, % of the paper's"],
                [[name, *guesses[name], errors[name]] for name in STRATEGIES],
            ),
            Table(
                "Risk and loss by the product's measures",
                ["strategy", *MEASURES, "verdict"],
                [
                    [s, *(cards[s][m].value for m in MEASURES),
                     "safe" if cards[s].verdict.safe else "not safe"]
                    for s in STRATEGIES
                ],
            ),
        ],
    )  # fmt: skip


def _assess(run: Run, strategy: str, theta: float) -> sm.Scorecard:
    return sm.assess(
        read_adult(), release_adult(run.seed, strategy=strategy, theta=theta),
        schema=describe_adult(), measures=list(MEASURES), at_most=run.choose(20_000, 2_000),
    )  # fmt: skip


def _guess(run: Run, strategy: str, theta: float) -> list[float]:
    """Shares of right guesses by cluster, by the own row, at worst, and without a release."""
    secret = read_adult()[SENSITIVE]
    labels = find_clusters(strategy, run.seed, theta)
    placed = secret[labels >= 0].groupby(labels[labels >= 0])
    sizes = placed.size().to_numpy()
    most = placed.agg(lambda values: values.value_counts().iloc[0]).to_numpy()
    releases = (release_adult(seed, strategy=strategy, theta=theta) for seed in run.seeds(4, 2))
    own = [float((one.data[SENSITIVE] == secret).mean()) for one in releases]
    return [
        float(most.sum() / sizes.sum()),
        float(np.mean(own)),
        float((most / sizes).max()),
        float(secret.value_counts(normalize=True).iloc[0]),
    ]


def _relate_errors(run: Run) -> dict[str, float]:
    """Query errors by the default workload, in percent of the paper's clusters."""
    runs = []
    for seed in run.seeds(4, 2):
        tables = [release_adult(seed, strategy=s, theta=t).data for s, t in STRATEGIES.values()]
        errors = Cube.of([read_adult(), *tables]).ask(DEFAULT, QUERIES, seed)
        runs.append(100.0 * errors / errors[0])
    return dict(zip(STRATEGIES, np.mean(runs, axis=0).tolist(), strict=True))


def _say_why(card: sm.Scorecard) -> str:
    told = card.verdict.sentence.partition(" But the seed")[0]
    return told[0].lower() + told[1:]
