"""Further releases of the same table by the same method, which tell what chance does."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from swapmeet.core.base.progress import quieten
from swapmeet.core.tables.frame import Table, reorder
from swapmeet.core.tables.microdata import Microdata
from swapmeet.engines.local.trial import TrialData
from swapmeet.engines.ties import fit_ties
from swapmeet.errors import SwapmeetError
from swapmeet.measures.side_by_side.replicate_errors import PART

if TYPE_CHECKING:
    from collections.abc import Callable

    from swapmeet.core.base.parallel import Workers
    from swapmeet.core.base.seeds import Seed
    from swapmeet.core.tables.schema import Schema
    from swapmeet.methods import Method

_Found = TypeVar("_Found")
LABEL = "replicate releases"


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class ReplicateReleases:
    """A table, and the method that masks it again and again, with seeds below `seed`.

    `before` is the table before it was recoded, if it was: what estimates are compared with.

    No such release leaves the memory, and none has to do with the one that is published.
    """

    table: Table
    schema: Schema
    method: Method
    seed: Seed
    workers: Workers
    before: Table | None = None

    @cached_property
    def original(self) -> Microdata:
        """The published columns of the table, as it was before it was recoded."""
        return self._arrays.before or self._arrays.published

    def each_of_whole(
        self, number: int, look: Callable[[Microdata, Microdata], _Found]
    ) -> list[_Found | None]:
        """Return what `look` finds in the table and each release of it; None where that failed."""
        data = self._arrays

        def find(i: int) -> _Found:
            return _look(data, self.method, self.seed.derive("replicate", i), look)

        return self._each(number, find)

    def each_of_parts(
        self, number: int, look: Callable[[Microdata, Microdata], _Found]
    ) -> list[_Found | None]:
        """The same of random parts of the rows, each with a release of that part."""
        data = self._arrays
        rows = max(round(PART * len(self.table)), 1)

        def find(i: int) -> _Found:
            chosen = self.seed.stream("rows of a part", i).permutation(len(self.table))[:rows]
            part = _take(data, np.sort(chosen))
            return _look(part, self.method, self.seed.derive("part", i), look)

        return self._each(number, find)

    def _each(self, number: int, find: Callable[[int], _Found]) -> list[_Found | None]:
        found: list[_Found | None] = [None] * number

        def work(begin: int, end: int) -> None:
            for i in range(begin, end):
                try:
                    found[i] = find(i)
                except SwapmeetError:
                    found[i] = None

        self.workers.each(work, number, size=1, label=LABEL)
        return found

    @cached_property
    def _arrays(self) -> TrialData:
        columns = [self.schema[name] for name in self.schema.compared]
        tables = (self.table,) if self.before is None else (self.before, self.table)
        published = Microdata.of_all(tables, columns)
        ties = fit_ties(self.schema, lambda: [self.table])
        masked = Microdata.of(self.table, self.schema, self.method.find_context(self.schema))
        return TrialData(
            frame=self.table.native,
            masked=ties.rests.put_into(masked, self.table),
            published=published[-1],
            before=None if self.before is None else published[0],
            known=self.schema.masked,
            at_most=None,
            ties=ties,
            progress=quieten(self.workers.progress),
        )


def _look(
    data: TrialData,
    method: Method,
    seed: Seed,
    look: Callable[[Microdata, Microdata], _Found],
) -> _Found:
    _, comparison = data.compare_both(method, seed)
    return look(comparison.original, comparison.released)


def _take(data: TrialData, rows: Any) -> TrialData:
    frame = reorder(data.frame, rows)
    before = None if data.before is None else data.before.take(rows)
    return replace(
        data, frame=frame, masked=data.masked.take(rows), published=data.published.take(rows),
        before=before,
    )  # fmt: skip
