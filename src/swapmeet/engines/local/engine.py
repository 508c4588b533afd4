"""Masking in the memory of this machine, on all its cores."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from swapmeet.base.parallel import Workers, count_cores
from swapmeet.base.params import is_count
from swapmeet.base.progress import Progress, Pulse, silent
from swapmeet.engines.blocks import mask_block
from swapmeet.engines.checks import require_all_rows_at_once
from swapmeet.engines.protocol import Inferred, Request, is_spark
from swapmeet.engines.units import run_by_level
from swapmeet.errors import ParameterError, UsageError
from swapmeet.io.document import get_frame
from swapmeet.tables.frame import Frame, Table
from swapmeet.tables.schema import Schema

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from swapmeet.base.seeds import Seed
    from swapmeet.comparison.comparison import Comparison
    from swapmeet.methods import Method
    from swapmeet.release.outcome import Outcome
    from swapmeet.release.release import Release
    from swapmeet.tables.microdata import Microdata
    from swapmeet.tables.recoding.recode import Recode
    from swapmeet.tables.recoding.recoded import Recoded


@dataclass(frozen=True, kw_only=True)
class Local:
    """One machine; `threads` defaults to all cores the process may use.

    With `block_rows`, a larger table is masked in blocks of about this many rows: random ones, or
    for methods that seek neighbours cells in space with a halo. Ranges and spreads stay those of
    the whole table. The result does not depend on the number of threads. `kinds` are those that a
    file declares of its columns.

    >>> import swapmeet as sm
    >>> people = sm.datasets.load("fair")
    >>> method = sm.RWN(k=10, weights=0.2)
    >>> sm.mask(people, method, seed=1, engine=sm.Local(block_rows=1000)).data.shape
    (6366, 9)
    """

    threads: int | None = None
    block_rows: int | None = None
    progress: Progress = silent
    kinds: Mapping[str, str] = field(default_factory=dict, repr=False)

    in_memory: ClassVar[bool] = True

    def __post_init__(self) -> None:
        for name, least in (("threads", 1), ("block_rows", 2)):
            value = getattr(self, name)
            if value is not None and not is_count(value, least):
                raise ParameterError(f"Local: `{name}` must be a whole number, {least} or more.")

    def open(self, data: Frame) -> Table:
        """A frame of pandas, polars or pyarrow, or the document of a file."""
        if is_spark(data):
            raise UsageError(
                "mask: a Spark frame is masked by the engine Spark, or without `engine`."
            )
        return Table.of(get_frame(data))

    def head(self, data: Any) -> Table:
        """All rows: they are here."""
        from swapmeet.engines.local.pair import table_of

        return table_of(data)

    def infer(self, data: Table) -> Inferred:
        """The kinds of the columns."""
        return Inferred(Schema.guess(data, self.kinds))

    def complete(self, schema: Schema, data: Table) -> Schema:  # noqa: ARG002
        """The schema as it is."""
        return schema

    def recode(self, data: Table, recodes: Sequence[Recode]) -> Recoded[Table]:
        """The table after these steps."""
        from swapmeet.tables.recoding.table import recode_table

        return recode_table(data, recodes)

    def mask(self, data: Table, method: Method, schema: Schema, seed: Seed) -> Release:
        """Mask a table in memory."""
        from swapmeet.engines.local.mask import mask_table

        return mask_table(self, data, method, schema, seed)

    def run(self, method: Method, data: Microdata, seed: Seed) -> Outcome:
        """Mask columns of numbers and codes."""
        return run_by_level(method, data, seed, self._run_rows)

    def _run_rows(self, method: Method, data: Microdata, seed: Seed) -> Outcome:
        """Mask a table whose rows stand alone."""
        from swapmeet.engines.local.blocks import mask_by_blocks

        workers = Workers(self.threads or count_cores(), Pulse.of(self.progress))
        if self.block_rows is None or data.n <= self.block_rows:
            return mask_block(method, data, seed, 0, 1, workers)
        require_all_rows_at_once(method)
        method.check(data)
        return mask_by_blocks(method, data, seed, self.block_rows, workers)

    def share_memory(self, number: int) -> Local:  # noqa: ARG002
        """The same engine."""
        return self

    @contextmanager
    def compare(self, original: Table, release: Any, request: Request) -> Iterator[Comparison]:
        """Original and release row beside row, in memory."""
        from swapmeet.engines.local.compare import compare_tables

        yield compare_tables(original, release, request)
