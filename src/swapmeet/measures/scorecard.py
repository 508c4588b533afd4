"""The scores of a release, what goes with them, and how they are shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from textwrap import fill
from typing import Any, Self

import numpy as np

from swapmeet.base.extras import require_library
from swapmeet.base.html import (
    BAD,
    GOOD,
    OPEN,
    write_box,
    write_fold,
    write_list,
    write_mark,
    write_table,
    write_text,
)
from swapmeet.base.sentences import align, join_names, short_figure
from swapmeet.comparison.comparison import Ownership
from swapmeet.comparison.knowledge import Knowledge
from swapmeet.comparison.score import Family, Judgement, Score, Undefined
from swapmeet.comparison.table_size import doubt_few_rows
from swapmeet.errors import ParameterError
from swapmeet.measures.limits import choose_default_limits, require_measures
from swapmeet.measures.overall import Losses, Overall, describe_losses, overall
from swapmeet.measures.registry import ALL, MEASURES, find
from swapmeet.measures.side_by_side.answers import Answers, RareRecords, TieCheck
from swapmeet.measures.side_by_side.components import PCAComparison
from swapmeet.measures.side_by_side.facts import ReleaseFacts
from swapmeet.measures.side_by_side.interval_coverage import IntervalCoverage
from swapmeet.measures.side_by_side.models import ModelComparison, TableComparison
from swapmeet.measures.side_by_side.profile import Profile
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


WIDTH = 80
HEADER = ("value", "interval", "limit", "")


def write_card(card: Scorecard) -> str:
    """Text that `print(card)` shows."""
    verdict = card.verdict
    both = (fill(verdict.sentence, WIDTH), fill(card.losses.sentence, WIDTH))
    lines = [*both, *map(_write_advice, verdict.advice)]
    families = {name: scores for name, scores in card.families().items() if scores}
    rows = [row for name, scores in families.items() for row in _list_rows(name, scores, verdict)]
    rest = ["", fill(say_the_rest(card), WIDTH)] if card.left_out else []
    return "\n".join([*lines, *align(rows), *rest])


def say_the_rest(card: Scorecard) -> str:
    """Say how many measures were left out, and how to take them."""
    return (
        f"{card.left_out} more measures were not taken. Name some with `measures=[...]`, or take "
        f'all with `measures="{ALL}"`.'
    )


def _write_advice(advice: str) -> str:
    return fill(advice, WIDTH, initial_indent="- ", subsequent_indent="  ")


def _list_rows(family: str, scores: Sequence[Score], verdict: Verdict) -> Iterator[tuple[str, ...]]:
    """A blank line, the names of the columns, and a line for each measure."""
    yield ("",)
    yield (family, *HEADER)
    met = {reason.measure: reason.judgement.standing for reason in verdict.reasons}
    for score in scores:
        yield _list_cells(score, verdict.limits, met)


def _list_cells(
    score: Score, limits: Mapping[str, float], met: Mapping[str, str]
) -> tuple[str, ...]:
    name = score.measure
    limit = f"{limits[name]:.4g}" if name in limits else ""
    if score.undefined:
        return (name, "not defined here", "", limit, met.get(name, ""))
    ends = "" if score.interval is None else "[{:.4g}, {:.4g}]".format(*score.interval)
    return (name, short_figure(score.value), ends, limit, met.get(name, ""))


def write_card_html(card: Scorecard) -> str:
    """The verdict, how each limit stands, what to do next, and the measures by family."""
    verdict = card.verdict
    return write_box(
        write_mark(verdict.sentence, choose_colour(card)),
        write_text(card.losses.sentence),
        write_limits(verdict),
        write_list(verdict.advice),
        *(_write_family(name, scores) for name, scores in card.families().items() if scores),
        write_text(say_the_rest(card)) if card.left_out else "",
        write_text(f"{card.rows:,} rows; owners {card.ownership}."),
        write_list(card.notes),
    )


def choose_colour(card: Scorecard) -> str:
    """Green is what may be published, red what is not safe."""
    judgement = card.verdict.judgement
    if judgement is Judgement.SAFE and card.reproducible:
        return OPEN
    return {Judgement.SAFE: GOOD, Judgement.NOT_SAFE: BAD}.get(judgement, OPEN)


def write_limits(verdict: Verdict) -> str:
    """Say how each limit stands."""
    if not verdict.reasons:
        return ""
    header = ["measure", "value", "interval", "limit", ""]
    return write_table(header, map(_list_reason, verdict.reasons))


def _list_reason(reason: Reason) -> tuple[str, ...]:
    score = reason.score if reason.decided else None
    return (reason.measure, *_say_figures(score), f"{reason.limit:.4g}", reason.judgement.standing)


def _write_family(name: str, scores: Sequence[Score]) -> str:
    header = ["measure", "value", "interval", "better", "in words"]
    return write_fold(
        f"{name}: {len(scores)} measures", write_table(header, map(_list_score, scores))
    )


def _list_score(score: Score) -> tuple[str, ...]:
    return (score.measure, *_say_figures(score), str(score.direction), score.sentence)


def _say_figures(score: Score | None) -> tuple[str, str]:
    """The value and its interval."""
    if score is None or score.undefined:
        return "–", ""
    ends = "" if score.interval is None else "[{:.4g}, {:.4g}]".format(*score.interval)
    return short_figure(score.value), ends
