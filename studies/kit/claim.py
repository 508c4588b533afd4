"""A number that a paper prints, beside ours."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from decimal import Decimal
from typing import Any

from kit.estimate import Estimate

SURE = 2.576
"""Standard errors within which two numbers agree: one false alarm in a hundred."""
VERDICTS = {
    "exact": "the printed digits come out, and nothing is drawn at random",
    "agrees": "the difference is within the Monte Carlo error (99 %) and the rounding",
    "near": "within the accuracy with which a curve can be read off, or another stated margin",
    "differs": "it does not come out; the note says why, as far as that is known",
    "ours only": "the paper prints no number here",
}


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A printed number, as text so that its digits count, and ours with its Monte Carlo error.

    `paper_error` is the standard error of the printed number, where its replications are known.
    `margin` is what else may lie between the two, such as the accuracy of reading a curve.

    >>> Claim.of("MKA, m = 5", "480.92", 480.9197).verdict
    'exact'
    >>> Claim.of("CBIL, k = 5", "1.223804e-03", 0.0012238039).verdict
    'exact'
    >>> Claim.of("MKA, rank swap", "451.79", Estimate(453.9, 2.4)).verdict
    'agrees'
    >>> Claim.of("error, k = 25", "0.682", Estimate(0.643, 0.004), note="not found").verdict
    'differs'
    """

    what: str
    paper: str = ""
    ours: float
    error: float = 0.0
    paper_error: float = 0.0
    margin: float = 0.0
    note: str = ""

    @classmethod
    def of(
        cls,
        what: str,
        paper: str | float,
        ours: Estimate | float,
        *,
        paper_error: float = 0.0,
        margin: float = 0.0,
        note: str = "",
        because: str = "",
    ) -> Claim:
        """A claim whose own number may be an estimate; `because` is noted if it is not the paper's.

        >>> [Claim.of("", "4", ours, because="ties").note for ours in (4, 3)]
        ['', 'ties']
        """
        found = ours if isinstance(ours, Estimate) else Estimate(float(ours))
        claim = cls(
            what=what, paper=str(paper), ours=found.mean, error=found.error,
            paper_error=paper_error, margin=margin, note=note,
        )  # fmt: skip
        missed = claim.verdict in ("near", "differs")
        return replace(claim, note=because) if because and missed else claim

    @property
    def digits(self) -> int:
        """Decimals of the printed number, which may have a power of ten.

        >>> Claim(what="", paper="1.22e-03", ours=0.0).digits
        5
        """
        return -int(Decimal(self.paper or 0).as_tuple().exponent)

    @property
    def verdict(self) -> str:
        """Whether ours is the paper's number: one of `VERDICTS`."""
        if not self.paper:
            return "ours only"
        gap = abs(self.ours - float(self.paper))
        rounding = 0.5 * 10.0**-self.digits * (1.0 + 1e-9)
        noise = math.hypot(self.error, self.paper_error)
        if gap <= rounding and noise == 0.0:
            return "exact"
        if gap <= SURE * noise + rounding:
            return "agrees"
        return "near" if gap <= self.margin + SURE * noise + rounding else "differs"

    def to_dict(self) -> dict[str, Any]:
        """For JSON: the fields and the verdict."""
        return {**asdict(self), "verdict": self.verdict}
