"""Change of the power to predict (RWN paper, 9.5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from swapmeet.algorithms.forests import Forest
from swapmeet.base.arrays import Floats, Ints, Singles, Values
from swapmeet.base.params import ColumnName, Count, Optional
from swapmeet.base.sentences import percent
from swapmeet.comparison.comparison import Comparison
from swapmeet.comparison.intervals import of_mean
from swapmeet.comparison.score import CONFIDENCE, Score, Undefined
from swapmeet.measures.base import UtilityMeasure
from swapmeet.measures.utility.columns import Dummies, require_finite, to_predict
from swapmeet.tables.microdata import Microdata, Variable
from swapmeet.tables.schema import Kind

TREES = 100
LEAF = 5
MOST_FEATURES = 20
TEST_SHARE = 0.25
MOST_TESTS = 5_000
FEWEST = 5
"""Rows that each of the two parts needs."""
FARTHEST = 1e30
_LEAK = "better than the original: masking smooths, or values of these people are in the release"


@dataclass(frozen=True, repr=False, eq=False)
class _Part:
    """Data that a forest sees of some rows: features, and what to predict."""

    features: Singles
    answers: Values


@dataclass(frozen=True, kw_only=True)
class Prediction(UtilityMeasure):
    """Additional error of a random forest that learned from the release.

    Rows are split at random. One forest learns from the training rows as released, one from the
    same rows as they were; both are tested on the original values of the other rows. The error is
    the share of wrong answers, or for a numeric column the share of its variance that stays
    unexplained; the value is the difference. 0 for an unchanged release; for one whose columns were
    shuffled each on its own, the error of guessing less that of the original.

    A release that was made from all rows also holds values of the test rows, and the forest finds
    some: for RWN (k = 10, q = 0.5) on the paper's census data, learning from 15,090 rows, the error
    is 0.637 if only the training part is masked but 0.587 if all rows are, below the 0.628 of the
    original. So a value below 0 is hardly a gain, and a true loss is larger than it looks. A search
    (`tune`) therefore splits first and masks the training part only. Where owners are unknown, the
    training rows are any rows of the release.

    Rows without the value to predict are left out; other missing values are values.

    Sampling weights are not taken into account: each row counts as one.

    Reference: RWN paper, section 9.5.
    """

    name = "prediction"
    growth = "rows × columns, with at most 20 features"
    public = True
    question = "How much worse does a model predict if it was fitted to the release?"
    bounds = (-1.0, 1.0)

    target: Annotated[
        str | None,
        Optional(ColumnName()),
        "column to predict (default: the last sensitive one, else the last masked one)",
    ] = None
    sample: Annotated[int, Count(20), "rows to learn from, at most"] = 5_000

    def score(self, comparison: Comparison) -> Score:
        require_finite(comparison)
        target = to_predict(comparison, self.target)
        if len(comparison.original.variables) < 2:
            raise Undefined("there is no other column to predict from")
        train, test = self.split(comparison)
        features = _Features(comparison, comparison.original[target])
        seen, unseen = (features.part(comparison.original, rows) for rows in (train, test))
        masked = features.part(comparison.released, train)
        losses = [self._losses(comparison, learned, unseen) for learned in (seen, masked)]
        before, after = (float(some.mean()) for some in losses)
        low, high = np.clip(of_mean(losses[1] - losses[0], CONFIDENCE), -1.0, 1.0)
        guess = _guess(seen.answers, unseen.answers)
        sentence = features.words(before, after, guess)
        details: dict[str, Any] = {
            "target": target,
            "error before": before,
            "error after": after,
            "error of guessing": guess,
            "rows learned from": len(masked.answers),
            "rows tested on": len(unseen.answers),
            "trees": TREES,
        }
        return self.make_score(
            float(np.clip(after - before, -1.0, 1.0)),
            f"{sentence}{f' ({_LEAK})' * bool(high < 0.0)}.",
            interval=(float(low), float(high)),
            details=details,
        )

    def split(self, comparison: Comparison) -> tuple[Ints, Ints]:
        """Training and test rows."""
        n = comparison.n
        order = comparison.streams.stream(self.name, "split").permutation(n)
        tests = min(int(n * TEST_SHARE), MOST_TESTS)
        return order[tests : tests + self.sample], order[:tests]

    def _losses(self, comparison: Comparison, learned: _Part, unseen: _Part) -> Floats:
        """The loss of each test row; their mean is the error."""
        if min(len(learned.answers), len(unseen.answers)) < FEWEST:
            raise Undefined(f"it needs at least {FEWEST} rows to learn from and to test on")
        seed = int(comparison.streams.stream(self.name, "forest").integers(2**31))
        looks = _looked_at(learned.features.shape[1])
        forest = Forest(trees=TREES, looks=looks, min_leaf=LEAF, seed=seed)
        answers = forest.predict(learned.features, learned.answers, unseen.features)
        if unseen.answers.dtype.kind != "f":
            return (answers != unseen.answers).astype(np.float64)
        return _squares(unseen.answers, answers)


@dataclass(frozen=True, repr=False, eq=False)
class _Features:
    """Rule that turns columns into features: numbers as they are, nominal ones by level."""

    comparison: Comparison
    target: Variable

    def part(self, data: Microdata, rows: Ints) -> _Part:
        """Some rows of a table, those that have an answer."""
        answers = data[self.target.name].values[rows]
        rows = rows[~(answers < 0 if self.target.kind is Kind.NOMINAL else np.isnan(answers))]
        features = [
            some
            for name in data.names
            if name != self.target.name
            for some in self._of_column(name, data[name].values[rows])
        ]
        answers = self._answers(data[self.target.name].values[rows])
        return _Part(np.stack(features, axis=1).astype(np.float32), answers)

    def _of_column(self, name: str, values: Values) -> list[Values]:
        original = self.comparison.original[name]
        if original.kind is Kind.NOMINAL:
            released = self.comparison.released[name]
            terms = Dummies.of(original, released, missing=True).terms(values)
            return list(terms) or [np.zeros(len(values))]
        return [_scaled(values, original.values)]

    def _answers(self, values: Values) -> Values:
        if self.target.kind is Kind.NOMINAL:
            return values
        return _scaled(values, self.target.values)

    def words(self, before: float, after: float, guess: float) -> str:
        """The result in words."""
        name = self.target.name
        if self.target.kind is Kind.NOMINAL:
            return (
                f"A model that learned from the release predicts {name} wrongly for "
                f"{percent(after)} of people it has not seen, one that learned from the original "
                f"for {percent(before)}, and guessing is wrong for {percent(guess)}"
            )
        return (
            f"A model that learned from the release explains {percent(1 - after)} of the variance "
            f"of {name} in people it has not seen, one that learned from the original "
            f"{percent(1 - before)}, and guessing 0 %"
        )


def _looked_at(features: int) -> int:
    """So many random features are looked at for each cut: a third, but not too many."""
    return max(min(features // 3, MOST_FEATURES), 1)


def _scaled(values: Floats, like: Floats) -> Floats:
    """In units of the range of `like`, so that single precision holds them."""
    present = like[~np.isnan(like)]
    if not len(present):
        return np.zeros(len(values))
    low, width = present.min(), np.ptp(present) or 1.0
    with np.errstate(over="ignore"):
        return np.clip((values - low) / width, -FARTHEST, FARTHEST)


def _squares(truth: Floats, answers: Floats) -> Floats:
    """Squared errors, in units of the variance of the truth."""
    variance = float(truth.var())
    return (truth - answers) ** 2 / variance if variance > 0.0 else (truth != answers) * 1.0


def _guess(learned: Values, unseen: Values) -> float:
    """The error of always giving the most frequent answer, or the mean."""
    if unseen.dtype.kind == "f":
        return 1.0
    return float((unseen != np.bincount(learned).argmax()).mean())
