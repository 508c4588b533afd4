"""Results of guesses about people, beyond what others' data reveal, in figures and in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from swapmeet.base.arrays import Floats, Ints
from swapmeet.comparison.comparison import Comparison
from swapmeet.comparison.intervals import of_difference, of_paired_difference
from swapmeet.comparison.knowledge import MANY_COLUMNS, Knowledge, list_names
from swapmeet.intruders.guesses.guesses import WAYS
from swapmeet.intruders.guesses.scan import share_of_blind_guess
from swapmeet.intruders.guesses.secrets import GuessTask, list_known, to_numbers


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Excess:
    """Right guesses of people who are in the release and of strangers, by guess chosen.

    `chosen` are the numbers of the guesses that looked worst to one half of the people and were
    judged on the other; usually both halves choose the same.
    """

    chosen: tuple[int, ...]
    share: float
    control: float
    interval: tuple[float, float]

    @property
    def value(self) -> float:
        """Return what is guessed beyond strangers' data; never below 0."""
        return max(self.share - self.control, 0.0)


def judge_pairs(right: Floats, control: Floats, confidence: float) -> Excess:
    """Both arrays have a line for each guess and a column for each person; NaN is nobody's."""
    chosen = [_choose(_means(right[:, half] - control[:, half])) for half in _halve(right.shape[1])]
    paired = np.where(np.isnan(right), np.nan, control)
    share, other = (_judge_other_half(part, chosen) for part in (right, paired))
    return Excess(
        chosen=tuple(sorted(set(chosen))), share=_mean(share), control=_mean(other),
        interval=of_paired_difference(share - other, confidence),
    )  # fmt: skip


def judge_groups(right: Floats, control: Floats, confidence: float) -> Excess:
    """The same where the control are other people, who may be fewer or more."""
    halves = zip(_halve(right.shape[1]), _halve(control.shape[1]), strict=True)
    chosen = [_choose(_means(right[:, one]) - _means(control[:, two])) for one, two in halves]
    share, other = (_judge_other_half(part, chosen) for part in (right, control))
    return Excess(
        chosen=tuple(sorted(set(chosen))), share=_mean(share), control=_mean(other),
        interval=of_difference(share, other, confidence),
    )  # fmt: skip


def _halve(n: int) -> list[Ints]:
    return [np.arange(half, n, 2) for half in (0, 1)]


def _judge_other_half(part: Floats, chosen: list[int]) -> Floats:
    """Return what a guess is worth to people with a value who did not choose it."""
    halves = zip(reversed(chosen), _halve(part.shape[1]), strict=True)
    judged = np.concatenate([part[guess, half] for guess, half in halves])
    return judged[~np.isnan(judged)]


def _means(values: Floats) -> Floats:
    """Of each line, over those who are there; NaN where nobody is."""
    there = ~np.isnan(values)
    means = np.where(there, values, 0.0).sum(axis=1) / np.maximum(there.sum(axis=1), 1)
    return np.where(there.any(axis=1), means, np.nan)


def _choose(gains: Floats) -> int:
    """The line that gains most; never one of nobody, unless all are."""
    return int(np.argmax(np.where(np.isnan(gains), -np.inf, gains)))


def _mean(values: Floats) -> float:
    return float(values.mean()) if len(values) else 0.0


SMALL = 100
"""A table of fewer people says that it is small."""


@dataclass(frozen=True, repr=False, eq=False)
class GuessResult:
    """Right guesses of people and of strangers, by way, question and person."""

    comparison: Comparison
    level: Knowledge
    questions: tuple[GuessTask, ...]
    right: Floats
    control: Floats
    excess: Excess

    @property
    def finding(self) -> str:
        """The clause that a verdict quotes."""
        more = round(100 * self.excess.share) - round(100 * self.excess.control)
        many = f"{more} more" if more > 0 else "no more"
        return (
            f"an intruder who knows {self._known} guesses the {self._secrets} of "
            f"{round(100 * self.excess.share)} of 100 people, {many} than from strangers' data"
        )

    @property
    def sentence(self) -> str:
        """Finding, the way to it, and what guessing blindly would give."""
        return (
            f"{self.finding[0].upper()}{self.finding[1:]}, {self._ways}; a blind guess is right "
            f"for {round(100 * self._blind)} of 100.{self._caveat}"
        )

    @property
    def details(self) -> dict[str, Any]:
        """For each column the way of guessing that gains most, and further figures."""
        details: dict[str, Any] = {
            "guessed": self._secrets,
            "share guessed": self.excess.share,
            "share guessed from strangers": self.excess.control,
            "blind guess": self._blind,
            "people judged": self.right.shape[2],
        }
        for secret in dict.fromkeys(one.secret for one in self.questions):
            details |= self._describe(secret)
        return details

    def _describe(self, secret: str) -> dict[str, Any]:
        """Best guesses of one column, over all people."""
        numbers = [q for q, one in enumerate(self.questions) if one.secret == secret]
        right, control = (_mean_of_people(part[:, numbers]) for part in (self.right, self.control))
        tried = ~np.isnan(self.right[:, numbers]).all(axis=2)
        gains = np.where(tried, right - control, -np.inf)
        way, which = np.unravel_index(np.argmax(gains), gains.shape)
        question = self.questions[numbers[which]]
        figures = {
            f"{secret}: guessed": float(right[way, which]),
            f"{secret}: from strangers": float(control[way, which]),
            f"{secret}: how": f"{WAYS[way]}, by {list_names(question.known)}",
        }
        uniform = _share_in_uniform_groups(self.comparison, question)
        return (
            figures if uniform is None else {**figures, f"{secret}: groups of one value": uniform}
        )

    @property
    def _worst(self) -> list[GuessTask]:
        """Say what was guessed; one question, unless the halves of the people differ about it."""
        return [self.questions[number % len(self.questions)] for number in self.excess.chosen]

    @property
    def _secrets(self) -> str:
        return " or ".join(dict.fromkeys(one.secret for one in self._worst))

    @property
    def _known(self) -> str:
        secrets = {one.secret for one in self._worst}
        known = list_known(self.comparison, self._worst[0].secret, self.level)
        names = [name for name in known if name not in secrets] or list(known)
        return list_names(names) if len(names) <= MANY_COLUMNS else f"{len(names)} other columns"

    @property
    def _ways(self) -> str:
        many = len(self.questions)
        return " or ".join(dict.fromkeys(WAYS[number // many] for number in self.excess.chosen))

    @property
    def _blind(self) -> float:
        return max(
            share_of_blind_guess(
                to_numbers(self.comparison.released[one.secret]),
                to_numbers(self.comparison.original[one.secret]),
                one.tolerance,
            )
            for one in self._worst
        )

    @property
    def _caveat(self) -> str:
        n = self.comparison.n
        return f" The table is small ({n} people), so that this is uncertain." if n < SMALL else ""


def _mean_of_people(right: Floats) -> Floats:
    """Over those who have a value; 0 where nobody has one."""
    there = ~np.isnan(right)
    return np.where(there, right, 0.0).sum(axis=2) / np.maximum(there.sum(axis=2), 1)


def _share_in_uniform_groups(comparison: Comparison, question: GuessTask) -> float | None:
    provenance = comparison.provenance
    if provenance is None or question.secret not in provenance.columns:
        return None
    return share_in_uniform_groups(
        provenance.donors[:, provenance.columns.index(question.secret)],
        provenance.place,
        to_numbers(comparison.original[question.secret]),
        question.tolerance,
    )


def share_in_uniform_groups(
    givers: Ints, places: Ints, values: Floats, tolerance: float
) -> float | None:
    """The share of people who traded only with people of their own value; None if nobody traded.

    `givers` and `places` name, for each released row, who gave the cell and in whose place it is;
    `values` are the true ones of the people. A group are all who are joined by trades.

    >>> share_in_uniform_groups(
    ...     np.array([1, 0, 3, 2]), np.arange(4), np.array([7.0, 7.0, 8.0, 9.0]), 0.0)
    0.5
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n = len(values)
    traded = (givers >= 0) & (places >= 0) & (givers != places)
    if not traded.any():
        return None
    pairs = (givers[traded], places[traded])
    joined = coo_array((np.ones(traded.sum(), np.int8), pairs), shape=(n, n))
    many, groups = connected_components(joined, directed=False)
    low, high = np.full(many, np.inf), np.full(many, -np.inf)
    there = ~np.isnan(values)
    np.minimum.at(low, groups[there], values[there])
    np.maximum.at(high, groups[there], values[there])
    uniform = (high - low <= tolerance) & (np.bincount(groups, minlength=many) > 1)
    return float(uniform[groups].mean())
