"""The verdict: whether a release is safe to publish under its limits, and why."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from swapmeet.base.sentences import join_names
from swapmeet.comparison.score import Direction, Judgement, Score

HUNDRED = 100
UNMEASURED = "not measured"
NO_LIMITS = "No verdict: no limit was set."
CHOSEN_SEED = "seed was chosen: this release is fit for tests and studies, not for publication."


@dataclass(frozen=True, kw_only=True)
class Reason:
    """Standing of a release under one limit; without a figure, `score` is None or not defined."""

    measure: str
    limit: float
    score: Score | None

    @property
    def judgement(self) -> Judgement:
        """Judge the figure under the limit; open where there is none."""
        return Judgement.OPEN if self.score is None else self.score.judge(self.limit)

    @property
    def decided(self) -> bool:
        """Return whether there is a figure that settles it."""
        return self.judgement is not Judgement.OPEN

    @property
    def met(self) -> bool:
        """Return whether a figure bears out that the limit is met."""
        return self.score is not None and self.score.keeps(self.limit)

    @property
    def missed(self) -> bool:
        """Return whether a figure is beyond the limit."""
        return self.judgement is Judgement.NOT_SAFE

    @property
    def why_undecided(self) -> str:
        """Say why no figure settles it; empty where one does."""
        if self.score is None:
            return UNMEASURED
        if self.decided:
            return ""
        return self.score.undefined or self.score.hidden or "it has no value"

    @property
    def finding(self) -> str:
        """Say what was found, with the limit, as a clause.

        Where the value keeps the limit and the interval does not, it names both.
        """
        if self.score is None or not self.decided:
            return _say_undecided([self])
        clause = self.score.finding or f"{self.measure} is {self._say(self.score.value)}"
        if self.misses_by_interval:
            far = "high" if self._lower else "low"
            clause += f"; the true figure may be as {far} as {self._say(self.score.unfavourable)}"
        return f"{clause} ({self._sign}{self._say(self.limit)})"

    @property
    def misses_by_interval(self) -> bool:
        """Return whether the value keeps the limit but the worse end of its interval does not."""
        if self.score is None or not self.missed:
            return False
        return self.score.value <= self.limit if self._lower else self.score.value >= self.limit

    @property
    def worse_case(self) -> str:
        """A sentence about a worse case that the limit does not judge; empty where there is none.

        A finding that already names it is not repeated.
        """
        if self.score is None or not self.score.beside:
            return ""
        return f"The limit on {self.measure} does not cover a worse case: {self.score.beside}."

    @property
    def strain(self) -> float:
        """Return how much of the limit is used up."""
        if self.score is None or not self.decided:
            return np.inf
        end = self.score.unfavourable
        part, whole = (end, self.limit) if self._lower else (self.limit, end)
        if part == whole:
            return 1.0
        return part / whole if whole > 0 else np.inf

    @property
    def excess(self) -> float:
        """Return the excess over the limit, as a share of the measure's range; 0 if it is met."""
        if self.score is None or not self.missed:
            return 0.0
        low, high = self.score.bounds
        span = high - low if np.isfinite(high - low) else max(abs(self.limit), 1.0)
        return abs(self.score.unfavourable - self.limit) / span

    def to_dict(self) -> dict[str, Any]:
        """For machines."""
        score = self.score if self.decided else None
        return {
            "measure": self.measure,
            "value": None if score is None else score.value,
            "interval": None if score is None or score.interval is None else list(score.interval),
            "limit": self.limit,
            "met": self.met,
            "verdict": str(self.judgement),
            "finding": self.finding,
            "undecided": self.why_undecided or None,
        }

    @property
    def _lower(self) -> bool:
        return self.score is None or self.score.direction is Direction.LOWER

    @property
    def _sign(self) -> str:
        return "limit " if self._lower else "limit at least "

    def _say(self, number: float) -> str:
        """A figure in the count of the finding; people beyond 100 are not cut in pieces."""
        assert self.score is not None
        total = self.score.finding_in
        if total <= HUNDRED:
            near = number != self.limit and f"{number:.3g}" == f"{self.limit:.3g}"
            return f"{number * total:.{5 if near else 3}g}"
        whole = round(number * total, 6)
        return f"{math.floor(whole) if number == self.limit else math.ceil(whole):,}"


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """The judgement on a release: safe to publish under its limits, not safe, or not decided.

    It is only if every limit is met, by the unfavourable end of its interval. `sentence` quotes the
    limit that is exceeded most, or used up most; `reasons` has them all. A limit on what was not
    measured, is not defined here, or hides a part of the risk, is open, and so is the verdict
    unless a figure exceeds another. `advice` says what to do next. `default` means that nobody
    chose the limits.
    """

    judgement: Judgement
    sentence: str
    reasons: tuple[Reason, ...]
    advice: tuple[str, ...]
    limits: Mapping[str, float]
    default: bool = False

    def __str__(self) -> str:
        return self.sentence

    @property
    def safe(self) -> bool:
        """Return whether the figures bear out that every limit is met."""
        return self.judgement is Judgement.SAFE

    @property
    def decided(self) -> bool:
        """Return whether the figures settle it: all limits are met, or a figure exceeds one."""
        return self.judgement is not Judgement.OPEN

    def to_dict(self) -> dict[str, Any]:
        """For machines."""
        return {
            "verdict": str(self.judgement),
            "safe": self.safe,
            "decided": self.decided,
            "sentence": self.sentence,
            "reasons": [reason.to_dict() for reason in self.reasons],
            "advice": list(self.advice),
            "limits": dict(self.limits),
            "default_limits": self.default,
        }


def judge(
    reasons: Sequence[Reason], *, default: bool = False, chosen_seed: bool = False,
    advice: Sequence[str] = (), doubt: str = "",
) -> Verdict:  # fmt: skip
    """The verdict that follows from how a release stands to each of its limits.

    With a `doubt` about whose rows these are, no release is safe.
    """
    judgement = conclude(reasons, doubt)
    sentence = _describe(reasons, "the default limits" if default else "your limits", doubt)
    if chosen_seed:
        sentence += f" {'But the' if judgement is Judgement.SAFE else 'The'} {CHOSEN_SEED}"
    return Verdict(
        judgement=judgement,
        sentence=sentence,
        reasons=tuple(reasons),
        advice=tuple(advice),
        limits={reason.measure: reason.limit for reason in reasons},
        default=default,
    )


def conclude(reasons: Sequence[Reason], doubt: str = "") -> Judgement:
    """Join single judgements: without any, or with a doubt, nothing is safe."""
    judgements = {reason.judgement for reason in reasons}
    if Judgement.NOT_SAFE in judgements:
        return Judgement.NOT_SAFE
    return Judgement.SAFE if judgements == {Judgement.SAFE} and not doubt else Judgement.OPEN


def compare_with_limits(
    scores: Mapping[str, Score], limits: Mapping[str, float]
) -> tuple[Reason, ...]:
    """List how the scores stand to the limits, in the order of these."""
    return tuple(
        Reason(measure=name, limit=limit, score=scores.get(name)) for name, limit in limits.items()
    )


def _describe(reasons: Sequence[Reason], limits: str, doubt: str) -> str:
    """The verdict in one sentence."""
    missed = [reason for reason in reasons if reason.missed]
    open_ones = [reason for reason in reasons if not reason.decided]
    if not reasons:
        return NO_LIMITS
    if missed:
        worst = max(missed, key=lambda reason: reason.excess)
        return f"Not safe to publish under {limits}: {worst.finding}{_name_others(missed, worst)}."
    if doubt or open_ones:
        why = [*filter(None, [doubt]), *_group_undecided(open_ones)]
        return f"Not decided under {limits}: {'; '.join(why)}."
    tightest = max(reasons, key=lambda reason: reason.strain)
    worse = [r.worse_case for r in reasons if r.score and r.score.beside not in tightest.finding]
    return " ".join([f"Safe to publish under {limits}: {tightest.finding}.", *filter(None, worse)])


def _name_others(missed: Sequence[Reason], worst: Reason) -> str:
    """Name the other limits that are exceeded, or not reached."""
    others = [reason for reason in missed if reason is not worst]
    if not others:
        return ""
    lower = all(one.score and one.score.direction is Direction.LOWER for one in others)
    verbs = ("exceeds", "exceed") if lower else ("does not meet", "do not meet")
    verb, limits = (verbs[0], "its limit") if len(others) == 1 else (verbs[1], "their limits")
    return f"; {join_names(one.measure for one in others)} also {verb} {limits}"


def _group_undecided(reasons: Sequence[Reason]) -> Iterator[str]:
    """Measures without a figure, those with the same reason together."""
    for why in dict.fromkeys(reason.why_undecided for reason in reasons):
        yield _say_undecided([reason for reason in reasons if reason.why_undecided == why])


def _say_undecided(reasons: Sequence[Reason]) -> str:
    """Some measures that are open for the same reason."""
    one, names = len(reasons) == 1, join_names([reason.measure for reason in reasons])
    why, score = reasons[0].why_undecided, reasons[0].score
    if score is None:
        return f"{names} {'was' if one else 'were'} not measured"
    if score.hidden and not score.undefined:
        return f"{names} {'meets its limit' if one else 'meet their limits'}, but {why}"
    return f"{names} {'has' if one else 'have'} no figure, because {why}"
