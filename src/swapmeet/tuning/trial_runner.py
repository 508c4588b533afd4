"""Where trials are made: one table, prepared once, masked and measured many times."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from swapmeet.core.base.cache import Cache
from swapmeet.core.base.parallel import Workers
from swapmeet.core.release.apply import extend_to_all_columns, is_owned
from swapmeet.core.release.donors import MADE, SUPPRESSED
from swapmeet.core.tables.frame import Table
from swapmeet.core.tables.schema import Kind
from swapmeet.engines import Local
from swapmeet.errors import SwapmeetError
from swapmeet.measures.comparison import Comparison, Ownership, ownership_of
from swapmeet.measures.overall import decisive_name
from swapmeet.measures.registry import MEASURES
from swapmeet.measures.scoring import score_all
from swapmeet.tuning.trial import Trial

if TYPE_CHECKING:
    import numpy.typing as npt

    from swapmeet.core.base.seeds import Seed
    from swapmeet.core.release.outcome import Outcome
    from swapmeet.core.tables.microdata import Microdata, Variable
    from swapmeet.measures.base import Measure
    from swapmeet.tuning.trial import Setting

UNFORESEEN = "something unforeseen happened ({kind}); please report it."


@dataclass(frozen=True, repr=False)
class TrialRunner:
    """A table as arrays, what to measure, and the root of all randomness of a study.

    `masked` has the masked columns, with the work that trials share; `whole` all published ones.
    The release of a trial is never made as a table: values are moved in the arrays, and only made
    ones take the way through the column's type. `neighbours` is the largest number of neighbours
    that a setting asks for.
    """

    table: Any
    masked: Microdata
    whole: Microdata
    measures: list[Measure]
    known: tuple[str, ...]
    at_most: int | None
    root: Seed
    neighbours: int = 0

    def __repr__(self) -> str:
        return f"<TrialRunner of {self.whole.n} rows>"

    def with_shared_work(self) -> TrialRunner:
        """The same, with work that trials share; what is shared stays in one process."""
        cache = Cache(neighbours=self.neighbours)
        return replace(self, masked=replace(self.masked, cache=cache))

    def refusal(self, setting: Setting) -> str:
        """Why the method cannot mask this table at all; empty if it can."""
        try:
            setting.method.check(self.masked)
        except SwapmeetError as refusal:
            return str(refusal)
        return ""

    def trial(self, setting: Setting, repeat: int) -> Trial:
        """Make a release and measure it; a method that fails says why."""
        begin = time.perf_counter()
        values: dict[str, float] = {}
        failure, owned = "", True
        try:
            values, owned = self._mask_and_measure(setting, repeat)
        except SwapmeetError as error:
            failure = str(error)
        except Exception as error:  # noqa: BLE001
            failure = UNFORESEEN.format(kind=type(error).__name__)
        return Trial(setting, repeat, time.perf_counter() - begin, values, failure, owned)

    def _mask_and_measure(self, setting: Setting, repeat: int) -> tuple[dict[str, float], bool]:
        """The figures of a release, and whether its rows are somebody's."""
        seed = self.root.derive(setting.key, repeat)
        outcome = Local(threads=1).run(setting.method, self.masked, seed)
        owned = is_owned(setting.method, outcome.donors.in_place)
        ownership = ownership_of(owned, self.known, self.masked.names)
        released = self._build_release(outcome)
        comparison = Comparison(
            original=self.whole,
            released=self._order_by_owner(released, outcome) if owned else released,
            ownership=ownership,
            masked=self.masked.names,
            known=self.known,
            at_most=self.at_most,
            workers=Workers(1),
        )
        return self._figures(comparison), ownership is Ownership.TRUE

    def _order_by_owner(self, released: Microdata, outcome: Outcome) -> Microdata:
        """The release in the order of the people whose rows these are."""
        donors = extend_to_all_columns(outcome.donors, self.masked.names, self.whole.names)
        return released.take(donors.rows_of_people())

    def _build_release(self, outcome: Outcome) -> Microdata:
        donors = dict(zip(self.masked.names, outcome.donors.matrix.T, strict=True))
        variables = tuple(
            self._move_values(variable, donors[variable.name], outcome.made.get(variable.name))
            if variable.name in donors
            else variable
            for variable in self.whole.variables
        )
        return replace(self.whole, variables=variables)

    def _move_values(
        self,
        variable: Variable,
        donors: npt.NDArray[np.int64],
        made: npt.NDArray[np.float64] | None,
    ) -> Variable:
        values = variable.values[np.maximum(donors, 0)]
        values[donors == SUPPRESSED] = -1 if variable.kind is Kind.NOMINAL else np.nan
        if made is not None:
            cells = donors == MADE
            values[cells] = self._cast_made_values(variable.name, made, cells)[cells]
        return replace(variable, values=values)

    def _cast_made_values(
        self, name: str, made: npt.NDArray[np.float64], cells: npt.NDArray[np.bool_]
    ) -> npt.NDArray[np.float64]:
        """Made values as the column's type holds them."""
        column = Table(Table(self.table).take({}, [name]))
        return Table(column.put({name: made}, {name: cells})).numbers(name)

    def _figures(self, comparison: Comparison) -> dict[str, float]:
        """The value that counts of each measure."""
        own = {measure.name: measure for measure in self.measures}
        decisive = {name: decisive_name(name, comparison.ownership, MEASURES) for name in own}
        needed = [own.get(name) or MEASURES[name]() for name in dict.fromkeys(decisive.values())]
        scores = score_all(comparison, needed, comparison.workers)
        return {name: scores[counting].value for name, counting in decisive.items()}
