"""The order of trials when not all can be made: all grids as one space, searched with Optuna."""

from __future__ import annotations

from itertools import count, product
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from swapmeet.comparison.score import Direction
from swapmeet.measures.limits import LOSS_AXIS, RISK_AXIS, direction
from swapmeet.tuning.frontier import find_undominated, medians, select_comparable
from swapmeet.tuning.plan import useful_repeats

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from swapmeet.tuning.candidate import Candidate
    from swapmeet.tuning.combinations import Combinations
    from swapmeet.tuning.goal import Goal
    from swapmeet.tuning.grid import Grid
    from swapmeet.tuning.trial import Setting, Trial
    from swapmeet.tuning.trial_table import TrialTable

    Place = tuple[int, ...]

OFFERS = 2
"""How often Optuna may propose a known setting before a neighbour of the best is taken."""
MOST_FOR_OPTUNA = 250
"""Optuna is not asked beyond this number of settings: each makes its proposals slower."""
REFINE = 3
"""Every third trial repeats a setting that looks best, so that luck does not keep it there."""


class SearchPlan:
    """Explores a space with Optuna, and repeats what looks best.

    Risk and loss are the objectives, limits the constraints. The first trials are spread over all
    methods. Then Optuna proposes; where it has nothing new, a step away from the frontier is taken.
    Settings that Optuna proposes again cost nothing: it is told what is known of them.
    """

    def __init__(
        self,
        space: SearchSpace,
        trials: TrialTable,
        *,
        goal: Goal,
        limits: Mapping[str, float],
        repeats: int,
        seed: int,
    ) -> None:
        self._space, self._trials, self._repeats = space, trials, repeats
        self._goal, self._limits = goal, limits
        self._optuna = _make_optuna_study(seed)
        self._begun: dict[str, set[int]] = {}
        self._proposed: dict[str, Any] = {}
        self._known: dict[str, Candidate] = {}
        self._first = space.spread()
        self._turn = 0
        for setting in list(trials.settings.values()):
            self._learn(setting)

    @property
    def total(self) -> int:
        """All trials that could be made."""
        return sum(useful_repeats(setting, self._repeats) for setting in self._space)

    def next(self) -> tuple[Setting, int] | None:
        """Something new; now and then another repeat of what looks best."""
        self._turn += 1
        again = self._find_worth_repeating() if self._turn % REFINE == 0 else None
        setting = again or self._find_new() or self._find_worth_repeating()
        if setting is None:
            return None
        taken = self._taken(setting)
        repeat = next(number for number in count() if number not in taken)
        self._begun.setdefault(setting.key, set()).add(repeat)
        return setting, repeat

    def learn(self, trial: Trial) -> None:
        """Learn from a trial."""
        self._learn(trial.setting)

    def _learn(self, setting: Setting) -> None:
        """Take note of what the trial table has, and tell Optuna of what it does not know."""
        is_first = setting.key not in self._known
        self._known.pop(setting.key, None)
        if setting.key not in self._trials.failures:
            candidate = self._trials.candidate(setting.key, self._goal)
            if not np.isnan(candidate.median(RISK_AXIS) + candidate.median(LOSS_AXIS)):
                self._known[setting.key] = candidate
        proposal = self._proposed.pop(setting.key, None)
        if proposal is not None:
            self._answer(proposal, setting)
        elif is_first and setting.key in self._known and setting in self._space:
            self._report(setting)

    def _find_new(self) -> Setting | None:
        for setting in self._first:
            if self._is_new(setting):
                return setting
        for _ in range(OFFERS if len(self._known) <= MOST_FOR_OPTUNA else 0):
            proposal = self._optuna.ask()
            proposed = self._space.suggest(proposal)
            if proposed is not None and self._is_new(proposed):
                self._proposed[proposed.key] = proposal
                return proposed
            self._answer(proposal, proposed)
        return next(filter(self._is_new, self._near_the_best()), None)

    def _near_the_best(self) -> Iterator[Setting]:
        """Neighbours of the frontier, then everything."""
        for setting in self._best():
            if setting in self._space:
                yield from self._space.neighbours(setting)
        yield from self._space

    def _find_worth_repeating(self) -> Setting | None:
        """Of what looks best, the setting with the fewest repeats."""
        open_ones = [s for s in self._best() if self._count(s) < useful_repeats(s, self._repeats)]
        return min(open_ones, key=self._count, default=None)

    def _best(self) -> list[Setting]:
        """The frontier of the settings that keep the limits, if any does, and the best of them."""
        known = select_comparable(list(self._known.values()))
        able = [c for c in known if c.keeps(self._limits)]
        some = able or known
        if not some:
            return []
        best = [some[i].setting for i in np.flatnonzero(find_undominated(*medians(some)))]
        return [*best, min(able, key=lambda c: c.merit).setting] if able else best

    def _is_new(self, setting: Setting) -> bool:
        return self._count(setting) == 0 and not self._trials.is_refused(setting)

    def _count(self, setting: Setting) -> int:
        """Count the repeats that were begun."""
        return len(self._taken(setting))

    def _taken(self, setting: Setting) -> set[int]:
        """The repeats that were begun, now or in an earlier run that may have lost some."""
        return self._begun.get(setting.key, set()) | self._trials.repeats(setting)

    def _answer(self, proposal: Any, setting: Setting | None) -> None:
        """Tell Optuna what is known of its proposal."""
        from optuna.trial import TrialState

        candidate = None if setting is None else self._known.get(setting.key)
        if candidate is None:
            self._optuna.tell(proposal, state=TrialState.FAIL)
            return
        for name, excess in self._excesses(candidate).items():
            proposal.set_constraint(name, excess)
        self._optuna.tell(proposal, _objectives(candidate))

    def _report(self, setting: Setting) -> None:
        """Tell Optuna of a setting that it did not propose."""
        from optuna.trial import create_trial

        candidate = self._known[setting.key]
        parameters, distributions = self._space.to_optuna(setting)
        self._optuna.add_trial(
            create_trial(
                params=parameters,
                distributions=distributions,
                values=_objectives(candidate),
                constraints=self._excesses(candidate),
            )
        )

    def _excesses(self, candidate: Candidate) -> dict[str, float]:
        """Return the excess over each limit, without measures that only the best get."""
        return {
            name: _excess(name, candidate, limit)
            for name, limit in self._limits.items()
            if candidate.has(name)
        }


def _objectives(candidate: Candidate) -> list[float]:
    return [candidate.median(RISK_AXIS), candidate.median(LOSS_AXIS)]


def _excess(name: str, candidate: Candidate, limit: float) -> float:
    """Return the excess over a limit; at most zero where it is kept."""
    excess = candidate.unfavourable(name) - limit
    excess = excess if direction(name) is Direction.LOWER else -excess
    return 1.0 if np.isnan(excess) else excess


def _make_optuna_study(seed: int) -> Any:
    """An Optuna study whose proposals cost little beside a trial."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    sampler = optuna.samplers.TPESampler(
        seed=seed, n_startup_trials=0, n_ei_candidates=8, constant_liar=False
    )
    return optuna.create_study(directions=["minimize", "minimize"], sampler=sampler)


GRID = "grid"


class SearchSpace:
    """The points of some grids.

    Optuna moves on places in lists, not on values, so that a setting that comes up again is the
    same setting, and steps are as even as the lists are.
    """

    def __init__(self, grids: Sequence[Grid | Combinations]) -> None:
        self._grids = {f"{number} {grid.method}": grid for number, grid in enumerate(grids)}
        self._points: dict[tuple[str, Place], Setting] = {}
        self._places: dict[str, tuple[str, Place]] = {}
        for name, grid in self._grids.items():
            for place, setting in grid.points():
                self._points[name, place] = setting
                self._places.setdefault(setting.key, (name, place))

    def __len__(self) -> int:
        return len(self._places)

    def __iter__(self) -> Iterator[Setting]:
        return (self._points[at] for at in self._places.values())

    def __contains__(self, setting: Setting) -> bool:
        return setting.key in self._places

    def suggest(self, trial: Any) -> Setting | None:
        """The setting that an Optuna trial proposes, if the method has it."""
        name = trial.suggest_categorical(GRID, list(self._grids))
        place = []
        for parameter, values in self._grids[name].values.items():
            label = f"{name} {parameter}"
            if _in_order(values):
                place.append(trial.suggest_int(label, 0, len(values) - 1))
            else:
                place.append(trial.suggest_categorical(label, list(range(len(values)))))
        return self._points.get((name, tuple(place)))

    def to_optuna(self, setting: Setting) -> tuple[dict[str, Any], dict[str, Any]]:
        """A setting as Optuna's parameters and their distributions."""
        from optuna.distributions import CategoricalDistribution, IntDistribution

        name, place = self._places[setting.key]
        parameters: dict[str, Any] = {GRID: name}
        distributions: dict[str, Any] = {GRID: CategoricalDistribution(list(self._grids))}
        for (parameter, values), at in zip(self._grids[name].values.items(), place, strict=True):
            label, n = f"{name} {parameter}", len(values)
            parameters[label] = at
            distributions[label] = (
                IntDistribution(0, n - 1) if _in_order(values)
                else CategoricalDistribution(list(range(n)))
            )  # fmt: skip
        return parameters, distributions

    def spread(self) -> Iterator[Setting]:
        """Of each grid its middle, then of each its ends: a first look at everything."""
        for share in (0.5, 0.0, 1.0):
            for name, grid in self._grids.items():
                place = tuple(round(share * (len(v) - 1)) for v in grid.values.values())
                if (name, place) in self._points:
                    yield self._points[name, place]

    def neighbours(self, setting: Setting) -> Iterator[Setting]:
        """The settings one step away."""
        name, place = self._places[setting.key]
        for at, step in product(range(len(place)), (1, -1)):
            near = (*place[:at], place[at] + step, *place[at + 1 :])
            if (name, near) in self._points:
                yield self._points[name, near]


def _in_order(values: Sequence[Any]) -> bool:
    return all(isinstance(v, Real) and not isinstance(v, bool) for v in values)
