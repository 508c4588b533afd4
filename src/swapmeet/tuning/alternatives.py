"""Alternatives to the choice: a setting that loses less, and one that is less risky."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from swapmeet.base.sentences import LEAST, join_names
from swapmeet.measures.limits import LOSS_AXIS, RISK_AXIS, bounds, keeps, sign
from swapmeet.tuning.sayings import say_figures, say_setting

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from swapmeet.tuning.candidate import Candidate

MUCH_LESS = 0.75
"""An alternative has at most this share of the loss, or of the risk, of the choice."""


@dataclass(frozen=True)
class Alternative:
    """Another setting, what speaks for it (`less` loss or risk), and the sentence about it."""

    candidate: Candidate
    less: str
    sentence: str

    def to_dict(self) -> dict[str, Any]:
        """For machines."""
        return {
            "number": self.candidate.number,
            "less": self.less,
            "sentence": self.sentence,
        }


def find_alternatives(
    best: Candidate, known: Sequence[Candidate], limits: Mapping[str, float]
) -> tuple[Alternative, ...]:
    """At most one setting with much less loss, and one with much less risk."""
    found = (_find_less_loss(best, known, limits), _find_less_risk(best, known, limits))
    return tuple(one for one in found if one is not None)


def _find_less_loss(
    best: Candidate, known: Sequence[Candidate], limits: Mapping[str, float]
) -> Alternative | None:
    """The setting that exceeds the limits least among those that lose much less."""
    able = [c for c in _select_much_less(best, known, LOSS_AXIS)
            if c.is_whole and not c.find_open(limits)
            and measure_excess(c, limits) < np.inf]  # fmt: skip
    nearest = min(able, key=lambda c: (measure_excess(c, limits), *c.merit), default=None)
    if nearest is None:
        return None
    missed = [
        f"{name} would be {nearest.unfavourable(name):.3g}, and must be {sign(name)} {limit:g}"
        for name, limit in nearest.find_missed(limits).items()
    ]
    but = f", but {'; '.join(missed)}" if missed else ", at more risk"
    sentence = f"Less loss: {say_setting(nearest)}; {say_figures(nearest)}{but}."
    return Alternative(nearest, LOSS_AXIS, sentence)


def _find_less_risk(
    best: Candidate, known: Sequence[Candidate], limits: Mapping[str, float]
) -> Alternative | None:
    """The setting that loses least among those with much less risk that keep the limits."""
    able = [c for c in _select_much_less(best, known, RISK_AXIS) if c.keeps(limits)]
    whole = [c for c in able if c.is_whole] or able
    least = min(whole, key=lambda c: (c.median(LOSS_AXIS), *c.merit), default=None)
    if least is None:
        return None
    gaps = join_names(least.find_open(limits))
    doubt = f" ({gaps} not checked in full)" if gaps else ""
    sentence = f"Less risk: {say_setting(least)}; {say_figures(least)}{doubt}."
    return Alternative(least, RISK_AXIS, sentence)


def _select_much_less(best: Candidate, known: Iterable[Candidate], axis: str) -> list[Candidate]:
    now = best.median(axis)
    most = MUCH_LESS * now
    return [c for c in known if c is not best and c.median(axis) <= most and now >= LEAST]


def measure_excess(candidate: Candidate, limits: Mapping[str, float]) -> float:
    """Measure the excess over the worst limit that was measured, as a share of its range."""
    missed, later = [0.0], candidate.find_open(limits)
    for name, limit in candidate.fit_limits(limits).items():
        if name in later and not candidate.has(name):
            continue
        value = candidate.unfavourable(name)
        if np.isnan(value):
            return np.inf
        if not keeps(name, value, limit):
            low, high = bounds(name)
            span = high - low if np.isfinite(high) else max(abs(limit), 1.0)
            missed.append(abs(value - limit) / span)
    return max(missed)
