"""Likelihoods of values that people and released rows share."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from swapmeet.intruders.evidence.base import DOUBT, Likelihood, mix_in_doubt

if TYPE_CHECKING:
    from swapmeet.base.arrays import Floats
    from swapmeet.comparison.codes import SharedCodes


@dataclass(frozen=True, repr=False, eq=False)
class CodedLikelihood(Likelihood):
    """Likelihood of a row's value by its code; with probability `doubt` it may be any."""

    codes: SharedCodes
    doubt: float = field(default=DOUBT, kw_only=True)

    def of_anybody(self, n: int) -> Floats:  # noqa: ARG002
        return self.codes.chances_of_rows

    @cached_property
    def floor(self) -> Floats:
        """Return, by code, the log-likelihood where nobody could have given the value."""
        return mix_in_doubt(0.0, self.codes.chances, self.doubt)
