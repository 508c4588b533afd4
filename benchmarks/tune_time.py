"""What does a search cost besides its trials: its own work, idle workers, and memory?"""

from __future__ import annotations

import json
import os
import tempfile
import time
import warnings
from pathlib import Path
from statistics import median
from typing import Any

from measure import Figure, in_fresh_process, seconds

import swapmeet as sm
from swapmeet.base.seeds import Seed
from swapmeet.engines import choose_engine
from swapmeet.measures.registry import chosen_measures
from swapmeet.plan.plan import Plan
from swapmeet.running.preparation import prepare
from swapmeet.tuning import Goal, Study, tune
from swapmeet.tuning.pool import InProcess, Pool, ProcessPool
from swapmeet.tuning.trial import Setting
from swapmeet.tuning.tuner import ALWAYS, _set_up

TRIALS = 100
FEW = 4
TURNS = 5
METHODS = ["rwn:k=2|3|5|7|10|15|20|30|50|75|100:q=0.25|0.5|0.75|1", "nbrs:eps=0.1|0.3|0.5",
           "cart:min_leaf=5|20|50"]  # fmt: skip
SETTINGS = [Setting.of(sm.RWN(k=k)) for k in range(5, 21)]

MEMORY = """
import json, resource
import swapmeet as sm
from swapmeet.tuning import Goal, Grid, tune
people = sm.datasets.load("diabetes").drop(columns="sex")
goal = Goal(risk={"pscr": 1.0}, loss={"margins": 1.0})

def used(trials):
    grid = Grid("sjppds", {"bins": range(2, 2 + trials // 2)})
    ask = {"measures": [], "limit": {}, "repeats": 2, "seed": 1, "workers": 2}
    study = tune(people, [grid], goal=goal, **ask, BUDGET)
    study.choice, study.frontier()
    with open("/proc/self/statm") as file:
        now = int(file.read().split()[1]) * resource.getpagesize()
    return now / 2**20, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10

used(4)
print(json.dumps([used(100), used(1000)]))
"""


def main() -> None:
    warnings.simplefilter("ignore")
    own_work("grid")
    own_work("search", budget=True)
    throughput()
    memory()


def own_work(name: str, *, budget: bool = False) -> None:
    """CPU seconds of this process, beyond those of a search of a few trials, per trial second."""
    _, short, many = (_searched(trials, budget=budget) for trials in (FEW, FEW, TRIALS))
    own, work = (b - a for a, b in zip(short, many, strict=True))
    Figure(f"fair, {name} of {TRIALS} trials, own work (CPU) / trials", own, work, 0.05).show()


def _searched(trials: int, *, budget: bool) -> tuple[float, float]:
    """CPU seconds of this process, and the seconds of the trials."""
    table, schema = sm.datasets.load("fair"), sm.datasets.schema("fair")
    some = [sm.RWN(k=5 + number) for number in range(trials)]
    with tempfile.TemporaryDirectory() as folder:
        ask: dict[str, Any] = {"schema": schema, "journal": Path(folder) / "study.jsonl", "seed": 1}
        ask["limit"] = {}
        ask |= {"budget": trials} if budget else {"repeats": 1}
        begin = time.process_time()
        study = tune(table, METHODS if budget else some, workers=2, **ask)
        _concluded(study)
        return time.process_time() - begin, study.trials.seconds


def _concluded(study: Study) -> None:
    """What is shown at the end is own work, too."""
    study.frontier()
    assert study.choice.sentences


def throughput() -> None:
    """The same trials by one worker and by two, in turn; starting processes is left out.

    The least disturbed turn of each counts: this is wall-clock time, and needs two idle cores.
    """
    table, schema = sm.datasets.load("fair"), sm.datasets.schema("fair")
    measures = chosen_measures([*Goal().measures, *ALWAYS])
    ready = prepare(Plan(), table, choose_engine(table), asked_by="tune", schema=schema)
    runner, _ = _set_up(ready, measures, None, 20_000, Seed.chosen_by_user(1))
    pools: list[Pool] = [InProcess(runner), ProcessPool(runner, 1), ProcessPool(runner, 2)]
    turns = [[_wall(pool, turn) for pool in pools] for turn in range(TURNS + 1)][1:]
    for pool in pools:
        pool.close()
    here, one, two = (min(turn) for turn in zip(*turns, strict=True))
    gains = sorted(turn[1] / turn[2] for turn in turns)
    Figure(f"fair, {len(SETTINGS)} trials, two workers / one (wall)", two, one, 1 / 1.7).show()
    print(
        f"    two do {gains[0]:.2f} to {gains[-1]:.2f} times as much, median {median(gains):.2f};"
    )
    print(f"    load of the machine {os.getloadavg()[0]:.1f}, of which two are ours at most")
    Figure("... one worker / the same in this process (wall)", one, here, 1.1).show()


def _wall(pool: Pool, repeat: int) -> float:
    def make_all() -> None:
        for future in [pool.submit(setting, repeat) for setting in SETTINGS]:
            assert not future.result().failure

    return seconds(make_all)


def memory() -> None:
    """Memory of the process that searches, in a process of its own; also at its peak."""
    for name, budget in (("grid", ""), ("search", "budget=trials")):
        (few, few_peak), (many, many_peak) = json.loads(
            in_fresh_process(MEMORY.replace("BUDGET", budget))
        )
        Figure(f"{name}, memory after 1,000 trials / 100", many, few, 1.05, "MB").show()
        Figure("... at its peak", many_peak, few_peak, 1.05, "MB").show()


if __name__ == "__main__":
    main()
