"""Step after step, until nobody is exposed, the loss limit is met, or nothing helps any more."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.core.base.parallel import Progress, silent
from swapmeet.core.base.sentences import count
from swapmeet.core.release.donors import SUPPRESSED
from swapmeet.core.release.protection import ProtectionStep, ProtectionSummary
from swapmeet.protecting.partners import find_rows
from swapmeet.protecting.steps import Room, list_steps
from swapmeet.protecting.treatment import Treatment

if TYPE_CHECKING:
    from swapmeet.core.base.arrays import Ints
    from swapmeet.core.release.release import Release
    from swapmeet.engines.local.engine import Local
    from swapmeet.engines.local.mask import MaskingTask
    from swapmeet.protecting.look import Look, Observer
    from swapmeet.protecting.steps import Step

ROUNDS = 2
"""How often one step is tried; each time other partners and values are drawn."""
DONE = "nobody is above the limit any more"
SPENT = "what would help further costs more than the loss limit"
DEAR = "masking alone costs more than the loss limit"
HELPLESS = "no further step leaves fewer people above the limit"


@dataclass(frozen=True, repr=False, eq=False)
class Course:
    """The release as it was masked first, as it is now, and what was found in each."""

    first: Release
    last: Release
    before: Look
    after: Look

    @property
    def taken(self) -> bool:
        """Return whether any step was kept."""
        return self.last.protection is not None and any(s.taken for s in self.last.protection.steps)


@dataclass(frozen=True, repr=False, eq=False)
class _State:
    """A release, how it came about, and who is exposed in it."""

    treatment: Treatment
    release: Release
    look: Look
    people: Ints


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class ProtectionLoop:
    """Raises the protection of exposed people in a table that is about to be masked."""

    task: MaskingTask
    engine: Local
    observer: Observer
    limit: float
    loss_limit: float | None = None
    progress: Progress = silent
    _told: list[ProtectionStep] = field(default_factory=list)

    def __repr__(self) -> str:
        return f"<ProtectionLoop: {self.task!r}>"

    def run(self) -> Course:
        """Mask, look, and take steps as long as they help."""
        first = state = self._begin()
        known = state.look.known
        steps = list_steps(self.task.method, self.task.data, known)
        if self._costs_too_much(first.look):
            steps = []
        for number, step in enumerate(steps):
            self.progress("protecting", number, len(steps))
            for turn in range(ROUNDS):
                if len(state.people) and not (turn and self._is_dear):
                    state = self._take(state, step, number * ROUNDS + turn) or state
        self.progress("protecting", len(steps), len(steps))
        summary = self._summarize(first, state, self._say_why(first, state))
        last = replace(state.release, protection=summary).remark(summary.sentence)
        return Course(first.release, last, first.look, state.look)

    def _begin(self) -> _State:
        self.progress("masking", 0, 1)
        outcome = self.engine.run(self.task.method, self.task.data, self.task.seed)
        release = self.task.release(outcome)
        nobody = np.empty(0, np.int64)
        treatment = Treatment(
            data=self.task.data, published=_list_given(release), outcome=outcome,
            rows_of_people=release.audit.rows_of_people(),
            step_of_row=np.zeros(release.rows, np.int64), people=nobody,
        )  # fmt: skip
        look = self.observer.look(release)
        return _State(treatment, release, look, look.exposure.list_above(self.limit))

    def _take(self, state: _State, step: Step, number: int) -> _State | None:
        """The state after a step, if it helps; what it did is noted either way."""
        rows = find_rows(state.release.audit, state.look.exposure, state.people, state.look.known)
        seed = self.task.seed.derive("protect", number)
        room = Room(self.engine, seed, state.look.known, self.limit)
        treatment = step.apply(state.treatment, rows, state.people, room)
        if treatment is None:
            return None
        found = self._look(treatment, state.look)
        counts = treatment.count_cells(state.treatment)
        why = self._judge(state, found)
        self._told.append(ProtectionStep(
            what=step.words, exposed=len(state.people), left=len(found.people), rows=counts[0],
            cells=counts[1], loss=found.look.loss, taken=not why, why=why,
        ))  # fmt: skip
        return None if why else found

    def _look(self, treatment: Treatment, before: Look) -> _State:
        """Make the release anew, and measure everything in it."""
        nobody = np.empty(0, np.int64)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            release = self.task.release(treatment.outcome, lambda _: treatment.describe(nobody))
        look = self.observer.look(release).after(before)
        people = look.exposure.list_above(self.limit)
        audit = replace(release.audit, protection=treatment.describe(people))
        return _State(treatment, replace(release, audit=audit), look, people)

    def _judge(self, state: _State, found: _State) -> str:
        """Judge a step: return why it is undone; empty where it is kept."""
        if self._costs_too_much(found.look):
            return f"the loss would be {found.look.loss:.3f}, above its limit"
        if len(found.people) < len(state.people):
            return ""
        others = len(np.setdiff1d(found.people, state.people))
        who = count(others, "other person", "other people")
        return f"{who} would stand out" if others else "it frees nobody"

    def _costs_too_much(self, look: Look) -> bool:
        return self.loss_limit is not None and look.loss > self.loss_limit

    @property
    def _is_dear(self) -> bool:
        """Return whether the last step was undone because of its cost; it is not tried again."""
        return bool(self._told) and self._loses_too_much(self._told[-1])

    def _loses_too_much(self, step: ProtectionStep) -> bool:
        return self.loss_limit is not None and step.loss > self.loss_limit

    def _say_why(self, first: _State, last: _State) -> str:
        """Say why it ended."""
        if not len(last.people):
            return last.look.exposure.gaps.words or DONE
        if self._costs_too_much(first.look):
            return DEAR
        helpful = [
            one for one in self._told if self._loses_too_much(one) and one.left < one.exposed
        ]
        return SPENT if helpful else HELPLESS

    def _summarize(self, first: _State, last: _State, stopped: str) -> ProtectionSummary:
        gone = last.treatment.outcome.donors.matrix == SUPPRESSED
        gone &= first.treatment.outcome.donors.matrix != SUPPRESSED
        return ProtectionSummary(
            people=first.release.rows, sought=len(first.look.exposure.sought), limit=self.limit,
            loss_limit=self.loss_limit, exposed=len(first.people),
            protected=len(last.treatment.people), left=len(last.people),
            marked=int(gone.any(axis=1).sum()),
            loss_before=first.look.loss, loss_after=last.look.loss, steps=tuple(self._told),
            stopped=stopped,
        )  # fmt: skip


def _list_given(release: Release) -> tuple[str, ...]:
    return tuple(name for name in release.audit.columns if name not in release.audit.derived)
