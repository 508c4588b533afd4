"""Ties between columns of the original, and how often they hold in the release."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from swapmeet.base.arrays import Floats, ShortInts
from swapmeet.base.sentences import percent
from swapmeet.comparison.comparison import Comparison
from swapmeet.comparison.score import Inapplicable, Score
from swapmeet.measures.base import UtilityMeasure
from swapmeet.tables.microdata import Microdata
from swapmeet.tables.role import Role
from swapmeet.tables.schema import Kind
from swapmeet.ties.dependencies import FEWEST, find_ties
from swapmeet.ties.finding import ColumnView, Tie

DAY = 86_400.0
MASKED = (Role.KEY, Role.SENSITIVE, Role.PLACE, Role.DERIVED)
HOUSEHOLD = "\0household"
"""Numbers of households, which are no column here."""
BY_CHANCE = 0.02
"""A tie that holds in hardly fewer rows where columns are shuffled says nothing."""


class BrokenTies(UtilityMeasure):
    """The share of what belonged together in the original that no longer does, beyond chance.

    Ties are looked for in the original as `inspect` does: sums, products and quotients, also up to
    rounding and with exceptions; columns that follow from another, such as age groups from ages;
    dates in order. Of each, b is the share of rows in which it held, a that in the release, and c
    that in the original if each column is shuffled on its own. It lost (b − a) / (b − c), from 0
    to 1; the value is the mean over all ties. Rows without one of the values of a tie do not count
    for it.

    0 for an unchanged release and for one that derives again what followed, 1 if nothing holds more
    often than by chance.
    """

    name = "ties"
    growth = "rows × pairs of columns"
    public = True
    question = "How often does what belongs together still do so in the release?"
    in_sample = ", so ties with few exceptions may go unseen"
    remedy = "Mask with what `inspect` found: `--as-inspected`."

    def score(self, comparison: Comparison) -> Score:
        kept = comparison.once(_compare)
        if not kept:
            raise Inapplicable("no column follows from others, and no dates are in order")
        worst = max(kept, key=lambda one: one.loss)
        details: dict[str, Any] = {
            "ties": [one.text for one in kept],
            "held in the original": [one.before for one in kept],
            "hold in the release": [one.after for one in kept],
            "by chance": [one.chance for one in kept],
            "worst": worst.text,
        }
        value = float(np.mean([one.loss for one in kept]))
        return self.make_score(value, _describe(kept, worst), details=details)


class _Kept(NamedTuple):
    """A tie, and the shares of rows in which it holds: before, after, and by chance."""

    text: str
    before: float
    after: float
    chance: float

    @property
    def loss(self) -> float:
        """The share that is lost of what is beyond chance."""
        gone = (self.before - self.after) / (self.before - self.chance)
        return float(min(max(gone, 0.0), 1.0))


def _describe(kept: list[_Kept], worst: _Kept) -> str:
    said = (
        f"{worst.text}, true in {percent(worst.before)} of the rows, holds in "
        f"{percent(worst.after)} of the release"
    )
    if len(kept) == 1:
        return f"One tie was found between columns: {said}."
    if not worst.loss:
        return f"All {len(kept)} ties between columns hold as often as before. One of them: {said}."
    return f"Of {len(kept)} ties between columns, one suffered most: {said}."


def _compare(comparison: Comparison) -> list[_Kept]:
    """All ties of the original whose columns are there, with what became of them."""
    original = _DataColumns(comparison.original, comparison.original)
    if original.rows < FEWEST:
        return []
    household = HOUSEHOLD if comparison.original.household is not None else None
    ties = find_ties(original, set(), set(), household)
    released = _DataColumns(comparison.released, comparison.original)
    shuffled = _DataColumns(_shuffle(comparison), comparison.original)
    shares = [
        _Kept(tie.text, *(_find_share(tie, view, original)
                          for view in (original, released, shuffled)))
        for one in ties
        for tie in one.ties
    ]  # fmt: skip
    return [one for one in shares if one.before - one.chance > BY_CHANCE]


def _find_share(tie: Tie, columns: ColumnView, original: ColumnView) -> float:
    held, tried = tie.relation.count(columns, original)
    return held / tried if tried else 0.0


def _shuffle(comparison: Comparison) -> Microdata:
    """The original, each column shuffled on its own."""
    data = comparison.original
    return replace(
        data,
        variables=tuple(
            replace(v, values=comparison.streams.stream(f"ties {v.name}").permutation(v.values))
            for v in data.variables
        ),
    )


@dataclass(frozen=True, repr=False, eq=False)
class _DataColumns(ColumnView):
    """Columns of a table as arrays, with the codes of the original."""

    data: Microdata
    original: Microdata

    @property
    def rows(self) -> int:
        return self.data.n

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.data.names)

    @property
    def all_names(self) -> tuple[str, ...]:
        return self.names

    @cached_property
    def _levels(self) -> dict[str, Floats]:
        return {}

    @cached_property
    def _codes(self) -> dict[str, ShortInts]:
        return {}

    def _find_levels(self, name: str) -> Floats:
        if name not in self._levels:
            numbers = self.original[name].values
            self._levels[name] = np.unique(numbers[~np.isnan(numbers)])
        return self._levels[name]

    def codes(self, name: str) -> ShortInts:
        """The codes of the original; a number that it does not have gets one beyond them."""
        if name not in self._codes:
            self._codes[name] = self._find_codes(name)
        return self._codes[name]

    def _find_codes(self, name: str) -> ShortInts:
        codes = self.nearest_codes(name)
        if name == HOUSEHOLD or self.data[name].kind is Kind.NOMINAL:
            return codes
        levels = np.append(np.nan, self._find_levels(name))
        is_new = (codes > 0) & (levels[codes] != self.data[name].values)
        return np.where(is_new, len(levels), codes).astype(np.int32)

    def nearest_codes(self, name: str) -> ShortInts:
        if name == HOUSEHOLD:
            assert self.data.household is not None
            return (self.data.household + 1).astype(np.int32)
        variable = self.data[name]
        if variable.kind is Kind.NOMINAL:
            return (variable.values + 1).astype(np.int32)
        places = np.searchsorted(self._find_levels(name), variable.values, side="right")
        return np.where(variable.missing, 0, np.maximum(places, 1)).astype(np.int32)

    def room(self, name: str) -> int:
        if name == HOUSEHOLD:
            return int(self.codes(name).max(initial=0)) + 1
        variable = self.data[name]
        is_nominal = variable.kind is Kind.NOMINAL
        return (variable.levels if is_nominal else len(self._find_levels(name)) + 1) + 1

    def numbers(self, name: str) -> Floats:
        return np.asarray(self.data[name].values, np.float64)

    def quantities(self, name: str) -> Floats:
        seconds = self.data[name].seconds
        return self.numbers(name) * (1.0 if seconds is None else seconds / DAY)

    def is_masked(self, name: str) -> bool:
        return self.data[name].role in MASKED

    def has_numbers(self, name: str) -> bool:
        return self.data[name].kind is Kind.NUMERIC and not self.has_dates(name)

    def has_dates(self, name: str) -> bool:
        return self.data[name].kind is not Kind.NOMINAL and self.data[name].seconds is not None

    def can_have_rest(self, name: str) -> bool:
        return self.data[name].kind is not Kind.NOMINAL
