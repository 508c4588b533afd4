"""assess_file(): a file and its release make a scorecard, in bounded memory."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from swapmeet.core.base.parallel import Progress, Workers, count_cores, silent
from swapmeet.core.release.audit import AuditRecord
from swapmeet.core.tables.frame import Table
from swapmeet.core.tables.schema import fit_schema
from swapmeet.engines.files.column_store import ColumnStore
from swapmeet.engines.files.compare import LargeComparison
from swapmeet.engines.files.guessing import PIECE, schema_of
from swapmeet.engines.files.limits import AssessingNeeds, bytes_of
from swapmeet.engines.files.opening import opened
from swapmeet.engines.files.pair import Pairing
from swapmeet.engines.files.spill import private_folder
from swapmeet.engines.spark.audit import audit_at
from swapmeet.measures.matching import (
    UNKNOWN,
    common_columns,
    known_columns,
    notes_on,
    owners,
    ownership_by,
)
from swapmeet.measures.registry import chosen_measures
from swapmeet.measures.scorecard import Scorecard
from swapmeet.measures.scoring import score_all

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator

    import numpy as np
    import numpy.typing as npt

    from swapmeet.core.tables.schema import Schema
    from swapmeet.io.stream import Source
    from swapmeet.measures.base import Measure

    Rows = npt.NDArray[np.int64]


def assess_file(
    original: str | os.PathLike[str],
    release: str | os.PathLike[str],
    *,
    audit: AuditRecord | str | os.PathLike[str] | None = None,
    match: str = UNKNOWN,
    schema: Schema | None = None,
    known: Iterable[str] | None = None,
    measures: Iterable[str | Measure] | None = None,
    at_most: int | None = 20_000,
    memory: str | int = "4GB",
    delimiter: str | None = None,
    encoding: str | None = None,
    threads: int | None = None,
    progress: Progress = silent,
) -> Scorecard:
    """Measure what `assess` does of Parquet files or texts of any size, within a stated memory.

    Every score says in its details how it was found: from all rows, by linking at most `at_most`
    random people with all rows, or from a random sample of 100,000 rows. `audit` is the record or
    where it is; `delimiter` and `encoding` are those of texts.

    >>> import tempfile
    >>> import pyarrow as pa, pyarrow.parquet as pq
    >>> import swapmeet as sm
    >>> people = sm.datasets.load("fair")
    >>> release = sm.mask(people, sm.RWN(k=10, weights=0.2), seed=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name, table in (("a", people), ("b", release.shuffled())):
    ...         pq.write_table(pa.Table.from_pandas(table), f"{folder}/{name}.parquet")
    ...     card = sm.assess_file(f"{folder}/a.parquet", f"{folder}/b.parquet",
    ...                           audit=release.audit, measures=["correlations"])
    >>> card["correlations"].details["how"]
    'all rows'
    """
    workers = Workers(threads or count_cores(), progress)
    reading: Any = {"delimiter": delimiter, "encoding": encoding, "workers": workers}
    with both_opened(original, release, **reading) as (before, after):
        return assess_sources(
            before, after, audit=audit, match=match, schema=schema, known=known, measures=measures,
            at_most=at_most, memory=memory, workers=workers,
        )  # fmt: skip


@contextmanager
def both_opened(
    original: str | os.PathLike[str], release: str | os.PathLike[str], **reading: Any
) -> Iterator[tuple[Source, Source]]:
    """Two files to compare; what is put aside of texts lies beside the original."""
    with (
        opened(original, original, to="assess", **reading) as before,
        opened(release, original, to="assess", **reading) as after,
    ):
        yield before, after


def assess_sources(
    before: Source,
    after: Source,
    *,
    audit: AuditRecord | str | os.PathLike[str] | None,
    match: str,
    schema: Schema | None,
    known: Iterable[str] | None,
    measures: Iterable[str | Measure] | None,
    at_most: int | None,
    memory: str | int,
    workers: Workers,
) -> Scorecard:
    """Assess files that are open; see `assess_file`."""
    limit, chosen = bytes_of(memory), chosen_measures(measures)
    heads = Table(before.head), Table(after.head)
    if schema is None:
        schema = schema_of(before)
        schema.warn_of_concerns(stacklevel=4)
    schema = fit_schema(schema, heads[0], "assess_file")
    columns = common_columns(*heads, schema)
    known = known_columns(known, columns)
    masked = tuple(column.name for column in columns if column.role.masked)
    needs = AssessingNeeds.of(before, columns, audited=audit is not None)
    needs.require_memory(limit)
    needs.require_disk(before.path)
    if audit is not None and not isinstance(audit, AuditRecord):
        audit = audit_at(audit)
    rows = needs.piece_rows(limit)
    places = owners(before.rows, after.rows, audit, match, lambda: _columns(before, after, match))
    ownership = ownership_by(audit, match, known, masked)
    del audit
    with private_folder(before.path) as folder:
        store = ColumnStore(folder / "columns")
        pairing = Pairing(before, after, tuple(columns), places, rows, limit // 8, workers)
        one, other = pairing.onto(store, folder)
        del places, pairing
        comparison = LargeComparison(
            one, other, masked, known, ownership, at_most, Workers(workers.threads),
            store=store, folder=folder, size=before.rows, piece_rows=rows,
            room=needs.room(limit),
        )  # fmt: skip
        scores = score_all(comparison, chosen, workers)
        notes = tuple(notes_on(comparison, schema))
    return Scorecard(scores, before.rows, known, ownership, notes)


def _columns(before: Source, after: Source, name: str) -> tuple[Table, Table]:
    """The column that identifies rows, of both files; all of the first rows, if there is none."""
    both = before, after
    if all(name in source.names for source in both):
        return tuple(_whole_column(source, name) for source in both)  # type: ignore[return-value]
    return Table(before.head), Table(after.head)


def _whole_column(source: Source, name: str) -> Table:
    import pyarrow as pa

    pieces = [table for _, table in source.pieces([name], PIECE)]
    return Table(pa.concat_tables(pieces) if pieces else source.head)
