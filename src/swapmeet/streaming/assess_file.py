"""assess_file(): a Parquet file and its release make a scorecard, in bounded memory."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from swapmeet.assessing import (
    UNKNOWN,
    Scorecard,
    chosen_measures,
    common_columns,
    known_columns,
    notes_on,
    owners,
    ownership_by,
)
from swapmeet.blocks import Progress, Workers, cores, silent
from swapmeet.frame import Table
from swapmeet.measures import Measure, Score, Undefined, Way
from swapmeet.release import AuditRecord
from swapmeet.schema import fitted
from swapmeet.streaming.guessing import guess_schema
from swapmeet.streaming.large import LargeComparison
from swapmeet.streaming.limits import AssessingNeeds, bytes_of
from swapmeet.streaming.pairing import Pairing
from swapmeet.streaming.shelf import Shelf
from swapmeet.streaming.source import ParquetSource
from swapmeet.streaming.spill import private_folder

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    import numpy.typing as npt

    from swapmeet.measures import Comparison
    from swapmeet.schema import Schema

    Rows = npt.NDArray[np.int64]

SAMPLE = 100_000
"""So many random rows are looked at by measures that need all they see in memory."""


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
    threads: int | None = None,
    progress: Progress = silent,
) -> Scorecard:
    """Measure what `assess` does of Parquet files of any size, within a stated memory.

    Every score says in its details how it was found: from all rows, by linking at most `at_most`
    random people with all rows, or from a random sample of 100,000 rows. `audit` is the record or
    its file.

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
    limit, chosen = bytes_of(memory), chosen_measures(measures)
    before, after = (ParquetSource.open(path, "assess") for path in (original, release))
    heads = Table(before.head), Table(after.head)
    if schema is None:
        schema = guess_schema(before)
        schema.warn_of_concerns(stacklevel=3)
    schema = fitted(schema, heads[0], "assess_file")
    columns = common_columns(*heads, schema)
    known = known_columns(known, columns)
    masked = tuple(column.name for column in columns if column.role.masked)
    needs = AssessingNeeds.of(before, columns, audited=audit is not None)
    needs.require_memory(limit)
    needs.require_disk(before.path)
    if audit is not None and not isinstance(audit, AuditRecord):
        audit = AuditRecord.load(audit)
    workers = Workers(threads or cores(), progress)
    rows = needs.piece_rows(limit)
    places = owners(before.rows, after.rows, audit, match, lambda: _columns(before, after, match))
    ownership = ownership_by(audit, match, known, masked)
    del audit
    with private_folder(before.path) as folder:
        shelf = Shelf(folder / "columns")
        pairing = Pairing(before, after, tuple(columns), places, rows, limit // 8, workers)
        one, other = pairing.onto(shelf, folder)
        del places, pairing
        comparison = LargeComparison(
            one, other, masked, known, ownership, at_most, Workers(workers.threads),
            shelf=shelf, folder=folder, size=before.rows, piece_rows=rows,
            room=needs.room(limit),
        )  # fmt: skip
        scores = _Scoring(comparison).scores(chosen, workers)
        notes = tuple(notes_on(comparison, schema))
    return Scorecard(scores, before.rows, known, ownership, notes)


def _columns(before: ParquetSource, after: ParquetSource, name: str) -> tuple[Table, Table]:
    """The column that identifies rows, of both files; all of the first rows, if there is none."""
    both = before, after
    if all(name in source.names for source in both):
        return tuple(Table(source.columns([name])) for source in both)  # type: ignore[return-value]
    return Table(before.head), Table(after.head)


@dataclass(frozen=True)
class _Scoring:
    """Takes measures of a large comparison, each in its way."""

    comparison: LargeComparison

    def scores(self, measures: list[Measure], workers: Workers) -> dict[str, Score]:
        """The score of each measure, one after the other."""
        from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

        found: dict[str, Score] = {}
        with threadpool_limits(1, "blas"):
            for done, measure in enumerate(measures, 1):
                found[measure.name] = self._score(measure)
                workers.progress("measures", done, len(measures))
        return found

    def _score(self, measure: Measure) -> Score:
        if measure.way is Way.SAMPLE:
            return self._sampled(measure)
        score = measure.score_or_reason(self.comparison)
        n, at_most = self.comparison.n, self.comparison.at_most
        if measure.way is Way.ALL or at_most is None or n <= at_most:
            return _told(score, n, "all rows", "")
        how = f"{at_most} random people against all rows"
        return _told(score, at_most, how, f" This is told by {at_most:,} random people.")

    def _sampled(self, measure: Measure) -> Score:
        n = self.comparison.n
        score = measure.score_or_reason(self.comparison.once(_sample))
        if n <= SAMPLE:
            return _told(score, n, "all rows", "")
        if measure.by_pairs and not self.comparison.owners_known:
            return measure.undefined(Undefined(
                "a sample of the rows would hold few people together with rows like theirs, and "
                "make the risk seem smaller than it is; assess the files in memory"
            ))  # fmt: skip
        note = f" This is told by a random sample of {SAMPLE:,} rows{measure.in_sample}."
        return _told(score, SAMPLE, f"a random sample of {SAMPLE} rows", note)


def _sample(comparison: Comparison) -> Comparison:
    """Random people with their released rows, as tables of their own; all, if they are few."""
    n = comparison.n
    if n <= SAMPLE:
        return comparison.sample(np.arange(n))
    stream = comparison.streams.stream("sample of rows")
    return comparison.sample(np.sort(stream.choice(n, SAMPLE, replace=False, shuffle=False)))


def _told(score: Score, rows: int, how: str, note: str) -> Score:
    details: dict[str, Any] = {**score.details, "rows looked at": rows, "how": how}
    sentence = score.sentence if score.undefined else score.sentence + note
    return replace(score, sentence=sentence, details=details, records=None)
