"""The scores of a release, and what goes with them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from swapmeet.base.extras import require_library
from swapmeet.base.sentences import join_names
from swapmeet.comparison.comparison import Ownership
from swapmeet.comparison.knowledge import Knowledge
from swapmeet.comparison.score import Family, Score, Undefined
from swapmeet.comparison.table_size import doubt_few_rows
from swapmeet.errors import ParameterError
from swapmeet.measures.card_losses import Losses, describe_losses
from swapmeet.measures.card_text import write_card, write_card_html
from swapmeet.measures.limits import choose_default_limits, require_measures
from swapmeet.measures.overall import Overall, overall
from swapmeet.measures.registry import ALL, MEASURES, find
from swapmeet.measures.side_by_side.answers import Answers, RareRecords, TieCheck
from swapmeet.measures.side_by_side.components import PCAComparison
from swapmeet.measures.side_by_side.facts import ReleaseFacts
from swapmeet.measures.side_by_side.interval_coverage import IntervalCoverage
from swapmeet.measures.side_by_side.models import ModelComparison
from swapmeet.measures.side_by_side.profile import Profile
from swapmeet.measures.side_by_side.tables import TableComparison
from swapmeet.measures.verdict import Reason, Verdict, compare_with_limits, judge
from swapmeet.tables.frame import Frame
from swapmeet.tables.recoding.recoded import StepResult


@dataclass(frozen=True, repr=False, eq=False)
class Scorecard:
    """The scores of a release, by measure, and the verdict that follows from them.

    `known` are the columns that the intruder of the papers knows, `keys` and `level` what that of
    the verdict does. `limits` are those that the release is judged by; None are the default ones.
    `unmasked` are columns that an intruder knows and that were published as they were. A release
    whose seed was chosen is `reproducible`, and not for publication. A `doubt` about whose rows
    these are leaves the verdict open. `facts` are what became of columns, rows and correlations.
    `coverage` says of models how far intervals from such a release can be trusted, and `answers`
    what became of the user's own queries. `recodes` are the steps before masking, and what each
    did. `ties` says of each rule, and each column that follows from others, in how many rows it
    does not hold. The measures are chosen `by_default` where nobody named any.
    """

    scores: Mapping[str, Score]
    rows: int
    known: tuple[str, ...]
    ownership: Ownership
    notes: tuple[str, ...] = ()
    models: tuple[ModelComparison, ...] = ()
    components: PCAComparison | None = None
    tables: tuple[TableComparison, ...] = ()
    rare: tuple[RareRecords, ...] = ()
    profile: Profile | None = None
    limits: Mapping[str, float] | None = None
    keys: tuple[str, ...] = ()
    level: Knowledge = Knowledge.KEYS
    unmasked: tuple[str, ...] = ()
    reproducible: bool = False
    doubt: str = ""
    facts: ReleaseFacts | None = None
    coverage: tuple[IntervalCoverage, ...] = ()
    answers: Answers | None = None
    recodes: tuple[StepResult, ...] = ()
    by_default: bool = False
    ties: tuple[TieCheck, ...] = ()

    def __repr__(self) -> str:
        verdict = f"{self.verdict.sentence} " if self.verdict.reasons else ""
        return f"<Scorecard of {self.rows} rows: {verdict}Measured: {', '.join(self.scores)}>"

    def __str__(self) -> str:
        return write_card(self)

    def _repr_html_(self) -> str:
        return write_card_html(self)

    @cached_property
    def verdict(self) -> Verdict:
        """The verdict: safe to publish under the limits or not, why, and what to do next."""
        if self.limits is not None:
            return self.judge(self.limits)
        default = choose_default_limits(self.ownership, self.scores)
        return self.judge(default, default=True)

    @cached_property
    def losses(self) -> Losses:
        """The losses of analysts, the worst first."""
        return describe_losses(self.scores, self.facts)

    def under(self, limits: Mapping[str, float] | None) -> Self:
        """The same scores under other limits; None are the default ones."""
        return replace(self, limits=None if limits is None else require_measures(limits))

    def judge(
        self,
        limits: Mapping[str, float],
        *,
        default: bool = False,
        others: Mapping[str, Score] | None = None,
    ) -> Verdict:
        """The verdict under these limits; `others` are figures that are not on the card."""
        reasons = compare_with_limits({**self.scores, **(others or {})}, limits)
        few = doubt_few_rows(self.rows)
        advice = [f"Nothing can be advised: {few}."] if few else advise(
            reasons, ownership=self.ownership, default=default, unmasked=self.unmasked,
            keys=self.keys,
        )  # fmt: skip
        return judge(
            reasons, default=default, chosen_seed=self.reproducible, advice=tuple(advice),
            doubt=self.doubt,
        )  # fmt: skip

    @property
    def left_out(self) -> int:
        """Count the measures that were not taken because nobody named any."""
        return len(MEASURES.keys() - self.scores.keys()) if self.by_default else 0

    def __getitem__(self, name: str) -> Score:
        if name not in self.scores:
            find(name)
            raise ParameterError(
                f"{name} is not on this card. Measure it with `measures=[{name!r}]`, or take all "
                f'with `measures="{ALL}"`.'
            )
        return self.scores[name]

    def __iter__(self) -> Iterator[Score]:
        return iter(self.scores.values())

    def to_dict(self) -> dict[str, Any]:
        """For machines; without the values of single rows."""
        return {
            "verdict": self.verdict.to_dict(),
            "losses": self.losses.to_dict(),
            "rows": self.rows,
            "known": list(self.known),
            "intruder": {"level": str(self.level), "keys": list(self.keys)},
            "owners": str(self.ownership),
            "notes": list(self.notes),
            "ties": [one.to_dict() for one in self.ties],
            "recodes": [step.to_dict() for step in self.recodes],
            "facts": None if self.facts is None else self.facts.to_dict(),
            "overall": asdict(summary) if (summary := self.overall()) else None,
            "scores": [score.to_dict() for score in self],
            "models": [model.to_dict() for model in self.models],
            "pca": None if self.components is None else self.components.to_dict(),
            "tables": [table.to_dict() for table in self.tables],
            "rare": [summary.to_dict() for summary in self.rare],
            "queries": None if self.answers is None else self.answers.to_dict(),
            "coverage": [summary.to_dict() for summary in self.coverage],
            "profile": None if self.profile is None else self.profile.to_dict(),
        }

    def families(self) -> dict[str, list[Score]]:
        """The scores of risk and those of utility."""
        return {
            str(family).capitalize(): [score for score in self if score.family is family]
            for family in Family
        }

    def to_frame(self) -> Frame:
        """A pandas frame with one row for each measure."""
        require_library("pandas", "a card as a data frame", plural=False)
        import pandas as pd

        rows = []
        for score in self:
            low, high = score.interval or (np.nan, np.nan)
            rows.append((score.measure, str(score.family), score.value, low, high,
                         str(score.direction), score.sentence))  # fmt: skip
        columns = ["measure", "family", "value", "low", "high", "better", "sentence"]
        return pd.DataFrame(rows, columns=columns).set_index("measure")

    def overall(self) -> Overall | None:
        """The overall score of the SJPPDS paper, if what it needs was measured."""
        try:
            return overall(self.scores)
        except Undefined:
            return None


STRONGER = (
    "Mask more strongly, with larger groups, windows or radii, or by another method: "
    "`swapmeet tune FILE {limits}` searches for a setting that keeps {which}."
)
NAME_LIMITS = "Name limits, such as --limit linkage=0.2; without one, nothing is judged."
OWN_LIMITS = "The limits are the default ones. Name your own with --limit if others fit your data."
GIVE_OWNERS = (
    "Give the audit record (--audit), or say how rows match (--match). Without them nobody knows "
    "which released row belongs to whom."
)


def advise(
    reasons: Sequence[Reason],
    *,
    ownership: Ownership,
    default: bool = False,
    unmasked: Sequence[str] = (),
    keys: Sequence[str] = (),
) -> Iterator[str]:
    """Advise what to do next; `unmasked` are columns an intruder knows that were not masked."""
    if not reasons:
        yield NAME_LIMITS
        return
    yield from _complete(reasons, ownership)
    missed = [reason for reason in reasons if reason.missed]
    yield from _name_columns(missed, unmasked, keys)
    yield from dict.fromkeys(filter(None, map(_remedy, missed)))
    if missed:
        limits = " ".join(f"--limit {one.measure}={one.limit:g}" for one in missed)
        yield STRONGER.format(limits=limits, which="it" if len(missed) == 1 else "them")
    yield from _narrow(missed)
    if default:
        yield OWN_LIMITS


def _complete(reasons: Sequence[Reason], ownership: Ownership) -> Iterator[str]:
    """Say how to get the figures that are missing."""
    unmeasured = [reason.measure for reason in reasons if reason.score is None]
    if unmeasured:
        yield f"Measure {join_names(unmeasured)} as well. A limit that is not measured is not met."
    undefined = [reason for reason in reasons if reason.score is not None and not reason.decided]
    if undefined and ownership is Ownership.UNKNOWN:
        yield GIVE_OWNERS


def _name_columns(
    missed: Sequence[Reason], unmasked: Sequence[str], keys: Sequence[str]
) -> Iterator[str]:
    """The columns that give people away."""
    used = [name for reason in missed for name in _list_used(reason)]
    plain = [name for name in unmasked if name in used or not used]
    if missed and plain:
        yield (
            f"{join_names(plain)} {'is' if len(plain) == 1 else 'are'} published unmasked, and an "
            f"intruder knows {'it' if len(plain) == 1 else 'them'}. Mask, coarsen or drop "
            f"{'it' if len(plain) == 1 else 'them'}."
        )
    few = list(dict.fromkeys(used))
    if 0 < len(few) < len(keys) and not set(few) & set(plain):
        it = "it" if len(few) == 1 else "them"
        yield f"The worst intruder uses only {join_names(few)}. Mask {it} more strongly."


def _list_used(reason: Reason) -> Sequence[str]:
    """The columns by which the worst intruder finds people, where the measure names them."""
    intruder = reason.score.details.get("intruder") if reason.score else None
    return intruder["knows"] if isinstance(intruder, dict) else ()


def _remedy(reason: Reason) -> str:
    """Return what the measure itself says helps."""
    measure = MEASURES.get(reason.measure)
    return measure.remedy if measure else ""


def _narrow(missed: Sequence[Reason]) -> Iterator[str]:
    """Advise more people where only the interval exceeds the limit."""
    names = [reason.measure for reason in missed if reason.misses_by_interval]
    if names:
        yield (
            f"The value of {join_names(names)} keeps its limit, and only the unfavourable end of "
            "its interval does not. With more people (--at-most, or a larger table) the interval "
            "is narrower."
        )
