"""Options of commands that measure releases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from swapmeet.cli import options as opt

if TYPE_CHECKING:
    from swapmeet.comparison.knowledge import Knowledge
    from swapmeet.measures.verdict import Verdict


@dataclass(frozen=True, kw_only=True)
class MeasureOptions:
    """The measures, what the intruder knows, and the limits that must be kept."""

    known: list[str] | None
    intruder: str
    measure: list[str] | None
    full: bool
    limit: list[str] | None

    @property
    def names_known(self) -> list[str] | None:
        """The columns that the intruder knows, if they were named."""
        return None if self.known is None else opt.split(self.known)

    @property
    def measures(self) -> list[str] | None:
        """The measures asked for, which may be all; None are the default ones."""
        from swapmeet.measures.registry import ALL

        return opt.split(self.measure) or ([ALL] if self.full else None)

    @property
    def names_measured(self) -> list[str]:
        """The measures that were asked for by name, or as 'all'."""
        from swapmeet.measures.registry import MEASURES

        named = [text.partition(":")[0] for text in opt.split(self.measure)]
        return [*MEASURES, *named] if self.names_all_measures else named

    @property
    def names_all_measures(self) -> bool:
        """Return whether 'all' were asked for."""
        from swapmeet.measures.registry import ALL

        return ALL in opt.split(self.measure)

    @property
    def limits(self) -> dict[str, float] | None:
        """The limits given; None are the default ones."""
        from swapmeet.measures.limits import parse_limits

        return parse_limits(opt.split(self.limit))

    @property
    def level(self) -> Knowledge:
        """Of whom the intruder of the verdict knows the keys."""
        from swapmeet.comparison.knowledge import Knowledge

        return Knowledge.parse(self.intruder)

    def asks_for_figures_only(self, verdict: Verdict) -> bool:
        """Return whether nobody asked for the verdict that was not reached.

        `--limit none` says so; `--measure` without a limit does where it leaves out what the
        default limits are on.
        """
        from swapmeet.comparison.score import Judgement
        from swapmeet.measures.verdict import conclude

        measured = [reason for reason in verdict.reasons if reason.score is not None]
        left_out = self.limits is None and self.measures is not None
        figures = left_out and len(measured) < len(verdict.reasons)
        return not verdict.reasons or (
            figures and (not measured or conclude(measured) is Judgement.SAFE)
        )
