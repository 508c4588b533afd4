"""A release that Spark makes when it is asked for, and its audit record, written in one pass."""

from __future__ import annotations

import pickle
import secrets
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from swapmeet.base.atomic import all_or_nothing, write_folder_atomically
from swapmeet.base.secret import HoldsSecret
from swapmeet.engines.spark.failures import translate_errors
from swapmeet.engines.spark.names import PART, PLACE, PRINT, ROW, STUCK, TALLY, plain
from swapmeet.errors import OutputError
from swapmeet.release.audit_files import DONORS, save_seed
from swapmeet.release.release import FileRelease

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator, Mapping

    from swapmeet.base.seeds import Seed
    from swapmeet.engines.spark.mask import BlockWork
    from swapmeet.engines.tally import Tally
    from swapmeet.release.changes import ColumnChange
    from swapmeet.tables.recoding.recoded import StepResult
    from swapmeet.tables.schema import Schema


@dataclass(frozen=True, repr=False, eq=False)
class SparkAudit(HoldsSecret):
    """Seed and donors: anyone who has it can undo the masking.

    `donors` is a Spark frame with the number of each row (`row_column`) and, for each masked
    column, that of the row whose value it has (-1: suppressed, -2: made).
    """

    seed: Seed
    donors: Any
    row_column: str = ROW

    instead: ClassVar[str] = "Give `SparkRelease.write` a folder for it: `audit`."

    def __repr__(self) -> str:
        return "<SparkAudit: secret; save it apart from the release>"


@dataclass(frozen=True, repr=False, eq=False)
class SparkRelease(HoldsSecret):
    """A masked Spark frame, whose rows come in random order.

    `data` is worked out by Spark whenever it is used, always the same; `write` does all that there
    is to do in one go. `reproducible` marks a release whose seed the user chose: for tests and
    studies, not for publication.
    """

    job: BlockWork = field(repr=False)
    frame: Any = field(repr=False)
    facts: tuple[str, ...] = ()
    recodes: tuple[StepResult, ...] = ()

    instead: ClassVar[str] = "Publish what `write` writes."

    def __repr__(self) -> str:
        settings = ", ".join(f"{name}={value!r}" for name, value in self.settings.items())
        p = len(self.schema.published)
        return f"<SparkRelease of {self.rows} rows and {p} columns by {self.method}({settings})>"

    @property
    def method(self) -> str:
        """The name of the method."""
        return self.job.method.name

    @property
    def settings(self) -> Mapping[str, Any]:
        """The parameters of the method."""
        return self.job.method.settings()

    @property
    def schema(self) -> Schema:
        """Kinds and roles of the columns."""
        return self.job.schema

    @property
    def rows(self) -> int:
        """Number of rows."""
        return self.job.scan.rows

    @property
    def reproducible(self) -> bool:
        """Return whether the user chose the seed."""
        return self.job.seed.chosen

    @cached_property
    def data(self) -> Any:
        """The release: a Spark frame with the same columns and types, minus those dropped."""
        return self.select_published(self.shuffle(audited=False))

    @cached_property
    def audit(self) -> SparkAudit:
        """Seed and donors."""
        donors = self.select_donors(self._mask(audited=True)).drop(STUCK, PRINT)
        return SparkAudit(self.job.seed, donors)

    @property
    def changes(self) -> tuple[ColumnChange, ...]:
        """Return how much of each masked column moved and changed; asks all blocks."""
        return self._tally.changes()

    @property
    def notes(self) -> tuple[str, ...]:
        """Return what all blocks noted, each thing once: Spark masks them once more to ask."""
        facts, notes = self._tally.facts_and_notes(self.job.method)
        return (*facts, *self.facts, *notes)

    def write(
        self,
        path: str | os.PathLike[str],
        *,
        audit: str | os.PathLike[str] | None = None,
        overwrite: bool = False,
    ) -> FileRelease:
        """Write the release to a folder of Parquet files; all of it, or nothing.

        Rows are masked once. `audit` is another folder, for seed and donors, that only its owner
        may enter. Both must be where this program and all workers can write.
        """
        target, record = Path(path), None if audit is None else Path(audit)
        tally = write_release(self, target, record, overwrite=overwrite)
        summary = tally.summarize(self.job.method, self.job.seed, self.facts)
        return FileRelease(**summary, path=target, recodes=self.recodes)

    def remark(self, *sentences: str) -> SparkRelease:
        """The same, with more to be said of it."""
        return replace(self, facts=(*self.facts, *sentences))

    def merge_tallies(self, tallies: Iterable[bytes]) -> Tally:
        """Sums of what blocks noted; one that was masked twice counts once."""
        from swapmeet.engines.tally import Tally

        whole = Tally(self.schema, self.rows, audited=False)
        for block in map(pickle.loads, tallies):
            if not block.blocks <= whole.blocks:
                whole.merge(block)
        return whole

    @cached_property
    def _tally(self) -> Tally:
        with translate_errors():
            tallies = self._mask(audited=False).select(TALLY).dropna().collect()
        return self.merge_tallies(bytes(row[0]) for row in tallies)

    def _mask(self, *, audited: bool) -> Any:
        return self.job.mask(self.frame, audited=audited)

    def shuffle(self, *, audited: bool) -> Any:
        """Masked rows in random order, so that blocks do not show; with donors if audited."""
        masked = self._mask(audited=audited)
        return masked.repartitionById(self.job.tasks, PART).sortWithinPartitions(PLACE)

    def select_published(self, masked: Any) -> Any:
        """The columns of the release."""
        names = self.schema.published
        return masked.select(*plain(len(names))).toDF(*names)

    def select_donors(self, masked: Any) -> Any:
        """The columns of the audit record."""
        names = self.schema.masked
        columns = [ROW, *(f"d{j}" for j in range(len(names))), STUCK, PRINT]
        return masked.select(*columns).toDF(ROW, *names, STUCK, PRINT)


def write_release(
    release: SparkRelease, target: Path, record: Path | None, *, overwrite: bool
) -> Tally:
    """Write all, or nothing; what the blocks told."""
    with all_or_nothing(), write_folder_atomically(target, overwrite=overwrite) as aside:
        if record is None:
            with translate_errors(), _interruptible(release):
                tally = _data(release, release.shuffle(audited=False), aside)
        else:
            with write_folder_atomically(record, overwrite=overwrite, private=True) as hidden:
                tally = _both(release, aside, hidden)
        _require_all(aside, release.rows, target)
    return tally


@contextmanager
def _interruptible(release: SparkRelease) -> Iterator[None]:
    """Work of which nothing goes on when this program is stopped."""
    session, tag = release.frame.sparkSession, f"swapmeet-{secrets.token_hex(8)}"
    session.addTag(tag)
    try:
        yield
    except BaseException:
        with suppress(Exception):
            session.interruptTag(tag)
        raise
    finally:
        with suppress(Exception):
            session.removeTag(tag)


def _both(release: SparkRelease, aside: Path, hidden: Path) -> Tally:
    with (
        translate_errors(),
        _interruptible(release),
        _keep(release.shuffle(audited=True)) as mixed,
    ):
        tally = _data(release, mixed, aside)
        donors = release.select_donors(mixed)
        donors.write.mode("append").parquet((hidden / DONORS).absolute().as_uri())
    owned = tally.is_owned(release.job.method)
    job = release.job
    save_seed(hidden, release.schema, job.printer, job.method, owned=owned)
    return tally


def _data(release: SparkRelease, mixed: Any, aside: Path) -> Tally:
    from pyspark.sql import Observation
    from pyspark.sql import functions as F  # noqa: N812

    observation = Observation()
    observed = mixed.observe(observation, F.collect_list(TALLY).alias(TALLY))
    published = release.select_published(observed)
    published.write.mode("append").parquet(aside.absolute().as_uri())
    return release.merge_tallies(map(bytes, observation.get[TALLY]))


@contextmanager
def _keep(frame: Any) -> Iterator[Any]:
    """A frame that is worked out once, and lies on the disks of the workers meanwhile."""
    from pyspark import StorageLevel

    held = frame.persist(StorageLevel.DISK_ONLY)
    try:
        yield held
    finally:
        with suppress(Exception):
            held.unpersist()


def _require_all(aside: Path, rows: int, target: Path) -> None:
    """Refuse a release whose parts are not all here."""
    import pyarrow.parquet as pq

    arrivals = sum(pq.read_metadata(part).num_rows for part in aside.glob("*.parquet"))
    if arrivals != rows:
        raise OutputError(
            f"{target}: {rows - arrivals} of {rows} rows did not arrive there: the workers of the "
            "cluster write to other disks. Give a folder that this program and all workers share, "
            "or write `release.data` with Spark."
        )
