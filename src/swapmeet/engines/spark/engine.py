"""The engine that masks Spark frames."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from swapmeet.core.base.parallel import count_cores
from swapmeet.core.base.params import is_count
from swapmeet.engines.cell_layout import guests_expected, layout_of
from swapmeet.engines.spark.failures import told_plainly
from swapmeet.errors import EngineError, ParameterError, TableError

if TYPE_CHECKING:
    from swapmeet.core.base.seeds import Seed
    from swapmeet.core.tables.schema import Schema
    from swapmeet.engines.spark.release import SparkRelease
    from swapmeet.methods import Method

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

    def __post_init__(self) -> None:
        if not is_count(self.block_rows, 2):
            raise ParameterError("Spark: `block_rows` must be a whole number from 2 up.")
        if self.row_id is not None and not isinstance(self.row_id, str):
            raise ParameterError("Spark: `row_id` must be the name of a column.")

    def head(self, frame: Any, rows: int) -> Any:
        """Some rows of a Spark frame, as an Arrow table."""
        with told_plainly():
            return frame.limit(rows).toArrow()

    def with_many_values(self, frame: Any, names: list[str]) -> set[str]:
        """Those of some integer columns that have more than a few distinct values."""
        from swapmeet.engines.spark.scan import with_many_values

        with told_plainly():
            return with_many_values(frame, names)

    def release(
        self, frame: Any, head: Any, method: Method, schema: Schema, seed: Seed, facts: list[str]
    ) -> SparkRelease:
        """The release of a Spark frame: its rows are numbered and surveyed, not yet masked.

        `schema` has all columns of the frame, in order; `head` has some rows of it, and `facts`
        what is told with the release.
        """
        from swapmeet.engines.spark.deal import sampled
        from swapmeet.engines.spark.mask import Job
        from swapmeet.engines.spark.numbering import numbered
        from swapmeet.engines.spark.release import SparkRelease
        from swapmeet.engines.spark.room import require_room
        from swapmeet.engines.spark.scan import scan

        require_recent()
        with told_plainly():
            found = numbered(frame, self.row_id)
            guests = guests_expected(method, found.rows, self.block_rows)
            require_room(frame, head.select(list(schema.published)), found.rows, guests)
            surveyed = scan(found.frame, schema, head.schema)
        if surveyed is None or surveyed.rows < 2:
            raise TableError("the table has fewer than 2 rows; there is no other to trade with.")
        with told_plainly():
            layout = layout_of(
                method, surveyed.strata.sizes, self.block_rows, seed,
                lambda sampling: sampled(found.frame, surveyed, sampling), count_cores(),
            )  # fmt: skip
        job = Job(method, seed, schema, surveyed, layout)
        return SparkRelease(job, found.frame, (*facts, *found.facts))


def is_spark(frame: object) -> bool:
    """Whether it is a Spark frame; Spark is not loaded to find out."""
    return any(
        kind.__module__.startswith("pyspark.sql") and kind.__name__ == "DataFrame"
        for kind in type(frame).__mro__
    )


def require_recent() -> None:
    """Refuse a pyspark without what is needed."""
    import pyspark

    if tuple(map(int, pyspark.__version__.split(".")[:2])) < (4, 1):
        raise EngineError('pyspark 4.1 or later is needed: pip install "swapmeet[spark]".')
