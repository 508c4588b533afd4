"""Journals of every kind of study, made by hand: trials cost nothing, for no release is made."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

import swapmeet as sm
from swapmeet.base.seeds import Seed
from swapmeet.engines import choose_engine
from swapmeet.measures.default_limits import DEFAULT_LIMITS
from swapmeet.measures.registry import chosen_measures
from swapmeet.plan.plan import Plan
from swapmeet.running.preparation import prepare
from swapmeet.tuning.goal import Goal
from swapmeet.tuning.journal import Journal
from swapmeet.tuning.trial import Setting, Trial
from swapmeet.tuning.tuner import ALWAYS, _part_measures, _set_up

SETTINGS = (sm.RWN(k=5), sm.RWN(k=10), sm.RWN(k=40), sm.MatchedSwap(k=20), sm.SJPPDS(bins=5))
MODEL, RARE = "model:income ~ age:age", "rare:age > 80"
LATE = ("copies", "inference", "membership")
NEED_OWNERS = ("pscr", RARE)
REFUSAL = "mask fewer columns."
OTHER_GOAL = Goal(risk={"linkage": 1.0}, loss={"margins": 1.0}, balance=0.8)
GOAL_OF_LATE = Goal(risk={"copies": 1.0}, loss={"margins": 1.0})


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A study: what was tried, how many settings were measured in full, and how it was judged.

    `risk` is that of the first setting, the next ones have less. `choices` are limits and goals one
    after the other, the last of which counts.
    """

    settings: tuple = SETTINGS
    checks: int = 2
    risk: float = 0.15
    repeats: int = 3
    owned: bool = True
    refused: bool = False
    cut: bool = False
    roles: dict = field(default_factory=lambda: {"keep": ["home", "weight"]})
    choices: tuple = ((dict(DEFAULT_LIMITS), Goal()),)


KINDS = {
    "one setting": Kind(settings=SETTINGS[:1], checks=1, repeats=1),
    "all refused": Kind(refused=True, checks=0),
    "first looks only": Kind(checks=0),
    "interrupted": Kind(checks=0, repeats=1, cut=True),
    "resumed": Kind(choices=((dict(DEFAULT_LIMITS), Goal()),) * 2),
    "no limit met": Kind(settings=SETTINGS[:4], risk=0.9, checks=4),
    "analyses as limits": Kind(choices=(({MODEL: 0.5, RARE: 0.5, "linkage": 0.2}, Goal()),)),
    "weighted": Kind(roles={"weight": ["weight"], "keep": ["home"]}),
    "households": Kind(roles={"household": ["home"], "keep": ["weight"], "whole_households": True}),
    "synthetic": Kind(settings=(sm.IPSO(), sm.Cart(), sm.RWN()), owned=False),
    "other limits": Kind(choices=((dict(DEFAULT_LIMITS), Goal()), ({"linkage": 0.1}, Goal()))),
    "another file": Kind(),
    "two goals": Kind(choices=((dict(DEFAULT_LIMITS), Goal()), (DEFAULT_LIMITS, OTHER_GOAL))),
    "a goal of what is measured last": Kind(
        choices=((dict(DEFAULT_LIMITS), Goal()), (DEFAULT_LIMITS, GOAL_OF_LATE))
    ),
}
"""All that a search may leave behind."""


def make_people():
    """80 people in 40 homes."""
    rng = np.random.default_rng(3)
    home = np.repeat(np.arange(40), 2)
    return pd.DataFrame(
        {
            "home": home,
            "weight": rng.uniform(1.0, 2.0, 80).round(2),
            "age": rng.integers(18, 90, 80),
            "income": rng.lognormal(10.0, 0.5, 80).round(),
            "sex": rng.choice(["female", "male"], 80),
            "region": rng.choice(["north", "south", "west"], 40)[home],
        }
    )


def write_journal(kind, path):
    """The journal of a study of `make_people`."""
    people = make_people()
    schema = sm.Schema.guess(people, {}).assign(**kind.roles)
    limits, goal = kind.choices[-1]
    needed = kind.choices[0][0] | limits
    chosen, late = _part_measures(chosen_measures(ALWAYS), Goal(), needed, named=False)
    ready = prepare(Plan(), people, choose_engine(people), asked_by="tune", schema=schema)
    _, setup = _set_up(ready, chosen, None, 20_000, Seed.fresh(), late=late)
    with Journal.resume(path, setup, print) as journal:
        for limits, goal in kind.choices:
            journal.write_choice({"limits": dict(limits), "goal": goal.to_dict()})
        for trial in _make_trials(kind, [one.name for one in chosen], [one.name for one in late]):
            journal.add(trial)
    if kind.cut:
        path.write_bytes(path.read_bytes()[:-20])
    return path


def _make_trials(kind, looked, late):
    for place, method in enumerate(kind.settings):
        risk, owned = kind.risk / (place + 1), kind.owned or isinstance(method, sm.RWN)
        setting = Setting.of(method)
        if kind.refused:
            yield Trial(setting, 0, 0.1, {}, REFUSAL)
            continue
        for repeat in range(kind.repeats):
            values = _make_values(looked, risk + 0.01 * repeat, place, owned=owned)
            yield Trial(setting, repeat, 0.1, values, owned=owned)
    for place, method in enumerate(kind.settings[: kind.checks]):
        risk, owned = kind.risk / (place + 1), kind.owned or isinstance(method, sm.RWN)
        values = _make_values([*late, "linkage"], risk, place, owned=owned)
        check = Trial(Setting.of(method), 0, 0.2, values, owned=owned)
        yield replace(check, check=True, ends={name: 1.1 * v for name, v in values.items()})


def _make_values(names, risk, place, *, owned):
    values = dict.fromkeys(names, 0.2 + 0.1 * place)
    values |= {name: risk for name in ("linkage", *NEED_OWNERS) if name in values}
    values |= {name: risk / 20.0 for name in LATE if name in values}
    return values | {name: np.nan for name in NEED_OWNERS if name in values and not owned}
