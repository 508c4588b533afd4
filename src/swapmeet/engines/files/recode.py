"""A file whose columns are recoded as it is read, piece by piece."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, reduce
from operator import add
from typing import TYPE_CHECKING, Any

from swapmeet.engines.files.scan import PIECE
from swapmeet.errors import SchemaError
from swapmeet.io.formats import streaming_format
from swapmeet.tables.arrow import Family
from swapmeet.tables.frame import Table
from swapmeet.tables.recoding.plan import RecodePlan, add_counts
from swapmeet.tables.recoding.recoded import Recoded

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from swapmeet.io.stream import Outlet, Source
    from swapmeet.tables.recoding.recode import Recode


@dataclass(frozen=True)
class RecodedSource:
    """A file after the steps of a plan; `inner` is the file as it is."""

    inner: Source
    plan: RecodePlan

    @property
    def path(self) -> Path:
        """The path of the file."""
        return self.inner.path

    @property
    def rows(self) -> int:
        """Number of rows."""
        return self.inner.rows

    @property
    def names(self) -> list[str]:
        """The columns, in order."""
        return self.inner.names

    @property
    def schema(self) -> Any:
        """The types of the columns; those with steps may have gaps."""
        schema = self.inner.schema
        for name in self.plan.columns:
            place = schema.get_field_index(name)
            schema = schema.set(place, schema.field(place).with_nullable(True))  # noqa: FBT003
        return schema

    @cached_property
    def head(self) -> Any:
        """The first rows, recoded."""
        return self.plan.apply(Table(self.inner.head))[0]

    def pieces(self, columns: Iterable[str], rows: int) -> Iterator[tuple[int, Any]]:
        """Recoded tables of at most `rows` rows, each with the number of its first row."""
        for begin, table in self.inner.pieces(columns, rows):
            yield begin, self.plan.apply(Table(table))[0]


def recode_source(file: Source, recodes: Sequence[Recode]) -> Recoded[Source]:
    """The file after the steps; all rows are read once, and once more for each count of levels."""
    if not recodes:
        return Recoded(file)
    RecodePlan(tuple(recodes)).require_columns(file.names)
    _refuse_ordered(Table(file.head), recodes)
    plan = RecodePlan.settle(
        recodes,
        lambda so_far, recode: add_counts(
            so_far.count_levels(Table(table), recode)
            for _, table in file.pieces([recode.column], PIECE)
        ),
    )
    pieces = (Table(table) for _, table in file.pieces(plan.columns, PIECE))
    tally = reduce(add, (plan.apply(piece)[1] for piece in pieces))
    return Recoded(RecodedSource(file, plan), plan, plan.conclude(tally))


def _refuse_ordered(head: Table, recodes: Sequence[Recode]) -> None:
    """The order of categories is known of a whole table only."""
    ordered = [r.column for r in recodes if head.family(r.column) is Family.ORDERED]
    if ordered:
        problem = (
            f"recode: column {ordered[0]!r} holds ordered categories, which are recoded in "
            "memory only. Leave out the memory limit, or recode it before."
        )
        raise SchemaError([problem])


def open_outlet(target: Path, file: Source) -> Outlet:
    """Return the writer of a file's release; cells that were recoded are not those of the file."""
    kind = streaming_format(target)
    if not isinstance(file, RecodedSource):
        return kind.open_outlet(target, file)
    outlet: Any = kind.open_outlet(target, file.inner)
    kept = {name: cells for name, cells in outlet.cells.items() if name not in file.plan.columns}
    return replace(outlet, cells=kept) if outlet.cells else outlet
