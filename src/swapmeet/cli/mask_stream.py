"""swapmeet mask --memory: a Parquet file of any size, masked piece by piece."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from swapmeet.cli.mask import keeps_order, require_no_candidate, seed_of, targets_of, tell
from swapmeet.cli.output import Output
from swapmeet.cli.parameters import chosen_method, flag
from swapmeet.cli.progress import Bar
from swapmeet.cli.runfile import INPUT, RunFile
from swapmeet.errors import UsageError

if TYPE_CHECKING:
    from swapmeet.schema import Schema


def mask_stream(given: dict[str, Any]) -> None:
    """Mask a file without reading it as a whole; release, run file and audit record, or none."""
    from swapmeet.files import all_or_nothing
    from swapmeet.streaming import BLOCK_ROWS, mask_file

    require_no_candidate(given)
    require_no_text_options(given)
    output, asked = Output(given["as_json"], given["quiet"]), RunFile.load(given["config"])
    method, seed = chosen_method(given, asked.method), seed_of(given["seed"])
    targets = targets_of(given)
    targets.check(source=given["file"], config=given["config"])
    block_rows = given["block_rows"] or asked.engine.get("block_rows") or BLOCK_ROWS
    bar = Bar(wanted=not output.quiet)
    with output.warnings_as_notes() as notes, bar:
        bar.stage("reading")
        schema = schema_of(given, asked)
        schema.warn_of_concerns()
        done = replace(
            asked, columns=schema.to_dict(), method={"name": method.name, **method.settings()},
            engine={"block_rows": block_rows}, output={"keep_order": keeps_order(given, asked)},
        )  # fmt: skip
        with all_or_nothing():
            done.save(targets.run_file, overwrite=targets.overwrite)
            streamed = mask_file(
                given["file"], targets.release, method, schema=schema, seed=seed,
                block_rows=block_rows, memory=given["memory"],
                keep_order=done.output["keep_order"], audit=targets.audit,
                overwrite=targets.overwrite, threads=given["threads"], progress=bar,
            )  # fmt: skip
    tell(output, targets, streamed, streamed.schema, done, notes)


def schema_of(given: dict[str, Any], asked: RunFile, to: str = "mask") -> Schema:
    """Options come on top of the run file, the run file on top of the guesses.

    The file is one to mask, or to assess.
    """
    from swapmeet.cli.source import assigned
    from swapmeet.streaming import guess_schema
    from swapmeet.streaming.source import ParquetSource

    guessed = guess_schema(ParquetSource.open(given["file"], to))
    return guessed.updated(asked.columns).assign(**assigned(given, guessed.names))


def require_no_text_options(given: dict[str, Any]) -> None:
    """Refuse options that tell how to read text, or which sheet."""
    told = [name for name in INPUT if given.get(name) is not None]
    if told:
        raise UsageError(
            f"{flag(told[0])}: does not apply to Parquet files, and with --memory only these can "
            "be read. Leave it out."
        )
