"""Protocol of an engine: it masks a table and compares it with its release, wherever rows are."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, TypeVar

from swapmeet.comparison.knowledge import Knowledge
from swapmeet.release.audit import AuditRecord
from swapmeet.release.audit_files import describe_method

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence
    from contextlib import AbstractContextManager

    from swapmeet.base.parallel import Workers
    from swapmeet.base.seeds import Seed
    from swapmeet.comparison.comparison import Comparison
    from swapmeet.methods import Method
    from swapmeet.release.provenance import Provenance
    from swapmeet.tables.frame import Table
    from swapmeet.tables.recoding.recode import Recode
    from swapmeet.tables.recoding.recoded import Recoded
    from swapmeet.tables.schema import Column, Schema

Data = TypeVar("Data")
"""A table as an engine takes it: in memory, an open file, or a frame of a cluster."""
Masked = TypeVar("Masked", covariant=True)
"""Result that an engine makes of it."""


class Inferred(NamedTuple):
    """A schema that was inferred, and what must be said of how."""

    schema: Schema
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, repr=False)
class Request:
    """Tables to compare, and how released rows match original ones.

    `columns` are common to both tables and `known` those that the papers' intruder knows. `keys`
    and `level` are what the intruder of a verdict knows. An `audit` record tells the owner of each
    released row; without one, `match` is "rows", "unknown" or the name of a column.
    At most `at_most` rows are compared with all others. An audit record that is named by its path
    is read only once it is clear that it fits into memory. `control` is a table of people who are
    not in the file. `household` and `person` are the columns that tell which rows belong together.
    `dropped` are columns of the original that are not released. `method` is the one of the release,
    where it is given: a record that names it cannot hold functions of the user's. `schema` says
    which columns nearly follow from others.
    """

    columns: tuple[Column, ...]
    known: tuple[str, ...]
    audit: AuditRecord | str | os.PathLike[str] | None
    match: str
    at_most: int | None
    workers: Workers
    keys: tuple[str, ...] = ()
    level: Knowledge = Knowledge.KEYS
    control: Table | None = None
    household: str | None = None
    person: str | None = None
    dropped: tuple[Column, ...] = ()
    method: Method | None = None
    schema: Schema | None = None

    @property
    def masked(self) -> tuple[str, ...]:
        """The columns that were masked, or that follow from such."""
        return tuple(column.name for column in self.columns if column.role.changes)

    def find_dropped(self, origin: Provenance | None) -> tuple[Column, ...]:
        """Columns that the method looked at and that are not released: intruders may know them."""
        method = None if origin is None else origin.method
        seen = () if method is None else method.looks_at
        return tuple(column for column in self.dropped if column.name in seen)

    def read_audit(self) -> AuditRecord | None:
        """The audit record, if there is one."""
        if self.audit is None:
            return None
        audit = self.audit if isinstance(self.audit, AuditRecord) else AuditRecord.load(self.audit)
        same = self.method and describe_method(self.method) == describe_method(audit.method)
        return replace(audit, method=self.method) if same else audit


class Engine(Protocol[Data, Masked]):
    """An engine that masks and compares tables; `in_memory` says whether their rows are at hand."""

    in_memory: ClassVar[bool]

    def open(self, data: Any) -> Data:
        """The table as this engine takes it; what it cannot take is refused."""

    def head(self, data: Any) -> Table:
        """Some rows of a table or of a release, enough to know the columns by."""

    def infer(self, data: Data) -> Inferred:
        """The kinds of the columns, as all rows show them."""

    def complete(self, schema: Schema, data: Data) -> Schema:
        """The schema with the columns that the engine itself knows of."""

    def recode(self, data: Data, recodes: Sequence[Recode]) -> Recoded[Data]:
        """The table after steps that come before anything else, and what each step did."""

    def mask(self, data: Data, method: Method, schema: Schema, seed: Seed) -> Masked:
        """Mask the table; the schema fits it and has something to mask."""

    def share_memory(self, number: int) -> Engine[Data, Masked]:
        """The engine for one of so many comparisons that are there at the same time."""

    def compare(
        self, original: Data, release: Any, request: Request
    ) -> AbstractContextManager[Comparison]:
        """Original and release row beside row, for as long as the context lasts."""


def is_spark(frame: object) -> bool:
    """Return whether it is a Spark frame; Spark is not loaded to find out."""
    return any(
        kind.__module__.startswith("pyspark.sql") and kind.__name__ == "DataFrame"
        for kind in type(frame).__mro__
    )
