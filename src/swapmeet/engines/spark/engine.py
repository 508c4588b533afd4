"""The engine that masks and compares Spark frames."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from swapmeet.base.extras import name_remedy
from swapmeet.base.params import is_count
from swapmeet.engines.protocol import Inferred, Request, is_spark
from swapmeet.engines.spark.failures import translate_errors
from swapmeet.engines.spark.release import SparkRelease
from swapmeet.errors import EngineError, ParameterError, UsageError
from swapmeet.tables.frame import Table
from swapmeet.tables.schema import Column, Kind, Role, Schema
from swapmeet.tables.schema_guess import (
    FIRST,
    HEAD,
    INFERRED,
    correct_kinds,
    uncertain_columns,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from swapmeet.base.seeds import Seed
    from swapmeet.comparison.comparison import Comparison
    from swapmeet.methods import Method
    from swapmeet.tables.recoding.recode import Recode
    from swapmeet.tables.recoding.recoded import Recoded

BLOCK_ROWS = 1_000_000


@dataclass(frozen=True, kw_only=True)
class Spark:
    """The cluster of a Spark frame, which is masked in blocks of about `block_rows` rows.

    The release is the one that `Local(block_rows=...)` makes of the same rows in the order of their
    numbers, however Spark cuts and orders them. `row_id` names a column that has these numbers, 0
    to n - 1, in any order; without one, places in Parquet files are the numbers, or the content of
    the rows decides.

    >>> Spark(block_rows=100_000, row_id="number")
    Spark(block_rows=100000, row_id='number')
    """

    block_rows: int = BLOCK_ROWS
    row_id: str | None = None

    in_memory: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if not is_count(self.block_rows, 2):
            raise ParameterError("Spark: `block_rows` must be a whole number, 2 or more.")
        if self.row_id is not None and not isinstance(self.row_id, str):
            raise ParameterError("Spark: `row_id` must be the name of a column.")

    def open(self, data: Any) -> Any:
        """A Spark frame."""
        if not is_spark(data):
            raise UsageError(
                "mask: the engine Spark masks Spark frames; use Local for other tables."
            )
        return data

    def head(self, data: Any) -> Table:
        """Some rows of a Spark frame, or of a release of one."""
        return Table(first_rows(_frame_of(data), FIRST))

    def infer(self, data: Any) -> Inferred:
        """The schema that `Schema.infer` would find; a column of row numbers is left out."""
        from swapmeet.engines.spark.scan import with_many_values

        head = Table(first_rows(data, HEAD))
        guessed, is_all = Schema.guess(head, {}), len(head) < HEAD
        if not is_all:
            with translate_errors():
                many = with_many_values(data, uncertain_columns(guessed, head))
            guessed = correct_kinds(guessed, many)
        columns = tuple(column for column in guessed if column.name != self.row_id)
        return Inferred(replace(guessed, columns=columns), () if is_all else (INFERRED,))

    def complete(self, schema: Schema, data: Any) -> Schema:
        """The schema, in which numbers of rows are dropped unless it says something else."""
        row_id = self.row_id
        if row_id is None or row_id in schema.names or row_id not in data.columns:
            return schema
        column = Column(row_id, Kind.NUMERIC, Role.DROP)
        return replace(schema, columns=(*schema.columns, column))

    def recode(self, data: Any, recodes: Sequence[Recode]) -> Recoded[Any]:
        """The frame after these steps; Spark recodes it whenever it is used."""
        from swapmeet.engines.spark.scan import recode_frame

        return recode_frame(data, recodes)

    def mask(self, data: Any, method: Method, schema: Schema, seed: Seed) -> SparkRelease:
        """The release of a Spark frame: its rows are numbered and scanned, not yet masked."""
        from swapmeet.engines.spark.mask import prepare_release

        require_recent()
        return prepare_release(self, data, method, schema, seed)

    def share_memory(self, number: int) -> Spark:  # noqa: ARG002
        """The same engine."""
        return self

    @contextmanager
    def compare(self, original: Any, release: Any, request: Request) -> Iterator[Comparison]:
        """Original and release row beside row, in the cluster."""
        from swapmeet.engines.spark.pair import pair_frames

        with pair_frames(original, release, request) as comparison:
            yield comparison


def first_rows(frame: Any, rows: int) -> Any:
    """Some rows of a Spark frame, as an Arrow table."""
    with translate_errors():
        return frame.limit(rows).toArrow()


def _frame_of(data: Any) -> Any:
    frame = data.data if isinstance(data, SparkRelease) else data
    if not is_spark(frame):
        raise UsageError("assess: original and release must both be Spark frames, or neither.")
    return frame


def require_recent() -> None:
    """Refuse a pyspark without what is needed."""
    import pyspark

    if tuple(map(int, pyspark.__version__.split(".")[:2])) < (4, 1):
        raise EngineError(f"Spark frames need pyspark 4.1 or later. {name_remedy('pyspark')}")
