"""One figure for a release: the overall score of the SJPPDS paper."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from swapmeet.base.sentences import agree, figure
from swapmeet.comparison.score import Score, Undefined

RISK = ("dbrl", "rid", "sdid")
SYNTHETIC_RISK = ("dr3",)
"""Measures that take their place in equation 7, for rows that are nobody's."""
LOSS = ("propensity", "pil", "cbil")
WHOLE_LOSS = ("margins", "relations", "screened-propensity")
"""Together they see every column and every pair of columns, of whatever kind; their mean is what a
search minimises. PIL and CBIL see numbers only, and CBIL is nearly 0 for any release that keeps the
largest variances."""
SORTED = "-sorted"


@dataclass(frozen=True)
class Overall:
    """The mean risk, the mean loss and their mean; all from 0 (best) to 1.

    `basis` says how rows were matched: by their true owners or by the paper's worst-case sorting.
    """

    risk: float
    loss: float
    score: float
    basis: str

    @property
    def sentence(self) -> str:
        """In words."""
        return (
            f"The overall score of the SJPPDS paper is {figure(self.score)} (0 is best, 1 worst): "
            f"risk {figure(self.risk)} {self.basis}, loss {figure(self.loss)}, which covers "
            "relations between numbers only."
        )


def overall(scores: Mapping[str, Score]) -> Overall:
    """Equations 4 to 6 of the SJPPDS paper; by the true owners wherever they are known."""
    loss = _mean(scores, LOSS)
    if all(name in scores and not scores[name].undefined for name in RISK):
        risk, basis = _mean(scores, RISK), "by the true owners"
    else:
        risk = _mean(scores, tuple(f"{name}{SORTED}" for name in RISK))
        basis = "by worst-case sorting, which may flatter"
    return Overall(risk, loss, (risk + loss) / 2.0, basis)


def _mean(scores: Mapping[str, Score], names: tuple[str, ...]) -> float:
    absent = [name for name in names if name not in scores or scores[name].undefined]
    if absent:
        raise Undefined(f"{', '.join(absent)} {agree(len(absent), 'is', 'are')} not defined")
    return float(np.mean([scores[name].value for name in names]))
