"""A look at a release: what intruders find, person by person, and what it costs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.measures.overall import WHOLE_LOSS
from swapmeet.measures.registry import chosen_measures
from swapmeet.measures.risk.exposure import Exposure
from swapmeet.measures.scoring import score_both
from swapmeet.running.assessing import compare_both, make_request

if TYPE_CHECKING:
    from collections.abc import Mapping

    from swapmeet.engines.inquiry import Inquiry
    from swapmeet.release.release import Release
    from swapmeet.running.preparation import Prepared


@dataclass(frozen=True, repr=False, eq=False)
class Look:
    """The people exposed in a release, the losses, and what the intruder of the verdict knows."""

    exposure: Exposure
    losses: Mapping[str, float]
    known: tuple[str, ...]

    def __repr__(self) -> str:
        return f"<Look: loss {self.loss:.3f}>"

    @property
    def loss(self) -> float:
        """The mean of the measures of loss; 0 keeps everything, 1 nothing."""
        return float(np.mean(list(self.losses.values()))) if self.losses else 0.0

    def after(self, before: Look) -> Look:
        """The same, where no step makes up for what an earlier one lost.

        A measure may look better because cells are gone that it would have to look at.
        """
        worst = {n: max(self.losses.get(n, 0.0), old) for n, old in before.losses.items()}
        return replace(self, losses={**self.losses, **worst})


@dataclass(frozen=True, repr=False, eq=False)
class Observer:
    """Looks at releases of one table, all in the same way."""

    prepared: Prepared
    inquiry: Inquiry
    sought: int

    def __repr__(self) -> str:
        return f"<Observer of {len(self.prepared.head)} rows>"

    def look(self, release: Release) -> Look:
        """Everything is measured anew, against the true owners."""
        request = make_request(self.prepared, release, self.inquiry)
        with compare_both(self.prepared, release, request) as (risk, loss):
            measures = chosen_measures(WHOLE_LOSS)
            scores = score_both(risk, loss, measures, self.inquiry.workers)
            losses = {name: one.value for name, one in scores.items() if not one.undefined}
            return Look(Exposure.of(risk, self.sought), losses, request.keys)
