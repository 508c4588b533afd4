"""swapmeet mask --engine spark: Parquet in, a folder of Parquet files out, on a Spark cluster."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from swapmeet.cli.mask import done_by, require_no_candidate, seed_of, targets_of, tell
from swapmeet.cli.output import Output
from swapmeet.cli.parameters import chosen_method, flag
from swapmeet.cli.progress import Bar
from swapmeet.cli.runfile import INPUT
from swapmeet.cli.source import schema_on
from swapmeet.errors import FileError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from swapmeet.cli.runfile import RunFile


def mask_spark(given: dict[str, Any], asked: RunFile) -> None:
    """Mask a Parquet file or folder by Spark; release, run file and audit record, or none."""
    from swapmeet.core.base.atomic import all_or_nothing
    from swapmeet.engines import Spark
    from swapmeet.engines.spark.engine import BLOCK_ROWS
    from swapmeet.engines.spark.session import LOCAL, read_parquet, session
    from swapmeet.masking import guessed_by_spark, masked_by_spark

    require_no_candidate(given)
    _require_nothing_else(given)
    output = Output(given["as_json"], given["quiet"])
    method, seed = chosen_method(given, asked.method), seed_of(given["seed"])
    targets = targets_of(given)
    targets.check(source=given["file"], config=given["config"], folders=True)
    _require_source(given["file"])
    block_rows = given["block_rows"] or asked.engine.get("block_rows") or BLOCK_ROWS
    engine = Spark(block_rows=block_rows)
    bar = Bar(wanted=not output.quiet)
    with output.warnings_as_notes() as notes, bar:
        bar.stage("starting Spark")
        with session(given["master"] or LOCAL, loud=given["debug"]) as spark:
            bar.stage("reading")
            frame = read_parquet(spark, given["file"])
            guessed, facts = guessed_by_spark(frame, engine)
            schema = schema_on(guessed, given, asked)
            schema.warn_of_concerns()
            used = {"name": "spark", "block_rows": block_rows}
            done = done_by(asked, schema, method, used, keep_order=False)
            release = masked_by_spark(frame, method, schema, seed, engine)
            bar.stage("masking")
            with all_or_nothing():
                done.save(targets.run_file, overwrite=targets.overwrite)
                written = release.write(
                    targets.release, audit=targets.audit, overwrite=targets.overwrite
                )
    written = replace(written, notes=(*facts, *written.notes))
    tell(output, targets, written, written.schema, done, notes)


def _require_source(path: Path) -> None:
    if not path.exists():
        raise FileError(f"{path}: no such file or folder. Check the name.")
    if path.is_dir() and not any(path.rglob("*.parquet")):
        raise FileError(f"{path}: this folder has no Parquet files (.parquet).")


def _require_nothing_else(given: dict[str, Any]) -> None:
    """What only other engines can do."""
    told = [name for name in ("memory", "threads", *INPUT) if given.get(name) is not None]
    if given["keep_order"]:
        told.append("keep_order")
    if told:
        raise UsageError(
            f"{flag(told[0])}: does not apply to --engine spark, which takes Parquet files and "
            "gives rows in random order. Leave it out."
        )
