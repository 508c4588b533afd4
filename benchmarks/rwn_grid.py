"""What does a grid of RWN settings cost when its trials share one search for neighbours?"""

from __future__ import annotations

from dataclasses import replace
from statistics import median

import numpy as np
import people
from measure import Figure, cpu_seconds

import swapmeet as sm
from swapmeet.base.cache import Cache
from swapmeet.base.seeds import Seed
from swapmeet.tables.frame import Table
from swapmeet.tables.microdata import Microdata

LARGEST = 100
KS = [int(k) for k in np.linspace(2, LARGEST, 15)]
QS = [0.25, 0.5, 0.75, 1.0]
REPEATS = 7


def main() -> None:
    table = people.svcensus()
    for weight in (1.0, 0.2, 0.05):
        grid(Microdata.of(Table(table), sm.Schema.infer(table)), weight)


def grid(data: Microdata, weight: float) -> None:
    """CPU seconds: the first trial of a grid searches, the others draw from what it found.

    What a single trial takes beyond its draws is its search.
    """
    trials = [sm.RWN(k=k, q=q, weights=weight) for k in KS for q in QS]
    largest = sm.RWN(k=LARGEST, weights=weight)
    turns = [(cpu_seconds(lambda: run(data, [largest])), *sharing(data, trials))
             for _ in range(REPEATS + 1)]  # fmt: skip
    single, first, others = (median(turn) for turn in zip(*turns[1:], strict=True))
    unshared = cpu_seconds(lambda: run(data, trials))
    draw = others / (len(trials) - 1)
    name = f"{len(trials)} trials, nominal weight {weight:g} (CPU)"
    Figure(f"{name}, search / one k={LARGEST}", first - draw, single - draw, 4.0).show()
    Figure("... draws of one trial / its search", draw, single - draw, 0.1).show()
    Figure("... all in / as many trials that do not share", first + others, unshared, 0.25).show()


def sharing(data: Microdata, trials: list[sm.RWN]) -> tuple[float, float]:
    """The first of the trials with one Shared, and the others."""
    data = replace(data, cache=Cache(neighbours=LARGEST))
    return cpu_seconds(lambda: run(data, trials[:1])), cpu_seconds(lambda: run(data, trials[1:]))


def run(data: Microdata, trials: list[sm.RWN]) -> None:
    for trial in trials:
        sm.Local().run(trial, data, Seed.fresh())


if __name__ == "__main__":
    main()
