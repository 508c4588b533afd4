"""The best candidate of each method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.measures.limits import SCORE

if TYPE_CHECKING:
    from swapmeet.tuning import Candidate, Study


@dataclass(frozen=True)
class Leader:
    """A method and its candidate with the best score."""

    candidate: Candidate
    keeps_limits: bool

    @property
    def method(self) -> str:
        """The name of the method."""
        return self.candidate.setting.name


def find_leaders(study: Study) -> list[Leader]:
    """For each method its best candidate that keeps the limits; if none does, its best one.

    They come in the order of their scores, those that keep the limits first.
    """
    found: dict[str, Leader] = {}
    for leader in sorted(_known(study), key=_merit):
        found.setdefault(leader.method, leader)
    return list(found.values())


def _known(study: Study) -> list[Leader]:
    return [
        Leader(c, keeps_limits=c.keeps(study.limits))
        for c in study.candidates
        if not c.failure and not np.isnan(c.median(SCORE))
    ]


def _merit(leader: Leader) -> tuple[bool, float, float, int]:
    return not leader.keeps_limits, *leader.candidate.merit
