"""The figures of all trials of a study, by setting."""

from __future__ import annotations

import re
from array import array
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.comparison.score import Direction
from swapmeet.measures.limits import RISK_AXIS, direction
from swapmeet.tuning.candidate import Candidate

if TYPE_CHECKING:
    from collections.abc import Iterable

    from swapmeet.base.arrays import Floats
    from swapmeet.tuning.goal import Goal
    from swapmeet.tuning.trial import Setting, Trial


OBSTACLE = 3
"""So many settings of a method fail with the same message before the others are left out."""


class TrialTable:
    """The figures of all trials, by setting: nothing but numbers is kept of a trial."""

    def __init__(self) -> None:
        self.settings: dict[str, Setting] = {}
        self.failures: dict[str, str] = {}
        self.ownerless: set[str] = set()
        self.names: tuple[str, ...] = ()
        self.seconds = 0.0
        self._repeats: dict[str, list[int]] = {}
        self._figures: dict[str, array[float]] = {}
        self._ends: dict[str, array[float]] = {}
        self._checks: dict[str, dict[int, Trial]] = {}
        self._reasons: Counter[tuple[tuple[str, ...], str]] = Counter()
        self._working: set[tuple[str, ...]] = set()

    def __len__(self) -> int:
        """Return the number of trials that have figures."""
        return sum(map(len, self._figures.values())) // max(len(self.names), 1)

    def add(self, trial: Trial) -> None:
        """Take note of a trial."""
        key = trial.setting.key
        if trial.check and not trial.failure:
            self._checks.setdefault(key, {})[trial.repeat] = trial
            self.seconds += trial.seconds
            return
        names = self.names or tuple(trial.values)
        figures = [] if trial.failure else [trial.values[name] for name in names]
        ends = [] if trial.failure else [_end(trial, name) for name in names]
        self.settings.setdefault(key, trial.setting)
        self._repeats.setdefault(key, []).append(trial.repeat)
        self.seconds += trial.seconds
        if trial.failure:
            if trial.seconds and key not in self.failures and not _names_parameter(trial):
                self._reasons[trial.setting.family, trial.failure] += 1
            self.failures[key] = trial.failure
            return
        self._working.add(trial.setting.family)
        if not trial.owned:
            self.ownerless.add(key)
        self.names = names
        self._figures.setdefault(key, array("d")).extend(figures)
        self._ends.setdefault(key, array("d")).extend(ends)

    def is_refused(self, setting: Setting) -> bool:
        """Return whether a setting failed, or its method fails whatever the setting."""
        return setting.key in self.failures or self.find_obstacle(setting) != ""

    def find_obstacle(self, setting: Setting) -> str:
        """The message with which several settings of the method failed, and none worked."""
        family = setting.family
        if not self._reasons or family in self._working:
            return ""
        return next(
            (message for (one, message), often in self._reasons.items()
             if one == family and often >= OBSTACLE), ""
        )  # fmt: skip

    def repeats(self, setting: Setting) -> set[int]:
        """The repeats of a setting that were done."""
        return set(self._repeats.get(setting.key, ()))

    @property
    def checks(self) -> int:
        """The number of settings measured in full."""
        return len(self._checks)

    @property
    def mean_seconds(self) -> float:
        """The mean duration of a trial, in seconds."""
        checks = sum(one.seconds for one in self._list_checks())
        return (self.seconds - checks) / max(len(self), 1)

    def predict_check(self, method: str = "") -> float:
        """The seconds that a full check of a setting will take: the median of its method's.

        Where none of the method was checked, the median of all; 0 before the first one.
        """
        seconds = [(one.setting.name, one.seconds) for one in self._list_checks()]
        own = [s for name, s in seconds if name == method] or [s for _, s in seconds]
        return float(np.median(own)) if own else 0.0

    def count_checks(self, setting: Setting) -> int:
        """Count the releases of a setting that were measured in full."""
        return len(self._checks.get(setting.key, ()))

    def _list_checks(self) -> list[Trial]:
        return [one for some in self._checks.values() for one in some.values()]

    def candidate(
        self,
        key: str,
        goal: Goal,
        number: int = 0,
        measures: Iterable[str] = (),
        quick: tuple[str, ...] = (),
    ) -> Candidate:
        """Return what is known about one setting, in the order of its repeats.

        Of all the `measures` of the study, some may be left for later; of the `quick` ones trials
        take a first look.
        """
        if key in self.failures:
            return Candidate(number, self.settings[key], {}, self.failures[key], goal=goal)
        measured, ends = (self._in_order(key, kept) for kept in (self._figures, self._ends))
        checks = list(self._checks.get(key, {}).values())
        look = float(np.median(goal.of(measured)[RISK_AXIS]))
        for name in checks[0].values if checks else ():
            _worsen(measured, name, [one.values[name] for one in checks])
            _worsen(ends, name, [_end(one, name) for one in checks])
        runs = len(next(iter(measured.values())))
        summaries = {name: np.broadcast_to(v, runs) for name, v in goal.of(measured).items()}
        return Candidate(
            number, self.settings[key], {**measured, **summaries},
            owned=key not in self.ownerless, goal=goal, ends=ends, checked=bool(checks),
            later=tuple(name for name in measures if name not in measured), quick=quick, look=look,
        )  # fmt: skip

    def _in_order(self, key: str, figures: dict[str, array[float]]) -> dict[str, Floats]:
        rows = np.array(figures[key]).reshape(-1, len(self.names))
        rows = rows[np.argsort(self._repeats[key], kind="stable")]
        return dict(zip(self.names, rows.T, strict=True))

    def candidates(
        self, goal: Goal, measures: Iterable[str] = (), quick: tuple[str, ...] = ()
    ) -> tuple[Candidate, ...]:
        """Return what is known about each setting, in the order of their keys."""
        keys = sorted(self.settings, key=_natural_order)
        return tuple(
            self.candidate(key, goal, number, measures, quick) for number, key in enumerate(keys, 1)
        )


def _names_parameter(trial: Trial) -> bool:
    """Return whether a failure speaks of a parameter, so that another value of it may work."""
    words = set(re.findall(r"\w+", trial.failure))
    return bool(words & set(trial.setting.settings))


def _worsen(figures: dict[str, Floats], name: str, checks: list[float]) -> None:
    """Let no repeat look better than what was typically found in full.

    What only a check measures has the figures of the checks.
    """
    worse = np.maximum if direction(name) is Direction.LOWER else np.minimum
    full = np.array(checks)
    figures[name] = worse(figures[name], np.median(full)) if name in figures else full


def _end(trial: Trial, name: str) -> float:
    """The unfavourable end of a figure; the figure itself in journals that tell no ends."""
    value = trial.values[name]
    return value if np.isnan(value) else trial.ends.get(name, value)


def _natural_order(key: str) -> list[tuple[bool, float, str]]:
    """An order in which 5 comes before 10."""
    parts = re.split(r"(\d+(?:\.\d+)?)", key)
    return [(part[:1].isdigit(), float(part) if part[:1].isdigit() else 0.0, part)
            for part in parts]  # fmt: skip
