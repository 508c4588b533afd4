"""The best candidates: within the limits, beaten by no other, and the best of each method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from swapmeet.base.quantiles import student_quantile
from swapmeet.base.seeds import Seed
from swapmeet.measures.limits import LOSS_AXIS, RISK_AXIS, sign

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from swapmeet.base.arrays import Flags, Floats
    from swapmeet.tuning import Study
    from swapmeet.tuning.candidate import Candidate


RESAMPLES = 200
_STREAMS = Seed(bytes(32)).within("tune")
"""Choosing is no secret: the same trials give the same choice."""


@dataclass(frozen=True)
class FrontierPoint:
    """A candidate that none beats in both risk and loss.

    `chance` is the share of resampled repeats in which it is on the frontier, too; None where too
    few repeats were made to tell.
    """

    candidate: Candidate
    risk: float
    loss: float
    chance: float | None

    def to_dict(self) -> dict[str, Any]:
        """For machines."""
        return {
            "candidate": self.candidate.number,
            "risk": self.risk,
            "loss": self.loss,
            "chance": self.chance,
        }


def find_frontier(candidates: Sequence[Candidate]) -> list[FrontierPoint]:
    """The frontier, from the least risk to the least loss; of equal candidates the first."""
    known = select_comparable(candidates)
    if not known:
        return []
    risk, loss = medians(known)
    best = find_undominated(risk, loss)
    chance = np.mean([find_undominated(*drawn) for drawn in resample_medians(known)], axis=0)
    points = {
        (risk[i], loss[i]): FrontierPoint(
            known[i],
            float(risk[i]),
            float(loss[i]),
            float(chance[i]) if tells_chance(known[i]) else None,
        )
        for i in np.flatnonzero(best)[::-1]
    }
    return [points[place] for place in sorted(points)]


def select_comparable(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates whose risk and loss are known.

    Those of synthetic rows are not, where the goal needs owners: such rows have none.
    """
    return [c for c in candidates if _is_known(c)]


def medians(candidates: Sequence[Candidate]) -> tuple[Floats, Floats]:
    """The median risk and the median loss of each."""
    return (
        np.array([c.median(RISK_AXIS) for c in candidates]),
        np.array([c.median(LOSS_AXIS) for c in candidates]),
    )


def resample_medians(candidates: Sequence[Candidate]) -> list[tuple[Floats, Floats]]:
    """Median risks and losses of random resamples of the repeats, with replacement."""
    draws = np.empty((2, len(candidates), RESAMPLES))
    random = _STREAMS.stream("resample")
    for at, candidate in enumerate(candidates):
        chosen = random.integers(len(candidate), size=(RESAMPLES, len(candidate)))
        for axis, name in enumerate((RISK_AXIS, LOSS_AXIS)):
            draws[axis, at] = np.median(candidate.repeats[name][chosen], axis=1)
    return [(draws[0, :, i], draws[1, :, i]) for i in range(RESAMPLES)]


def find_undominated(risk: Floats, loss: Floats) -> Flags:
    """Points that no other point beats: none is as low in both and lower in one.

    >>> find_undominated(np.array([0.1, 0.2, 0.2, 0.3]), np.array([0.5, 0.1, 0.4, 0.1])).tolist()
    [True, True, False, False]
    """
    order = np.lexsort((loss, risk))
    sorted_risk, sorted_loss = risk[order], loss[order]
    starts = np.flatnonzero(np.r_[True, np.diff(sorted_risk) > 0])
    lowest = sorted_loss[starts]
    before = np.r_[np.inf, np.minimum.accumulate(lowest)[:-1]]
    group = np.cumsum(np.r_[False, np.diff(sorted_risk) > 0])
    best = np.empty(len(risk), bool)
    best[order] = (sorted_loss == lowest[group]) & (sorted_loss < before[group])
    return best


def _is_known(candidate: Candidate) -> bool:
    return not candidate.failure and not np.isnan(
        candidate.median(RISK_AXIS) + candidate.median(LOSS_AXIS)
    )


def list_eligible(candidates: Sequence[Candidate], limits: Mapping[str, float]) -> list[Candidate]:
    """The candidates that keep the limits, by what the goal aims at and then by their risk."""
    known = select_comparable(candidates)
    return sorted((c for c in known if c.keeps(limits)), key=lambda c: c.merit)


@dataclass(frozen=True)
class Leader:
    """A method and its best candidate."""

    candidate: Candidate
    keeps_limits: bool

    @property
    def method(self) -> str:
        """The name of the method."""
        return self.candidate.setting.name


def find_leaders(study: Study) -> list[Leader]:
    """For each method its best candidate that keeps the limits; if none does, its best one.

    The chosen one comes first, the others in the order of what the goal aims at: those that keep
    the limits in full, those that keep them at first look, and those that do not.
    """
    leaders: dict[str, Leader] = {}
    best = study.choice.best
    if best is not None:
        leaders[best.setting.name] = Leader(best, keeps_limits=True)
    for leader in sorted(_known(study), key=_rank):
        leaders.setdefault(leader.method, leader)
    return list(leaders.values())


def _known(study: Study) -> list[Leader]:
    return [
        Leader(c, keeps_limits=c.keeps(study.limits))
        for c in study.candidates
        if not c.failure and not np.isnan(sum(c.merit))
    ]


def _rank(leader: Leader) -> tuple[bool, bool, float, float, int]:
    one = leader.candidate
    return not leader.keeps_limits, not one.is_whole, *one.merit


def explain_defeat(leader: Leader, study: Study) -> str:
    """Explain why the best of a method was not chosen: a limit, more loss, or no known reason."""
    candidate, best = leader.candidate, study.choice.best
    if best is not None and candidate.number == best.number:
        return "chosen"
    missed = candidate.find_missed(study.limits)
    if missed:
        return "breaks a limit: " + ", ".join(
            f"{name} {_say(candidate.unfavourable(name))} ({sign(name)} {limit:g})"
            for name, limit in missed.items()
        )
    if not candidate.is_whole and (best is None or candidate.merit < best.merit):
        return "not checked in full"
    return "" if best is None else _compare_with(best, candidate)


def _say(figure: float) -> str:
    return "without a value" if np.isnan(figure) else f"{figure:.3g}"


def _compare_with(best: Candidate, candidate: Candidate) -> str:
    """Say what is worse than in the chosen one, and whether that is sure."""
    difference = compare_aims(candidate, best)
    if difference.known and not difference.decided:
        return "cannot be told from the chosen one"
    worse = [
        f"{axis} {candidate.median(axis) - best.median(axis):.2g} higher"
        for axis in (RISK_AXIS, LOSS_AXIS)
        if candidate.median(axis) > best.median(axis)
    ]
    doubt = "" if difference.known else " (too few repeats)"
    return (" and ".join(worse) or "no worse") + doubt


def list_untried(study: Study) -> list[str]:
    """The methods of which no setting was tried, because the search ended before."""
    tried = {candidate.setting.name for candidate in study.candidates}
    return [name for name in study.sought if name not in tried]


FEWEST = 3
"""Fewer repeats than this tell nothing of chance."""
DECISIVE = 5
"""So many repeats are needed before the lower risk decides between scores that cannot be told."""
FINALISTS = 6
"""The best and the settings that come next: these are repeated, and compared with each other."""
LOOKS = 4
"""How often the finalists are compared at most, while their repeats grow in number."""
ERROR = 0.05
"""How often at most one of all these comparisons may call a difference decided that is none."""


@dataclass(frozen=True)
class Difference:
    """The excess of `worse` over `better` in what the goal aims at, on average over repeats.

    The interval is Welch's, so wide that all comparisons of a search together err in at most 5 of
    100 searches. Without enough repeats it is unknown.
    """

    worse: Candidate
    better: Candidate
    value: float
    interval: tuple[float, float] | None

    @property
    def known(self) -> bool:
        """Return whether there are enough repeats to say something."""
        return self.interval is not None

    @property
    def decided(self) -> bool:
        """Return whether one is truly better."""
        return self.interval is not None and not self.interval[0] <= 0.0 <= self.interval[1]

    @property
    def tied(self) -> bool:
        """Return whether the repeats tell chance, and cannot tell the two apart."""
        return self.known and not self.decided

    def to_dict(self) -> dict[str, Any]:
        """For machines."""
        return {
            "candidate": self.worse.number,
            "to": self.better.number,
            "difference": self.value,
            "interval": None if self.interval is None else list(self.interval),
            "decided": self.decided,
        }


def compare_aims(worse: Candidate, better: Candidate) -> Difference:
    """The difference of two losses, or scores; exact where chance has no part in either."""
    one, other = (candidate.repeats[better.goal.aim] for candidate in (worse, better))
    value = float(one.mean() - other.mean())
    if not (tells_chance(worse) and tells_chance(better)):
        return Difference(worse, better, value, None)
    reach = _compute_reach(one, other)
    return Difference(worse, better, value, (value - reach, value + reach))


def compare_finalists(eligible: Sequence[Candidate]) -> list[Difference]:
    """The best, which comes first, against those that come next."""
    return [compare_aims(other, eligible[0]) for other in eligible[1:FINALISTS]]


def tells_chance(candidate: Candidate) -> bool:
    """Return whether the repeats tell how far another one may differ."""
    return not candidate.setting.is_random or len(candidate) >= FEWEST


def _compute_reach(one: Floats, other: Floats) -> float:
    """Half the width of Welch's interval of the difference of two means."""
    parts = [(v.var(ddof=1) / len(v), len(v) - 1) for v in (one, other) if len(v) > 1]
    squared = float(sum(part for part, _ in parts))
    if squared <= 0.0:
        return 0.0
    freedom = squared**2 / sum(part**2 / df for part, df in parts)
    level = 1.0 - ERROR / (2 * LOOKS * (FINALISTS - 1))
    return float(student_quantile(level, freedom) * np.sqrt(squared))
