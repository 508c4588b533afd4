"""One figure for a release, and its losses in words, the worst first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np

from swapmeet.base.sentences import agree, figure
from swapmeet.comparison.score import Score, Undefined
from swapmeet.measures.side_by_side.facts import ColumnFacts, ReleaseFacts

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


MOST = 3
"""Losses that are named."""
NOTICEABLE = 0.02
"""Smaller changes are not worth a word, and of relations those that are less than 0.05."""
RELATION = 0.05
COSTLY, SOME = (0.2, 0.3), (0.05, 0.1)
"""The mean loss, and the size of a single one, from which a release is called so."""
UNMEASURED = "What analysts lose was not measured."


class Toll(StrEnum):
    """Price that analysts pay for the protection, in a word or two."""

    COSTLY = "Costly"
    SOME = "Some loss"
    LITTLE = "Little loss"
    UNKNOWN = "Loss not measured"


@dataclass(frozen=True)
class Losses:
    """The losses: in a word, and in at most three clauses, the worst first."""

    toll: Toll
    clauses: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """For people."""
        if self.toll is Toll.UNKNOWN:
            return UNMEASURED
        nothing = "no distribution and no relation of columns changed noticeably"
        return f"{self.toll}: {'; '.join(self.clauses) or nothing}."

    def to_dict(self) -> dict[str, Any]:
        """For machines."""
        return {"toll": str(self.toll), "sentence": self.sentence, "clauses": list(self.clauses)}


@dataclass(frozen=True)
class _Loss:
    """A loss in words; its size, from 0 to 1, says which is worse."""

    size: float
    words: str


def describe_losses(scores: Mapping[str, Score], facts: ReleaseFacts | None) -> Losses:
    """Describe what became of relations, distributions, ties and missing values."""
    known = {name: score for name, score in scores.items() if not score.undefined}
    losses = sorted(_list_losses(known, facts), key=lambda one: -one.size)
    figures = [known[name].value for name in WHOLE_LOSS if name in known]
    if not figures and not losses:
        return Losses(Toll.UNKNOWN)
    mean = sum(figures) / len(figures) if figures else 0.0
    worst = losses[0].size if losses else 0.0
    is_costly, is_some = (mean >= m or worst >= w for m, w in (COSTLY, SOME))
    toll = Toll.COSTLY if is_costly else Toll.SOME if is_some else Toll.LITTLE
    return Losses(toll, tuple(one.words for one in losses[:MOST]))


def _list_losses(scores: Mapping[str, Score], facts: ReleaseFacts | None) -> Iterator[_Loss]:
    yield from _find_relation(scores, facts)
    columns = facts.columns if facts else ()
    yield from _find_margin(scores, {one.name: one for one in columns})
    yield from _find_tie(scores)
    yield from _find_spread(columns)
    yield from _find_gap(columns)
    if "screened-propensity" in scores:
        value = scores["screened-propensity"].value
        if value >= COSTLY[0]:
            yield _Loss(value / 2.0, "a model can tell released rows from original ones "
                        f"({value:.2f}, where 0 is never and 1 always)")  # fmt: skip


def _find_relation(scores: Mapping[str, Score], facts: ReleaseFacts | None) -> Iterator[_Loss]:
    """The relation of two columns that changed most; a correlation with its sign."""
    losses: list[_Loss] = []
    change = facts.correlations if facts else None
    if change is not None:
        what = f"the correlation of {change.pair[0]} and {change.pair[1]}"
        losses.append(_say_change(what, change.before, change.after))
    details = _get_details(scores, "relations")
    if "largest change from" in details:
        ends = details["largest change from"], details["largest change to"]
        losses.append(_say_change(f"the association of {details['between']}", *ends))
    worst = max(losses, key=lambda one: one.size, default=None)
    if worst is not None and worst.size >= RELATION:
        yield worst


def _say_change(what: str, before: float, after: float) -> _Loss:
    words = f"{what} changed from {before + 0.0:.2f} to {round(after, 2) + 0.0:.2f}"
    return _Loss(min(abs(after - before), 1.0), words)


def _find_margin(
    scores: Mapping[str, Score], columns: Mapping[str, ColumnFacts]
) -> Iterator[_Loss]:
    """The column whose distribution changed most."""
    details = _get_details(scores, "margins")
    name, size = details.get("largest in", ""), details.get("largest", 0.0)
    if size >= NOTICEABLE:
        has_classes = name not in columns or columns[name].kind != "numeric"
        how = "moved to another class" if has_classes else "became clearly higher or lower"
        yield _Loss(size, f"{_percent(size)} of {name} {how}")


def _find_tie(scores: Mapping[str, Score]) -> Iterator[_Loss]:
    """Find the tie that holds least often now."""
    details = _get_details(scores, "ties")
    if not details:
        return
    at = details["ties"].index(details["worst"])
    before, after = details["held in the original"][at], details["hold in the release"][at]
    if before - after >= NOTICEABLE:
        words = f"“{details['worst']}” holds in {_percent(after)} of the rows"
        yield _Loss(before - after, f"{words} ({_percent(before)} before)")


def _find_spread(columns: tuple[ColumnFacts, ...]) -> Iterator[_Loss]:
    """The masked number whose standard deviation changed most."""
    sizes = {
        one.name: (1.0 - min(one.spread, 1.0 / max(one.spread, 1.0)), one.spread)
        for one in columns
        if one.masked and one.spread is not None
    }
    name = max(sizes, key=lambda one: sizes[one][0], default="")
    if name and sizes[name][0] >= RELATION:
        size, ratio = sizes[name]
        change = f"{ratio:.1f} times as large" if ratio >= 2.0 else (
            f"{_percent(abs(ratio - 1.0))} {'smaller' if ratio < 1.0 else 'larger'}"
        )  # fmt: skip
        yield _Loss(size, f"the standard deviation of {name} is {change}")


def _find_gap(columns: tuple[ColumnFacts, ...]) -> Iterator[_Loss]:
    """The column with the most values that are missing now; those that only moved are not lost."""
    worst = max(columns, key=_count_gap, default=None)
    if worst is not None and (share := _count_gap(worst)) >= NOTICEABLE:
        yield _Loss(share, f"{_percent(share)} of the values of {worst.name} are missing now")


def _count_gap(column: ColumnFacts) -> float:
    return (column.missing_after or 0.0) - (column.missing_before or 0.0)


def _get_details(scores: Mapping[str, Score], name: str) -> Mapping[str, Any]:
    return scores[name].details if name in scores else {}


def _percent(share: float) -> str:
    """A share in whole percents; neither all nor nothing unless it is.

    >>> _percent(0.394), _percent(0.998), _percent(0.004), _percent(0.0)
    ('39 %', 'more than 99 %', 'less than 1 %', '0 %')
    """
    if 0.0 < share < 0.01:
        return "less than 1 %"
    return "more than 99 %" if 0.995 <= share < 1.0 else f"{100.0 * share:.0f} %"
