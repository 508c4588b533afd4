"""A study: what was tried on a table, and what follows from it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from swapmeet.core.base.extras import require_library
from swapmeet.errors import FileError, LimitError, ParameterError
from swapmeet.measures.limits import SUMMARIES, check_limits
from swapmeet.tuning.choice import Choice, choose
from swapmeet.tuning.frontier import FrontierPoint, find_frontier
from swapmeet.tuning.goal import Goal
from swapmeet.tuning.journal import read
from swapmeet.tuning.leaders import Leader, find_leaders
from swapmeet.tuning.refusals import find_refusals
from swapmeet.tuning.trial_table import TrialTable

if TYPE_CHECKING:
    import os
    from collections.abc import Collection, Mapping

    from swapmeet.core.tables.frame import Frame
    from swapmeet.tuning.candidate import Candidate
    from swapmeet.tuning.study_setup import StudySetup


@dataclass(frozen=True, repr=False, eq=False)
class Study:
    """The candidates that were tried, and the choice among them under limits and a goal.

    Trials are facts; limits and goal can be revised: `study.under(limit={"pscr": 0.1})`. `wish` is
    the goal as somebody gave it, `goal` the one that fits the limits. `sought` are the methods of
    the search that made the trials, in this run.
    """

    setup: StudySetup
    trials: TrialTable
    limits: Mapping[str, float] = field(default_factory=dict)
    wish: Goal = field(default_factory=Goal)
    interrupted: bool = False
    sought: tuple[str, ...] = ()

    def __repr__(self) -> str:
        tried, failed = len(self.trials.settings), len(self.trials.failures)
        return f"<Study of {len(self.trials)} trials of {tried} settings, {failed} failed>"

    def _repr_html_(self) -> str:
        from swapmeet.tuning.study_html import write_study

        return write_study(self)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a study from its journal, with the limits and the goal it had last."""
        trials = TrialTable()
        content = read(Path(path), trials.add)
        limits, goal = _read_limits_and_goal(path, content.choice, content.setup.measures)
        return cls(content.setup, trials, limits, goal)

    def under(self, *, limit: Mapping[str, float] | None = None, goal: Goal | None = None) -> Self:
        """The same trials under other limits, or with another goal, of what was measured."""
        limits = self.limits if limit is None else check_limits(limit)
        goal = goal or self.wish
        measured = (*self.setup.measures, *SUMMARIES)
        unknown = [name for name in (*goal.measures, *limits) if name not in measured]
        if unknown:
            raise ParameterError(
                f"{', '.join(unknown)}: not measured in this study, which has "
                f"{', '.join(self.setup.measures)}. Search again, and measure it too."
            )
        return replace(self, limits=limits, wish=goal)

    @cached_property
    def goal(self) -> Goal:
        """The goal: the figure to be least, under the limits."""
        return self.wish.settle(self.limits)

    @cached_property
    def candidates(self) -> tuple[Candidate, ...]:
        """All settings that were tried, also those that failed."""
        return self.list_candidates()

    def list_candidates(self) -> tuple[Candidate, ...]:
        """The same while trials are still being made."""
        return self.trials.candidates(self.goal, self.setup.measures, self.setup.first_looks)

    def find_candidate(self, key: str) -> Candidate:
        """Find what is known by now about the setting with this key."""
        return self.trials.candidate(
            key, self.goal, measures=self.setup.measures, quick=self.setup.first_looks
        )

    @cached_property
    def choice(self) -> Choice:
        """The recommendation, with its reasons."""
        return choose(self.candidates, self.limits, self.goal, self.setup.rows)

    @property
    def best(self) -> Candidate:
        """The candidate to take; LimitError where none keeps the limits."""
        if self.choice.best is None:
            raise LimitError(" ".join(self.choice.sentences))
        return self.choice.best

    def frontier(self) -> list[FrontierPoint]:
        """The candidates that none beats in both risk and loss, and how stable that is."""
        return self._frontier

    @cached_property
    def _frontier(self) -> list[FrontierPoint]:
        return find_frontier(self.candidates)

    def leaders(self) -> list[Leader]:
        """The best candidate of each method; see `tuning.leaders`."""
        return find_leaders(self)

    def failures(self) -> dict[str, list[Candidate]]:
        """The settings that failed, by their message."""
        found: dict[str, list[Candidate]] = {}
        for candidate in self.candidates:
            if candidate.failure:
                found.setdefault(candidate.failure, []).append(candidate)
        return found

    def to_frame(self) -> Frame:
        """A pandas frame with a row for each candidate: medians, and whether it may be taken."""
        require_library("pandas", "a study as a data frame", plural=False)
        import pandas as pd

        on_frontier = {point.candidate.number for point in self.frontier()}
        names = (*SUMMARIES, *self.setup.measures)
        rows = [
            {
                "candidate": c.number,
                "method": c.setting.name,
                "setting": c.label,
                "repeats": len(c),
                **{name: c.median(name) if c.has(name) else np.nan for name in names},
                "within_limits": c.keeps(self.limits),
                "on_frontier": c.number in on_frontier,
                "failure": c.failure,
            }
            for c in self.candidates
        ]
        return pd.DataFrame(rows).set_index("candidate") if rows else pd.DataFrame()

    def to_dict(self) -> dict[str, Any]:
        """For machines."""
        return {
            "subject": self.setup.to_dict(),
            "trials": len(self.trials),
            "interrupted": self.interrupted,
            "limits": dict(self.limits),
            "goal": {**self.goal.to_dict(), "sentence": self.goal.sentence},
            "choice": self.choice.to_dict(),
            "refusals": [one.to_dict() for one in find_refusals(self.trials)],
            "frontier": [point.to_dict() for point in self.frontier()],
            "candidates": [c.to_dict() for c in self.candidates],
        }


def _read_limits_and_goal(
    path: str | os.PathLike[str], choice: Mapping[str, Any], measured: Collection[str]
) -> tuple[dict[str, float], Goal]:
    """The limits and the goal that a journal tells last."""
    try:
        goal = Goal.from_dict(choice["goal"]) if choice else Goal.of_measured(measured)
        return check_limits(choice.get("limits", {})), goal
    except (LookupError, TypeError, ValueError, AttributeError, ParameterError):
        raise FileError(f"{path}: its last limits and goal cannot be read.") from None
