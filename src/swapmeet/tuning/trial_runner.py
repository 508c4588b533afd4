"""Trials of one table: prepared once, masked and measured many times.

A release for `prediction`: only the rows that a model learns from are masked.

A release of all rows holds values of the people on whom the model is tested, and would flatter it.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from math import nan
from typing import TYPE_CHECKING, Any

from swapmeet.base.cache import Cache
from swapmeet.base.progress import Progress, silent
from swapmeet.comparison.comparison import Comparison, Ownership
from swapmeet.comparison.knowledge import Knowledge
from swapmeet.engines.local.trial import TrialData
from swapmeet.engines.units import check_by_level
from swapmeet.errors import SwapmeetError
from swapmeet.measures.scoring import score_both
from swapmeet.measures.utility.prediction import Prediction
from swapmeet.tuning.trial import Setting, Trial

if TYPE_CHECKING:
    from swapmeet.base.arrays import Rows
    from swapmeet.base.seeds import Seed
    from swapmeet.comparison.score import Score
    from swapmeet.engines.ties import FittedTies
    from swapmeet.measures.base import Measure
    from swapmeet.methods import Method
    from swapmeet.tables.microdata import Microdata, Variable


UNFORESEEN = "something unforeseen happened ({kind}); please report it."


@dataclass(frozen=True, repr=False)
class TrialRunner:
    """A table as arrays, what to measure, and the root of all randomness of a study.

    `masked` has the masked columns, with the work that trials share; `whole` all published ones.
    `neighbours` is the largest number of neighbours that a setting asks for. The `late` measures
    are taken only of the best settings, when they are checked. `before` are all published columns
    before they were recoded, if they were: loss is measured against them. `progress` is asked
    inside a trial whether to go on; it stays in its process.
    """

    table: Any
    masked: Microdata
    whole: Microdata
    measures: list[Measure]
    known: tuple[str, ...]
    at_most: int | None
    root: Seed
    neighbours: int = 0
    level: Knowledge = Knowledge.KEYS
    late: tuple[Measure, ...] = ()
    before: Microdata | None = None
    ties: FittedTies | None = None
    progress: Progress = silent

    def __repr__(self) -> str:
        return f"<TrialRunner of {self.whole.n} rows>"

    def with_shared_work(self) -> TrialRunner:
        """The same, with work that trials share; what is shared stays in one process."""
        cache = Cache(neighbours=self.neighbours)
        return replace(self, masked=replace(self.masked, cache=cache))

    def refusal(self, setting: Setting) -> str:
        """Return why the method cannot mask this table at all; empty if it can."""
        try:
            check_by_level(setting.method, self.masked)
        except SwapmeetError as refusal:
            return str(refusal)
        return ""

    def make(self, setting: Setting, repeat: int, check: bool = False) -> Trial:  # noqa: FBT001, FBT002
        """Carry out a job: a trial, or a full check."""
        return self.check(setting, repeat) if check else self.trial(setting, repeat)

    def trial(self, setting: Setting, repeat: int) -> Trial:
        """Make a release and measure it; a method that fails says why."""
        return self._try(setting, repeat, [measure.first_look for measure in self.measures])

    @property
    def dear_measures(self) -> list[Measure]:
        """The measures of which trials have only a first look, or nothing."""
        return [*(m for m in self.measures if m.first_look != m), *self.late]

    def check(self, setting: Setting, repeat: int = 0) -> Trial:
        """Make a release of a setting, and measure in full what trials did not."""
        return replace(self._try(setting, repeat, self.dear_measures), check=True)

    def _try(self, setting: Setting, repeat: int, measures: list[Measure]) -> Trial:
        begin = time.perf_counter()
        scores: dict[str, Score] = {}
        failure, owned = "", True
        try:
            scores, owned = self._mask_and_measure(setting, repeat, measures)
        except SwapmeetError as error:
            failure = str(error)
        except Exception as error:  # noqa: BLE001
            failure = UNFORESEEN.format(kind=type(error).__name__)
        values = {name: score.value for name, score in scores.items()}
        ends = {
            name: nan if score.hidden else score.unfavourable
            for name, score in scores.items()
            if score.interval or score.hidden
        }
        return Trial(setting, repeat, time.perf_counter() - begin, values, failure, owned, ends)

    def _mask_and_measure(
        self, setting: Setting, repeat: int, measures: list[Measure]
    ) -> tuple[dict[str, Score], bool]:
        """The scores of a release, and whether its rows are somebody's."""
        data = TrialData(
            self.table, self.masked, self.whole, self.known, self.at_most, self.level, self.before,
            self.ties, self.progress,
        )  # fmt: skip
        seed = self.root.derive(setting.key, repeat)
        comparison, loss = data.compare_both(setting.method, seed)
        plain = [measure for measure in measures if not isinstance(measure, Prediction)]
        scores = score_both(comparison, loss, plain, comparison.workers)
        for measure in measures:
            if isinstance(measure, Prediction):
                part = mask_training_part(data, setting.method, seed, measure, loss)
                scores[measure.name] = measure.score_or_reason(part)
        owned = comparison.ownership is Ownership.TRUE
        return {measure.name: scores[measure.name] for measure in measures}, owned


def mask_training_part(
    data: TrialData, method: Method, seed: Seed, measure: Prediction, whole: Comparison
) -> Comparison:
    """The comparison of a table whose training rows were masked, and no others."""
    train, _ = measure.split(whole)
    part = data.take(train).compare(method, seed)
    released = _put(whole.original, train, part.released)
    return replace(whole, released=released, provenance=None)


def _put(original: Microdata, rows: Rows, released: Microdata) -> Microdata:
    """The original with some rows as they were released."""

    def put(variable: Variable) -> Variable:
        values = variable.values.copy()
        values[rows] = released[variable.name].values
        return replace(variable, values=values, whole=None)

    return replace(original, variables=tuple(map(put, original.variables)), cache=None)
