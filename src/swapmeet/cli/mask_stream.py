"""swapmeet mask --memory: a file of any size, masked piece by piece."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from swapmeet.cli.mask import done_by, keeps_order, require_no_candidate, seed_of, targets_of, tell
from swapmeet.cli.output import Output
from swapmeet.cli.parameters import chosen_method
from swapmeet.cli.progress import Bar
from swapmeet.cli.source import reading_of, schema_on

if TYPE_CHECKING:
    from swapmeet.cli.runfile import RunFile


def mask_stream(given: dict[str, Any], asked: RunFile) -> None:
    """Mask a file without reading it as a whole; release, run file and audit record, or none."""
    from swapmeet.core.base.atomic import all_or_nothing
    from swapmeet.core.base.parallel import Workers, count_cores
    from swapmeet.engines.files import BLOCK_ROWS, mask_source, opened, require_targets, schema_of

    require_no_candidate(given)
    output = Output(given["as_json"], given["quiet"])
    method, seed = chosen_method(given, asked.method), seed_of(given["seed"])
    targets, source = targets_of(given), given["file"]
    targets.check(source=source, config=given["config"])
    require_targets(source, targets.release, targets.audit, overwrite=targets.overwrite)
    block_rows = given["block_rows"] or asked.engine.get("block_rows") or BLOCK_ROWS
    bar, reading = Bar(wanted=not output.quiet), reading_of(given, asked)
    workers = Workers(given["threads"] or count_cores(), bar)
    with output.warnings_as_notes() as notes, bar:
        bar.stage("reading")
        with opened(source, targets.release, **reading, workers=workers) as file, all_or_nothing():
            schema = schema_on(schema_of(file), given, asked)
            schema.warn_of_concerns()
            kept = keeps_order(given, asked)
            done = done_by(
                replace(asked, input=reading), schema, method, {"block_rows": block_rows},
                keep_order=kept,
            )  # fmt: skip
            done.save(targets.run_file, overwrite=targets.overwrite)
            streamed = mask_source(
                file, targets.release, method, schema=schema, seed=seed, block_rows=block_rows,
                memory=given["memory"], keep_order=kept, audit=targets.audit,
                overwrite=targets.overwrite, workers=workers,
            )  # fmt: skip
    tell(output, targets, streamed, streamed.schema, done, notes)
