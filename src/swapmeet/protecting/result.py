"""The result of protecting single people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from swapmeet.base.arrays import Ints
    from swapmeet.measures.risk.exposure import Exposure
    from swapmeet.measures.scorecard import Scorecard
    from swapmeet.release.protection import ProtectionSummary
    from swapmeet.release.release import Release


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class ProtectedRelease:
    """A release, how it is judged before and after protection was raised, and for whom it was.

    `release` is what is published, as from `mask`; `summary` has the figures that may be told to
    everybody. `before` and `after` are the cards of the release as it was masked first and as it is
    now. `exposure` tells of every person how exposed they are now, `exposed` lists those above the
    limit, `protected` those for whom something was done: row numbers of the original. These are as
    secret as the audit record.
    """

    release: Release
    before: Scorecard
    after: Scorecard
    exposure_before: Exposure
    exposure: Exposure

    def __repr__(self) -> str:
        return f"<ProtectedRelease: {self.summary.sentence}>"

    @property
    def summary(self) -> ProtectionSummary:
        """The figures of what was done."""
        assert self.release.protection is not None
        return self.release.protection

    @property
    def exposed(self) -> Ints:
        """The people who are still above the limit."""
        return self.exposure.list_above(self.summary.limit)

    @property
    def protected(self) -> Ints:
        """The people for whom protection was raised."""
        protection = self.release.audit.protection
        return self.exposed[:0] if protection is None else protection.protected

    def to_dict(self) -> dict[str, Any]:
        """For machines; without the people."""
        return {
            **self.summary.to_dict(),
            "exposed_by": self.exposure_before.count_above(self.summary.limit),
            "left_by": self.exposure.count_above(self.summary.limit),
            "verdict_before": self.before.verdict.to_dict(),
            "verdict": self.after.verdict.to_dict(),
        }
