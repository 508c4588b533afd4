"""A study: what was tried on a table, and what follows from it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from swapmeet.base.extras import require_library
from swapmeet.base.sentences import join_names
from swapmeet.errors import FileError, LimitError, ParameterError
from swapmeet.measures.limits import LOSS_AXIS, RISK_AXIS, SUMMARIES, check_limits
from swapmeet.tuning.checks import Promise
from swapmeet.tuning.frontier import (
    DECISIVE,
    FEWEST,
    Difference,
    FrontierPoint,
    Leader,
    compare_finalists,
    find_frontier,
    find_leaders,
    list_eligible,
    resample_medians,
    select_comparable,
    tells_chance,
)
from swapmeet.tuning.goal import Goal
from swapmeet.tuning.journal import read
from swapmeet.tuning.reasons import (
    Alternative,
    explain_balance,
    explain_few_rows,
    explain_limits,
    explain_no_candidates,
    explain_shortfall,
    find_alternatives,
    list_cautions,
    measure_excess,
    name_unchecked,
    recommend,
    say_figure,
)
from swapmeet.tuning.refusals import find_refusals
from swapmeet.tuning.trial_table import TrialTable

if TYPE_CHECKING:
    import os
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from swapmeet.tables.frame import Frame
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
        failures: dict[str, list[Candidate]] = {}
        for candidate in self.candidates:
            if candidate.failure:
                failures.setdefault(candidate.failure, []).append(candidate)
        return failures

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


@dataclass(frozen=True)
class Choice:
    """The best candidate that keeps the limits, or how near the nearest came to them.

    `stability` is the share of random resamples of the repeats that choose the same candidate; None
    where there are too few repeats. `differences` say how far the finalists' losses, or scores, lie
    above the lowest; of those that cannot be told from it, the one with the lowest risk is the
    best. The first of the `sentences` is the recommendation, `alternatives` are the next ones.
    """

    best: Candidate | None
    runner_up: Candidate | None
    nearest: Candidate | None
    stability: float | None
    sentences: tuple[str, ...]
    differences: tuple[Difference, ...] = ()
    alternatives: tuple[Alternative, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """For machines."""
        return {
            "best": self.best.number if self.best else None,
            "runner_up": self.runner_up.number if self.runner_up else None,
            "nearest": self.nearest.number if self.nearest else None,
            "sure": self.stability,
            "alternatives": [one.to_dict() for one in self.alternatives],
            "differences": [difference.to_dict() for difference in self.differences],
            "sentences": list(self.sentences),
        }


def choose(
    candidates: Sequence[Candidate],
    limits: Mapping[str, float],
    goal: Goal,
    rows: int | None = None,
) -> Choice:
    """The candidate with the least loss, or score, among those that keep the limits.

    Of several that cannot be told apart, the one with the lowest risk. About a table with few
    `rows` the first sentence says that they prove nothing.
    """
    goal = goal.settle(limits)
    choice = _choose(candidates, limits, goal)
    caution = explain_few_rows(rows) if rows is not None else ()
    return replace(choice, sentences=(*caution, *choice.sentences))


def _choose(candidates: Sequence[Candidate], limits: Mapping[str, float], goal: Goal) -> Choice:
    known = select_comparable(candidates)
    if not known:
        return Choice(None, None, None, None, (explain_no_candidates(candidates, goal),))
    kept = list_eligible(known, limits)
    eligible = [c for c in kept if not c.find_open(limits)]
    checks = sum(c.checked for c in known)
    if not eligible:
        nearest = _find_nearest(known, limits)
        shortfall = explain_shortfall(nearest, limits, kept, checks)
        return Choice(None, None, nearest, None, tuple(shortfall))
    differences = compare_finalists(eligible)
    best = find_safest(eligible[0], differences)
    others = [c for c in eligible if c is not best]
    promise = Promise(known, limits)
    alternatives = find_alternatives(best, known, limits)
    headline, *standing = recommend(best, promise, limits)
    sentences = (
        headline,
        *(one.sentence for one in alternatives),
        *standing,
        *name_unchecked(promise, checks, limits),
        *describe_standing(best, eligible, differences),
        *list_cautions(best, candidates, limits, goal),
        *explain_limits(best, known, limits),
        *(explain_balance(best, eligible, goal) if best is eligible[0] else ()),
    )
    stability = _measure_stability(best, eligible, goal)
    second = others[0] if others else None
    return Choice(best, second, None, stability, sentences, tuple(differences), alternatives)


def _find_nearest(known: Sequence[Candidate], limits: Mapping[str, float]) -> Candidate:
    """The setting that exceeds the limits least; what was measured in full comes first."""
    return min(
        known, key=lambda c: (bool(c.find_open(limits)), measure_excess(c, limits), *c.merit)
    )


def find_safest(lowest: Candidate, differences: Sequence[Difference]) -> Candidate:
    """Of the lowest and those that cannot be told from it, the one with the lowest risk.

    While repeats are few, almost nothing can be told apart, and the lowest counts.
    """
    tied = [lowest, *(difference.worse for difference in differences if difference.tied)]
    enough = [c for c in tied if len(c) >= DECISIVE or not c.setting.is_random]
    return (
        min(enough, key=lambda c: (c.median(RISK_AXIS), *c.merit)) if lowest in enough else lowest
    )


def _measure_stability(best: Candidate, eligible: Sequence[Candidate], goal: Goal) -> float | None:
    """Measure how often resampled repeats lead to the same choice, where there are enough."""
    if not all(map(tells_chance, eligible[:2])):
        return None
    place = list(eligible).index(best)
    aims = [
        loss if goal.aim == LOSS_AXIS else goal.weigh(risk, loss)
        for risk, loss in resample_medians(eligible)
    ]
    return float(np.mean([np.argmin(drawn) == place for drawn in aims]))


def describe_standing(
    best: Candidate, eligible: Sequence[Candidate], differences: Sequence[Difference]
) -> Iterator[str]:
    """The runner-up, and whether the choice is better than it and than the other finalists."""
    others = [c for c in eligible if c is not best]
    if not others:
        whole = "was checked in full" if best.checked else "was tried"
        yield f"No other setting that {whole} keeps the limits."
        return
    second, aim = others[0], best.goal.aim
    loss = "" if aim == LOSS_AXIS else f", loss {second.median(LOSS_AXIS):.3g}"
    yield (
        f"Runner-up: {second.label} ({aim} {say_figure(second, aim)}, risk "
        f"{second.median(RISK_AXIS):.3g}{loss})."
    )
    tied = [difference for difference in differences if difference.tied]
    if tied:
        yield _explain_tie(best, eligible[0], tied)
    elif differences[0].decided:
        yield _say_better(differences[0])
    unknown = [difference for difference in differences if not difference.known]
    if unknown:
        yield _say_unknown(best, [difference.worse for difference in unknown])


def _explain_tie(best: Candidate, lowest: Candidate, tied: Sequence[Difference]) -> str:
    """Explain which settings are as good, how far they may differ, and why one was taken."""
    same = [c for c in (lowest, *(difference.worse for difference in tied)) if c is not best]
    return (
        f"{len(same) + 1} settings {_say_alike([best, *same], tied)}: this one and "
        f"{join_names(c.label for c in same)}. {_say_why(best, same)}"
    )


def _say_why(best: Candidate, same: Sequence[Candidate]) -> str:
    """Say why one of several equally good settings was taken."""
    aim = best.goal.aim
    if best.median(aim) < min(c.median(aim) for c in same):
        return f"This one was chosen because its {aim} is the lowest so far; that may be luck."
    return (
        "This one was chosen because its risk is the lowest "
        f"({best.median(RISK_AXIS):.3g}; the others: "
        f"{', '.join(f'{c.median(RISK_AXIS):.3g}' for c in same)})."
    )


def _say_alike(settings: Sequence[Candidate], tied: Sequence[Difference]) -> str:
    """That settings are the same, or cannot be told apart after so many repeats."""
    aim = settings[0].goal.aim
    farthest = max(abs(end) for difference in tied for end in difference.interval or ())
    if farthest == 0.0:
        return f"have the same {aim}"
    repeats = sorted({len(c) for c in settings if len(c) > 1})
    span = str(repeats[-1]) if len(repeats) == 1 else f"{repeats[0]} to {repeats[-1]}"
    return (
        f"cannot be told apart by their {aim} after {span} repeats (none is shown to differ; the "
        f"largest difference that the repeats allow is {farthest:.2g})"
    )


def _say_better(difference: Difference) -> str:
    """That the difference to the runner-up is decided, and how large it is."""
    assert difference.interval is not None
    aim = difference.better.goal.aim
    low, high = difference.interval
    if low == high:
        return f"It is better than the runner-up: its {aim} is lower by {difference.value:.2g}."
    return (
        f"It is better than the runner-up: its {aim} is lower by {difference.value:.2g}, with an "
        f"interval from {low:.2g} to {high:.2g} ({len(difference.better)} and "
        f"{len(difference.worse)} repeats)."
    )


def _say_unknown(best: Candidate, others: Sequence[Candidate]) -> str:
    """That chance was not measured, and of what."""
    few = [c for c in (best, *others) if not tells_chance(c)]
    names = join_names(f"{c.label} ({len(c)})" for c in few)
    return (
        f"Whether it is better than what comes next is not known where there are fewer than "
        f"{FEWEST} repeats: {names}. Search longer, or allow more repeats."
    )
