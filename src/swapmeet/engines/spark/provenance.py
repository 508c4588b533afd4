"""The origin of the cells of a release made by Spark, without collecting them all."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pyarrow as pa

from swapmeet.engines.spark.failures import guard, translate_errors
from swapmeet.engines.spark.names import ROW
from swapmeet.release.donors import MADE
from swapmeet.release.provenance import ELSEWHERE, Provenance

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from swapmeet.base.arrays import Flags, Rows
    from swapmeet.engines.spark.release import SparkRelease

STANDS = "__swapmeet_stands"
"""The number of the original row in whose place a released one stands."""


@dataclass(frozen=True, repr=False, eq=False)
class DonorColumns:
    """The donors of a masked frame, column by column: which are alike, and which are marks.

    `masked` is a frame with the number of each row, and columns d0, d1 and so on with the donors of
    the masked columns. Kept columns are donated by their own rows.
    """

    masked: Any
    release: SparkRelease

    def __repr__(self) -> str:
        return f"<DonorColumns of {len(self.names)} masked columns>"

    @property
    def names(self) -> tuple[str, ...]:
        """The masked columns, in the order of their donors."""
        return self.release.schema.masked

    @cached_property
    def leaders(self) -> dict[str, str]:
        """For each published column, the first column of donors that is the same in every row."""
        leaders = [ROW]
        donors = dict.fromkeys(self.release.schema.published, ROW)
        for j, name in enumerate(self.names):
            one = f"d{j}"
            alike = (first for first in leaders if not self._counts[f"{first} {one}"])
            donors[name] = next(alike, one)
            leaders += [one] if donors[name] == one else []
        return donors

    @property
    def made(self) -> tuple[str, ...]:
        """The columns in which some value was made."""
        return tuple(name for j, name in enumerate(self.names) if self._counts[f"made {j}"])

    def find_owner(self) -> str:
        """The column that has the number of the person whose row it is.

        Where most columns have moved as one, each record to one other row, it is still that
        person's.
        """
        from pyspark.sql import functions as F  # noqa: N812

        of_columns = list(self.leaders.values())
        owner = max(dict.fromkeys(of_columns), key=of_columns.count)
        many = of_columns.count(owner)
        if owner == ROW or many < 2 or 2 * many <= len(of_columns):
            return ROW
        given = self.masked.filter(F.col(owner) >= 0)
        with translate_errors():
            distinct = given.agg(F.count_distinct(F.col(owner))).first()[0]
        return owner if distinct == self.release.rows else ROW

    @cached_property
    def _counts(self) -> dict[str, int]:
        """In how many rows two columns of donors differ, and how many values were made."""
        from pyspark.sql import functions as F  # noqa: N812

        columns = [f"d{j}" for j in range(len(self.names))]
        if not columns:
            return {}
        wanted = {
            f"{one} {other}": F.col(one) != F.col(other)
            for one, other in combinations((ROW, *columns), 2)
        } | {f"made {j}": F.col(one) == MADE for j, one in enumerate(columns)}
        sums = [F.sum(where.cast("long")).alias(name) for name, where in wanted.items()]
        with translate_errors():
            return dict(self.masked.agg(*sums).first().asDict())


@dataclass(frozen=True, repr=False, eq=False)
class SparkProvenance(Provenance):
    """Provenance of rows in a cluster; `donors` and `place` are empty, until some are asked for.

    `owner` names the column with the number of each row's person, by which rows are in order.
    """

    from_columns: DonorColumns = field(kw_only=True)
    owner: str = field(kw_only=True)
    has_places: bool = field(kw_only=True)

    certain: ClassVar[bool] = True

    def __repr__(self) -> str:
        return f"<SparkProvenance of {len(self.columns)} columns>"

    @classmethod
    def of_release(cls, columns: DonorColumns, owner: str, *, owned: bool) -> SparkProvenance:
        """Of a release that is masked on the disk."""
        release = columns.release
        nothing = np.empty((0, len(release.schema.published)), np.int64)
        return cls(
            release.schema.published, nothing, np.empty(0, np.int64), release.job.method,
            from_columns=columns, owner=owner, has_places=owned,
        )  # fmt: skip

    @property
    def owned(self) -> bool:
        return self.has_places

    @property
    def made(self) -> tuple[str, ...]:
        return self.from_columns.made

    def list_blocks(self, names: Iterable[str]) -> list[tuple[str, ...]]:
        alike: dict[str, list[str]] = {}
        for name in names:
            if name in self.columns:
                alike.setdefault(self.from_columns.leaders[name], []).append(name)
        return [tuple(some) for first, some in alike.items() if len(some) > 1 or first == ROW]

    def sample(self, rows: Rows) -> Provenance:
        from pyspark.sql import functions as F  # noqa: N812

        wanted = np.sort(rows)
        few = self._frame.sparkSession.createDataFrame(pa.table({ROW: wanted}))
        with translate_errors():
            table = self._frame.join(F.broadcast(few), ROW, "left_semi").toArrow()
        table = table.take(
            pa.array(np.argsort(table[ROW].to_numpy())[np.searchsorted(wanted, rows)])
        )
        place = table[STANDS].to_numpy() if self.owned else np.full(len(rows), -1)
        donors = np.stack([self._donors_of(table, name) for name in self.columns], axis=1)
        return Provenance(
            self.columns, _renumber(donors, rows), _renumber(place, rows), self.method
        )

    def find_rows_of(self, people: Rows) -> tuple[Rows, Rows]:
        kept = len(self.from_columns.names) < len(self.columns)
        look = _FindRows(np.sort(people), from_column=0 if self.owned else 2 - kept)

        def work(batches: Iterable[Any]) -> Iterator[Any]:
            yield from map(look, batches)

        with translate_errors():
            matches = self._frame.mapInArrow(guard(work), "who long, row long").toArrow()
        order = np.argsort(people, kind="stable")
        return order[matches["who"].to_numpy()], matches["row"].to_numpy()

    @property
    def _frame(self) -> Any:
        """The numbers of rows by their people, where they stand, and the donors."""
        from pyspark.sql import functions as F  # noqa: N812

        columns = [f"d{j}" for j in range(len(self.from_columns.names))]
        own = [F.col(self.owner).alias(ROW), F.col(ROW).alias(STANDS)]
        return self.from_columns.masked.select(*own, *columns)

    def _donors_of(self, table: Any, name: str) -> Rows:
        masked = self.from_columns.names
        column = f"d{masked.index(name)}" if name in masked else STANDS
        return np.asarray(table[column].to_numpy())


@dataclass(frozen=True, repr=False, eq=False)
class _FindRows:
    """Lists the rows of a batch in whose columns, the first ones left out, one of `people` is."""

    people: Rows
    from_column: int

    def __call__(self, batch: Any) -> Any:
        rows, pairs = batch.column(0).to_numpy(), [(np.zeros(0, np.int64),) * 2]
        for column in batch.columns[self.from_column :]:
            places, is_here = _look_up(column.to_numpy(), self.people)
            pairs.append((places[is_here], rows[is_here]))
        who, where = (pa.array(np.concatenate(some)) for some in zip(*pairs, strict=True))
        return pa.RecordBatch.from_arrays([who, where], ["who", "row"])


def _look_up(numbers: Rows, ordered: Rows) -> tuple[Rows, Flags]:
    """The places of numbers among others that are in order, and whether they are there."""
    places = np.minimum(np.searchsorted(ordered, numbers), max(len(ordered) - 1, 0))
    return places, (ordered[places] == numbers) if len(ordered) else np.zeros(len(numbers), bool)


def _renumber(people: Rows, rows: Rows) -> Rows:
    """People by their place among some rows; others are elsewhere, and marks stay."""
    order = np.argsort(rows)
    places, is_here = _look_up(people, rows[order])
    return np.where(people < 0, people, np.where(is_here, order[places], ELSEWHERE))
