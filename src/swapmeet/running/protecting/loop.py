"""Step after step, until nobody is exposed, the loss limit is met, or nothing helps any more."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from math import ceil
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from swapmeet.base.parallel import Progress, silent
from swapmeet.base.sentences import count
from swapmeet.errors import InputError
from swapmeet.methods.rwn import RWN
from swapmeet.release.donors import SUPPRESSED
from swapmeet.release.protection import ProtectionStep, ProtectionSummary
from swapmeet.running.protecting.treatment import (
    Treatment,
    add_partners,
    find_rows,
    spread_to_units,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from swapmeet.base.arrays import Ints
    from swapmeet.base.seeds import Seed
    from swapmeet.engines.local.engine import Local
    from swapmeet.engines.local.mask import MaskingTask
    from swapmeet.methods import Method
    from swapmeet.release.outcome import Outcome
    from swapmeet.release.release import Release
    from swapmeet.running.protecting.look import Look, Observer
    from swapmeet.tables.microdata import Microdata


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
    _steps: list[ProtectionStep] = field(default_factory=list)

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

    def _take(self, state: _State, step: RaisingStep, number: int) -> _State | None:
        """The state after a step, if it helps; what it did is noted either way."""
        rows = find_rows(state.release.audit, state.look.exposure, state.people, state.look.known)
        seed = self.task.seed.derive("protect", number)
        room = StepTools(self.engine, seed, state.look.known, self.limit)
        treatment = step.apply(state.treatment, rows, state.people, room)
        if treatment is None:
            return None
        outcome = self._look(treatment, state.look)
        counts = treatment.count_cells(state.treatment)
        why = self._judge(state, outcome)
        self._steps.append(ProtectionStep(
            what=step.words, exposed=len(state.people), left=len(outcome.people), rows=counts[0],
            cells=counts[1], loss=outcome.look.loss, taken=not why, why=why,
        ))  # fmt: skip
        return None if why else outcome

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

    def _judge(self, state: _State, outcome: _State) -> str:
        """Judge a step: return why it is undone; empty where it is kept."""
        if self._costs_too_much(outcome.look):
            return f"the loss would be {outcome.look.loss:.3f}, above its limit"
        if len(outcome.people) < len(state.people):
            return ""
        others = len(np.setdiff1d(outcome.people, state.people))
        who = count(others, "other person", "other people")
        return f"{who} would stand out" if others else "it frees nobody"

    def _costs_too_much(self, look: Look) -> bool:
        return self.loss_limit is not None and look.loss > self.loss_limit

    @property
    def _is_dear(self) -> bool:
        """Return whether the last step was undone because of its cost; it is not tried again."""
        return bool(self._steps) and self._loses_too_much(self._steps[-1])

    def _loses_too_much(self, step: ProtectionStep) -> bool:
        return self.loss_limit is not None and step.loss > self.loss_limit

    def _say_why(self, first: _State, last: _State) -> str:
        """Say why it ended."""
        if not len(last.people):
            return last.look.exposure.gaps.words or DONE
        if self._costs_too_much(first.look):
            return DEAR
        helpful = [
            one for one in self._steps if self._loses_too_much(one) and one.left < one.exposed
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
            loss_before=first.look.loss, loss_after=last.look.loss, steps=tuple(self._steps),
            stopped=stopped,
        )  # fmt: skip


def _list_given(release: Release) -> tuple[str, ...]:
    return tuple(name for name in release.audit.columns if name not in release.audit.derived)


STRONGER = (2, 4, 8)
"""How many times as far values travel, step by step, by settings of the method itself."""
APART = (20, 60)
"""Then each value is drawn by itself from so many near rows."""
PARTNERS = 5
"""Near rows that each exposed row is joined by, for each time that values travel farther."""


class StepTools(NamedTuple):
    """The tools of a step: the engine, the seed, and what the intruder knows.

    Nobody may be told by a chance above `limit`: a treatment that shows is shared by so many rows.
    """

    engine: Local
    seed: Seed
    known: tuple[str, ...]
    limit: float


@dataclass(frozen=True)
class RaisingStep(ABC):
    """One way to raise the protection of some rows."""

    @property
    @abstractmethod
    def words(self) -> str:
        """The description of the step, for everybody."""

    @abstractmethod
    def apply(
        self, so_far: Treatment, rows: Ints, people: Ints, room: StepTools
    ) -> Treatment | None:
        """The treatment with this step for some rows; None where it can do nothing."""


@dataclass(frozen=True)
class TradeAgain(RaisingStep):
    """Exposed rows and near others trade once more, by a method whose values travel farther."""

    method: Method
    times: int
    way: str

    @property
    def words(self) -> str:
        return self.way

    def apply(
        self, so_far: Treatment, rows: Ints, people: Ints, room: StepTools
    ) -> Treatment | None:
        data, rows = so_far.data, spread_to_units(so_far.data, rows)
        partners = PARTNERS * self.times
        while True:
            joined = add_partners(data, rows, partners)
            done = self._try(so_far, joined, rows, people, room)
            if done is not None or len(joined) == data.n or partners > data.n:
                return done or self._try_strata(so_far, rows, people, room)
            partners *= 4

    def _try(
        self, so_far: Treatment, joined: Ints, rows: Ints, people: Ints, room: StepTools
    ) -> Treatment | None:
        part = self._run(so_far.data, joined, room)
        if part is None:
            return None
        return so_far.trade(self.method, part, joined, np.isin(joined, rows), people)

    def _try_strata(
        self, so_far: Treatment, rows: Ints, people: Ints, room: StepTools
    ) -> Treatment | None:
        """Stratum by stratum, where one of them has too few rows for the method."""
        done: Treatment | None = None
        strata = so_far.data.strata
        for number in np.unique(strata[rows]).tolist():
            some = rows[strata[rows] == number]
            everybody = np.flatnonzero(strata == number)
            part = self._run(so_far.data, everybody, room) if len(everybody) > 1 else None
            if part is not None:
                now, chosen = done or so_far, np.isin(everybody, some)
                done = now.trade(self.method, part, everybody, chosen, people)
        return done

    def _run(self, data: Microdata, rows: Ints, room: StepTools) -> Outcome | None:
        try:
            return room.engine.run(self.method, data.block(rows), room.seed)
        except InputError:
            return None


@dataclass(frozen=True)
class SuppressCells(RaisingStep):
    """Cells of exposed rows are taken out of the release.

    That they are gone shows. Where fewer rows would show it than one over the limit, random others
    of the stratum lose the same cells, so that the gap alone tells nobody from the rest.
    """

    names: tuple[str, ...]

    @property
    def words(self) -> str:
        return f"cells suppressed in {len(self.names)} column{'s'[: len(self.names) > 1]}"

    def apply(
        self, so_far: Treatment, rows: Ints, people: Ints, room: StepTools
    ) -> Treatment | None:
        rows = spread_to_units(so_far.data, rows)
        least = ceil(1.0 / max(room.limit, 1.0 / so_far.data.n))
        hidden = [rows, *_list_decoys(so_far.data, rows, least, room.seed)]
        return so_far.suppress(np.unique(np.concatenate(hidden)), self.names, people)


def _list_decoys(data: Microdata, rows: Ints, least: int, seed: Seed) -> Iterator[Ints]:
    """Random rows, whole units of them, of strata in which fewer than `least` would be hidden."""
    for stratum in np.unique(data.strata[rows]).tolist():
        there = np.flatnonzero(data.strata == stratum)
        hidden = np.isin(there, rows)
        free, lacking = there[~hidden], least - int(hidden.sum())
        if lacking > 0 and len(free):
            drawn = seed.stream("decoys", stratum).permutation(free)[:lacking]
            yield spread_to_units(data, np.sort(drawn))


def list_steps(method: Method, data: Microdata, known: tuple[str, ...]) -> list[RaisingStep]:
    """The steps, from mild to harsh: stronger trades, every column apart, suppression."""
    steps: list[RaisingStep] = []
    for times in STRONGER:
        stronger = method.strengthen(times)
        if stronger is not None and stronger not in [one.method for one in steps]:  # type: ignore[attr-defined]
            words = f"traded again by {method.name} with settings {times} times as strong"
            steps.append(TradeAgain(stronger, times, words))
    for k in APART:
        words = f"every column drawn apart from {k} near rows"
        steps.append(TradeAgain(RWN(k=k, weights=0.1), k // PARTNERS, words))
    return [*steps, *_list_suppressions(data, known)]


def _list_suppressions(data: Microdata, known: tuple[str, ...]) -> Iterator[SuppressCells]:
    """The half of what the intruder knows that tells most; all of it; all that was masked."""
    telling = sorted(
        (name for name in data.names if name in known),
        key=lambda name: -len(np.unique(data[name].values)),
    )
    tried: list[tuple[str, ...]] = []
    for names in (telling[: ceil(len(telling) / 2)], telling, data.names):
        whole = _complete_sets(data, names)
        if whole and whole not in tried:
            tried.append(whole)
            yield SuppressCells(whole)


def _complete_sets(data: Microdata, names: list[str] | tuple[str, ...]) -> tuple[str, ...]:
    """The columns with all that move with them as one, in the order of the table."""
    sets = [one for one in data.together if set(one) & set(names)]
    wanted = {*names, *(name for one in sets for name in one)}
    return tuple(name for name in data.names if name in wanted)
