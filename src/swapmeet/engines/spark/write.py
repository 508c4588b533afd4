"""Release and audit record of a Spark frame, written in one pass to folders of Parquet files."""

from __future__ import annotations

import secrets
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from swapmeet.base.atomic import all_or_nothing, write_folder_atomically
from swapmeet.engines.spark.failures import translate_errors
from swapmeet.engines.spark.names import TALLY
from swapmeet.errors import OutputError
from swapmeet.release.audit_folder import DONORS, save_seed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from swapmeet.engines.spark.release import SparkRelease
    from swapmeet.engines.tally import Tally


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

    found = sum(pq.read_metadata(part).num_rows for part in aside.glob("*.parquet"))
    if found != rows:
        raise OutputError(
            f"{target}: {rows - found} of {rows} rows did not arrive there: the workers of the "
            "cluster write to other disks. Give a folder that this program and all workers share, "
            "or write `release.data` with Spark."
        )
