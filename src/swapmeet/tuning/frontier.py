"""The candidates that no other beats in both risk and loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from swapmeet.base.seeds import Seed
from swapmeet.measures.limits import LOSS_AXIS, RISK_AXIS
from swapmeet.tuning.difference import tells_chance

if TYPE_CHECKING:
    from collections.abc import Sequence

    from swapmeet.base.arrays import Flags, Floats
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
