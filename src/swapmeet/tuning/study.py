"""A study: what was tried on a table, and what follows from it."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from swapmeet.errors import FileError, LimitError, ParameterError
from swapmeet.measures.limits import SUMMARIES, checked
from swapmeet.tuning.candidate import Candidate
from swapmeet.tuning.choice import Choice, choose
from swapmeet.tuning.frontier import FrontierPoint, frontier
from swapmeet.tuning.goal import Goal
from swapmeet.tuning.journal import read
from swapmeet.tuning.leaders import Leader, leaders

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from swapmeet.core.tables.frame import Frame
    from swapmeet.tuning.subject import Subject
    from swapmeet.tuning.trial import Setting, Trial


class Tally:
    """The figures of all trials, by setting: nothing but numbers is kept of a trial."""

    def __init__(self) -> None:
        self.settings: dict[str, Setting] = {}
        self.failures: dict[str, str] = {}
        self.nobodys: set[str] = set()
        self.names: tuple[str, ...] = ()
        self.seconds = 0.0
        self._repeats: dict[str, list[int]] = {}
        self._figures: dict[str, array[float]] = {}

    def __len__(self) -> int:
        """How many trials have figures."""
        return sum(map(len, self._figures.values())) // max(len(self.names), 1)

    def add(self, trial: Trial) -> None:
        """Take note of a trial."""
        key = trial.setting.key
        names = self.names or tuple(trial.values)
        figures = [] if trial.failure else [trial.values[name] for name in names]
        self.settings.setdefault(key, trial.setting)
        self._repeats.setdefault(key, []).append(trial.repeat)
        self.seconds += trial.seconds
        if trial.failure:
            self.failures[key] = trial.failure
            return
        if not trial.owned:
            self.nobodys.add(key)
        self.names = names
        self._figures.setdefault(key, array("d")).extend(figures)

    def repeats(self, setting: Setting) -> set[int]:
        """The repeats of a setting that were done."""
        return set(self._repeats.get(setting.key, ()))

    def candidate(self, key: str, goal: Goal, number: int = 0) -> Candidate:
        """What is known of one setting, in the order of its repeats, whichever ended first."""
        if key in self.failures:
            return Candidate(number, self.settings[key], {}, self.failures[key])
        rows = np.array(self._figures[key]).reshape(-1, len(self.names))
        rows = rows[np.argsort(self._repeats[key], kind="stable")]
        measured = dict(zip(self.names, rows.T, strict=True))
        return Candidate(
            number, self.settings[key], {**measured, **goal.of(measured)},
            owned=key not in self.nobodys, balance=goal.balance,
        )  # fmt: skip

    def candidates(self, goal: Goal) -> tuple[Candidate, ...]:
        """What is known of each setting, in the order of their keys."""
        keys = sorted(self.settings, key=_natural)
        return tuple(self.candidate(key, goal, number) for number, key in enumerate(keys, 1))


@dataclass(frozen=True, repr=False, eq=False)
class Study:
    """The candidates that were tried, and the choice among them under limits and a goal.

    Trials are facts; limits and goal can be revised: `study.under(limit={"pscr": 0.1})`.
    """

    subject: Subject
    tally: Tally
    limits: Mapping[str, float] = field(default_factory=dict)
    goal: Goal = field(default_factory=Goal)
    interrupted: bool = False

    def __repr__(self) -> str:
        tried, failed = len(self.tally.settings), len(self.tally.failures)
        return f"<Study of {len(self.tally)} trials of {tried} settings, {failed} failed>"

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a study from its journal, with the limits and the goal it had last."""
        tally = Tally()
        content = read(Path(path), tally.add)
        limits, goal = _sought(path, content.choice)
        return cls(content.subject, tally, limits, goal)

    def under(self, *, limit: Mapping[str, float] | None = None, goal: Goal | None = None) -> Self:
        """The same trials under other limits, or with another goal, of what was measured."""
        limits = self.limits if limit is None else checked(limit)
        goal = goal or self.goal
        measured = (*self.subject.measures, *SUMMARIES)
        unknown = [name for name in (*goal.measures, *limits) if name not in measured]
        if unknown:
            raise ParameterError(
                f"{', '.join(unknown)}: not measured in this study; there are "
                f"{', '.join(self.subject.measures)}. Search again, and measure it."
            )
        return replace(self, limits=limits, goal=goal)

    @cached_property
    def candidates(self) -> tuple[Candidate, ...]:
        """All settings that were tried, also those that failed."""
        return self.tally.candidates(self.goal)

    @cached_property
    def choice(self) -> Choice:
        """The recommendation, with its reasons."""
        return choose(self.candidates, self.limits, self.goal)

    @property
    def best(self) -> Candidate:
        """The candidate to take; LimitError where none keeps the limits."""
        if self.choice.best is None:
            raise LimitError(" ".join(self.choice.sentences))
        return self.choice.best

    def frontier(self) -> list[FrontierPoint]:
        """The candidates that none beats in both risk and loss, with how sure that is."""
        return self._frontier

    @cached_property
    def _frontier(self) -> list[FrontierPoint]:
        return frontier(self.candidates)

    def leaders(self) -> list[Leader]:
        """The best candidate of each method; see `tuning.leaders`."""
        return leaders(self)

    def failures(self) -> dict[str, list[Candidate]]:
        """The settings that failed, by their message."""
        found: dict[str, list[Candidate]] = {}
        for candidate in self.candidates:
            if candidate.failure:
                found.setdefault(candidate.failure, []).append(candidate)
        return found

    def to_frame(self) -> Frame:
        """A pandas frame with a row for each candidate: medians, and whether it may be taken."""
        import pandas as pd

        on_frontier = {point.candidate.number for point in self.frontier()}
        names = (*SUMMARIES, *self.subject.measures)
        rows = [
            {
                "candidate": c.number,
                "method": c.setting.name,
                "setting": c.label,
                "repeats": len(c),
                **{name: np.nan if c.failure else c.median(name) for name in names},
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
            "subject": self.subject.to_dict(),
            "trials": len(self.tally),
            "interrupted": self.interrupted,
            "limits": dict(self.limits),
            "goal": {**self.goal.to_dict(), "sentence": self.goal.sentence},
            "choice": self.choice.to_dict(),
            "frontier": [point.to_dict() for point in self.frontier()],
            "candidates": [c.to_dict() for c in self.candidates],
        }


def _sought(
    path: str | os.PathLike[str], choice: Mapping[str, Any]
) -> tuple[dict[str, float], Goal]:
    """The limits and the goal that a journal tells last."""
    try:
        goal = Goal.from_dict(choice["goal"]) if choice else Goal()
        return checked(choice.get("limits", {})), goal
    except (LookupError, TypeError, ValueError, AttributeError, ParameterError):
        raise FileError(f"{path}: its last limits and goal cannot be read.") from None


def _natural(key: str) -> list[tuple[bool, float, str]]:
    """An order in which 5 comes before 10."""
    import re

    parts = re.split(r"(\d+(?:\.\d+)?)", key)
    return [(part[:1].isdigit(), float(part) if part[:1].isdigit() else 0.0, part)
            for part in parts]  # fmt: skip
