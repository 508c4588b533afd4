"""How much of the frontier does a search find with a quarter of the trials of the whole grid?"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from measure import SHARED, Figure

import swapmeet as sm
from swapmeet.tuning import Goal, tune
from swapmeet.tuning.frontier import find_undominated, medians, select_comparable
from swapmeet.tuning.grid import make_grids
from swapmeet.tuning.search_plan import SearchPlan, SearchSpace
from swapmeet.tuning.trial import Trial
from swapmeet.tuning.trial_table import TrialTable

if TYPE_CHECKING:
    from swapmeet.tuning.candidate import Candidate
    from swapmeet.tuning.study import Study

SHARE = 0.25
REPEATS = 3
SEEDS = range(5)
IN_FLIGHT = 2
GOAL = Goal()


@dataclass(frozen=True)
class Whole:
    """Every trial of the grid. Their seeds do not depend on who asks: a search makes the same."""

    study: Study
    space: SearchSpace
    trials: dict[tuple[str, int], Trial]

    @property
    def budget(self) -> int:
        return int(SHARE * len(self.trials))

    def start(self) -> TrialTable:
        """What a search knows at the beginning: which settings the table refuses."""
        trials = TrialTable()
        for key, reason in self.study.trials.failures.items():
            trials.add(Trial(self.study.trials.settings[key], 0, 0.0, {}, reason))
        return trials

    def found(self, trials: TrialTable) -> float:
        """The area of what a search would show as its frontier, by the figures of all repeats."""
        known = select_comparable(trials.candidates(GOAL))
        shown = [known[i] for i in np.flatnonzero(find_undominated(*medians(known)))]
        truth = {c.setting.key: c for c in self.study.candidates}
        return area([truth[c.setting.key] for c in shown])


def main() -> None:
    warnings.simplefilter("ignore")
    census = pd.read_csv(SHARED / "data" / "census.csv").drop(columns="PEARNVAL")
    compare("census", census, sm.Schema.infer(census))
    compare("fair", sm.datasets.load("fair"), sm.datasets.schema("fair"))


def compare(name: str, table: pd.DataFrame, schema: sm.Schema) -> None:
    """What is missing of the area under the frontier, as a share of all of it; lower is better."""
    whole = every_trial(table, schema)
    full = area(select_comparable(whole.study.candidates))
    searched = [full - whole.found(searching(whole, seed)) for seed in SEEDS]
    drawn = [full - whole.found(drawing(whole, seed)) for seed in SEEDS]
    print(
        f"{name}: {len(whole.trials)} trials of {len(whole.space)} settings, {whole.budget} tried"
    )
    for way, missed in (("search", searched), ("random trials", drawn)):
        question = f"{name}, {way}: hypervolume missed / whole grid's"
        Figure(question, median(missed), full, 0.05, "").show()
        print(f"    from {min(missed) / full:.4f} to {max(missed) / full:.4f}, {len(SEEDS)} seeds")


def every_trial(table: pd.DataFrame, schema: sm.Schema) -> Whole:
    trials: dict[tuple[str, int], Trial] = {}
    study = tune(table, schema=schema, goal=GOAL, measures=[], limit={}, repeats=REPEATS, seed=1)
    for candidate in study.candidates:
        for repeat in range(len(candidate)):
            values = {n: float(candidate.repeats[n][repeat]) for n in study.setup.measures}
            setting = candidate.setting
            trials[setting.key, repeat] = Trial(setting, repeat, 0.0, values, owned=candidate.owned)
    return Whole(study, _space(table, schema), trials)


def _space(table: pd.DataFrame, schema: sm.Schema) -> SearchSpace:
    from swapmeet.tables.frame import Table
    from swapmeet.tables.microdata import Microdata

    data = Microdata.of(Table(table), schema)
    return SearchSpace([grid.fit_to(data) for grid in make_grids(None)])


def searching(whole: Whole, seed: int) -> TrialTable:
    """A search, with two trials in flight."""
    trials = whole.start()
    search = SearchPlan(whole.space, trials, goal=GOAL, limits={}, repeats=REPEATS, seed=seed)
    flight = []
    for _ in range(whole.budget):
        while len(flight) < IN_FLIGHT and (job := search.next()) is not None:
            flight.append(job)
        setting, repeat = flight.pop(0)
        trial = whole.trials[setting.key, repeat]
        trials.add(trial)
        search.learn(trial)
    return trials


def drawing(whole: Whole, seed: int) -> TrialTable:
    """As many trials of the grid at random."""
    found, trials = whole.start(), list(whole.trials.values())
    for at in np.random.default_rng(seed).choice(len(trials), whole.budget, replace=False):
        found.add(trials[at])
    return found


def area(candidates: list[Candidate]) -> float:
    """The hypervolume: the area that the points dominate, up to a risk and a loss of 1."""
    risk, loss = medians(candidates)
    order = np.argsort(risk, kind="stable")
    risk, loss = risk[order], loss[order]
    return float(np.diff(np.r_[risk, 1.0]) @ (1.0 - np.minimum.accumulate(loss)))


if __name__ == "__main__":
    main()
