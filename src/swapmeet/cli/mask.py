"""swapmeet mask: a file in, a release out. Its options come from the methods' declarations."""

from __future__ import annotations

import inspect
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from swapmeet.cli import options as opt
from swapmeet.cli.card import show_card
from swapmeet.cli.help import Command
from swapmeet.cli.output import Output, count
from swapmeet.cli.parameters import PREFIX, chosen_method, flag, method_options
from swapmeet.cli.progress import Bar
from swapmeet.cli.summary import changes_as_json, show_changes
from swapmeet.cli.targets import Targets
from swapmeet.errors import LimitError, ParameterError, TableError, UsageError
from swapmeet.methods import METHODS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from swapmeet.cli.runfile import RunFile
    from swapmeet.cli.source import Source
    from swapmeet.core.base.parallel import Progress
    from swapmeet.core.release.release import Release
    from swapmeet.core.tables.schema import Schema
    from swapmeet.engines.files import Streamed
    from swapmeet.methods import Method
    from swapmeet.tuning import ChosenRelease, Study

Out = Annotated[
    Path, typer.Argument(help="The release. Its suffix decides the format.", metavar="OUT")
]
MethodName = Annotated[
    str | None,
    typer.Option(help=f"One of {', '.join(METHODS)}.", metavar="NAME", show_default=False,
                 rich_help_panel=opt.METHOD),
]  # fmt: skip
FromStudy = Annotated[
    Path | None,
    typer.Option("--from", help="The journal of a study (swapmeet tune): mask with its choice, and "
                                "assess what came out.",
                 metavar="STUDY", show_default=False, rich_help_panel=opt.METHOD),
]  # fmt: skip
CandidateNumber = Annotated[
    int | None,
    typer.Option("--candidate", help="With --from: take the candidate of this number instead of "
                                     "the best.",
                 metavar="INT", show_default=False, rich_help_panel=opt.METHOD),
]  # fmt: skip
Seed = Annotated[
    str | None,
    typer.Option(help="A whole number that makes the release reproducible, and unfit for "
                      "publication.",
                 metavar="INT", show_default="from the operating system"),
]  # fmt: skip
Audit = Annotated[
    Path | None,
    typer.Option(help="Save seed and donors here, readable by you only. Never publish this file.",
                 metavar="FILE", show_default=False, rich_help_panel=opt.OUTPUT),
]  # fmt: skip
KeepOrder = Annotated[
    bool | None,
    opt.switch("--keep-order/--random-order",
               "As in the input, which tells who is who; or random, the default.", opt.ORDER),
]  # fmt: skip
BlockRows = Annotated[
    int | None,
    typer.Option(help="Mask a larger table in blocks of about so many rows. The release "
                      "depends on it.",
                 metavar="INT", show_default="the whole table at once"),
]  # fmt: skip
Memory = Annotated[
    str | None,
    typer.Option(help=f"Mask a {opt.STREAMED} file piece by piece within this memory, such as 4GB. "
                      "Blocks have 1,000,000 rows unless --block-rows says otherwise.",
                 metavar="SIZE", show_default="as much as the whole table needs"),
]  # fmt: skip
EngineName = Annotated[
    str | None,
    typer.Option("--engine", help="Where the work is done: local, on this machine; or spark, which "
                                  "takes a Parquet file or a folder of them, and writes a folder.",
                 metavar="NAME", show_default="local"),
]  # fmt: skip
Master = Annotated[
    str | None,
    typer.Option(help="With --engine spark: the address of the cluster, such as spark://HOST:7077.",
                 metavar="URL", show_default="local[*]"),
]  # fmt: skip
Threads = Annotated[
    int | None, typer.Option(help="Threads to use.", metavar="INT", show_default="all cores")
]


def add_to(app: typer.Typer) -> None:
    """Add the command, with an option for each parameter of each method."""

    def command(**given: Any) -> None:
        mask_file(given)

    command.__doc__ = mask_file.__doc__
    fixed = list(inspect.signature(_fixed_options, eval_str=True).parameters.values())
    signature = inspect.Signature([*fixed[:5], *method_options(), *fixed[5:]])
    command.__signature__ = signature  # type: ignore[attr-defined]
    command.__annotations__ = {p.name: p.annotation for p in signature.parameters.values()}
    app.command("mask", cls=Command)(command)


def _fixed_options(
    *,
    file: opt.Input,
    out: Out,
    method: MethodName = None,
    study: FromStudy = None,
    candidate: CandidateNumber = None,
    key: opt.Key = None,
    sensitive: opt.Sensitive = None,
    keep: opt.Keep = None,
    strata: opt.Strata = None,
    drop: opt.Drop = None,
    numeric: opt.Numeric = None,
    ordinal: opt.Ordinal = None,
    nominal: opt.Nominal = None,
    delimiter: opt.Delimiter = None,
    encoding: opt.Encoding = None,
    sheet: opt.Sheet = None,
    keep_order: KeepOrder = None,
    audit: Audit = None,
    overwrite: opt.Overwrite = False,
    as_json: opt.Json = False,
    quiet: opt.Quiet = False,
    debug: opt.Debug = False,
    config: opt.Config = None,
    seed: Seed = None,
    block_rows: BlockRows = None,
    memory: Memory = None,
    engine: EngineName = None,
    master: Master = None,
    threads: Threads = None,
) -> None:
    """The options that do not depend on the method."""


def mask_file(given: dict[str, Any]) -> None:
    """Mask FILE with a method and write the release to OUT.

    Every column is masked unless it has another role. The rows of the release come in random order.
    Beside the release a run file (.run.toml) records everything about the run except secrets.
    """
    from swapmeet.cli.runfile import RunFile

    if given["study"] is not None:
        mask_from_study(given)
        return
    asked = RunFile.load(given["config"])
    if _is_for_spark(given, asked):
        from swapmeet.cli.mask_spark import mask_spark

        mask_spark(given, asked)
    elif given["memory"] is not None:
        from swapmeet.cli.mask_stream import mask_stream

        mask_stream(given, asked)
    else:
        mask_in_memory(given, asked)


def mask_in_memory(given: dict[str, Any], asked: RunFile) -> None:
    """Mask a file that is read as a whole; release, run file and audit record, or none."""
    from swapmeet.cli import source
    from swapmeet.engines import Local
    from swapmeet.masking import mask

    require_no_candidate(given)
    output = Output(given["as_json"], given["quiet"])
    method, seed = chosen_method(given, asked.method), seed_of(given["seed"])
    targets = targets_of(given)
    targets.check(source=given["file"], config=given["config"])
    bar = Bar(wanted=not output.quiet)
    engine = Local(**_engine(given, asked), threads=given["threads"], progress=bar)
    with output.warnings_as_notes() as notes, bar:
        bar.stage("reading")
        read = source.read(given["file"], given, asked, bar)
        _require_others(read)
        read.schema.warn_of_concerns()
        bar.stage("masking")
        release = mask(read.document.frame, method, schema=read.schema, seed=seed, engine=engine)
        done = _done(read, method, given, asked)
        bar.stage("writing")
        _write(targets, read, release, done, bar)
    tell(output, targets, release, read.schema, done, notes)


def _is_for_spark(given: dict[str, Any], asked: RunFile) -> bool:
    """Whether options or run file name the engine spark; options win."""
    from swapmeet.cli.runfile import ENGINES

    name = given["engine"] or asked.engine.get("name", ENGINES[0])
    if name not in ENGINES:
        raise UsageError(f"--engine {name}: must be one of {', '.join(ENGINES)}.")
    if given["master"] is not None and name != "spark":
        raise UsageError("--master is the address of a Spark cluster: give --engine spark, too.")
    return bool(name == "spark")


def mask_from_study(given: dict[str, Any]) -> None:
    """Mask with the choice of a study; the release is assessed, and written if it keeps limits."""
    from swapmeet.cli import source
    from swapmeet.cli.runfile import RunFile
    from swapmeet.engines import Local
    from swapmeet.tuning import Study, apply

    _require_nothing_else(given)
    output, study = Output(given["as_json"], given["quiet"]), Study.load(given["study"])
    asked, seed = RunFile(columns=study.setup.schema.to_dict()), seed_of(given["seed"])
    targets = targets_of(given)
    targets.check(source=given["file"], config=given["study"])
    bar = Bar(wanted=not output.quiet)
    engine = Local(threads=given["threads"], progress=bar)
    with output.warnings_as_notes() as notes, bar:
        bar.stage("reading")
        read = source.read(given["file"], given, asked, bar)
        bar.stage("masking")
        applied = apply(
            study, read.document.frame, candidate=given["candidate"], seed=seed, engine=engine,
            progress=bar,
        )  # fmt: skip
        _require_limits(study, applied)
        done = _done(read, applied.candidate.method, given, asked)
        bar.stage("writing")
        _write(targets, read, applied.release, done, bar)
    result = {"study": str(given["study"]), "candidate": applied.candidate.number,
              "assessment": applied.card.to_dict()}  # fmt: skip
    tell(output, targets, applied.release, read.schema, done, notes, result)
    show_card(output, applied.card, dict(study.limits))


def require_no_candidate(given: dict[str, Any]) -> None:
    """Refuse the number of a candidate where there is no study."""
    if given["candidate"] is not None:
        raise UsageError("--candidate is the number of a candidate of a study: give --from, too.")


def _require_nothing_else(given: dict[str, Any]) -> None:
    """With a study, method and roles are decided."""
    roles = ("key", "sensitive", "keep", "strata", "drop", "numeric", "ordinal", "nominal")
    told = [
        name
        for name in ("method", "config", "block_rows", "memory", "engine", "master", *roles)
        if given[name]
    ]
    told += [name.removeprefix(PREFIX) for name, value in given.items()
             if name.startswith(PREFIX) and value is not None]  # fmt: skip
    if told:
        raise UsageError(
            f"{', '.join(map(flag, told))}: with --from, method, roles and kinds are the study's. "
            "Leave it out, or search again."
        )


def _require_limits(study: Study, applied: ChosenRelease) -> None:
    if applied.missed:
        told = ", ".join(
            f"{name} {value:.4g} (limit {study.limits[name]:g})"
            for name, value in applied.missed.items()
        )
        raise LimitError(
            f"this release of {applied.candidate.label} does not keep the limits, though the "
            f"median of the trials did: {told}. Nothing was written. Run again for another draw, "
            "or take a safer candidate: --candidate NUMBER."
        )


def targets_of(given: dict[str, Any]) -> Targets:
    """Where the run writes."""
    from swapmeet.cli.runfile import RunFile

    return Targets(
        release=given["out"],
        run_file=RunFile.beside(given["out"]),
        audit=given["audit"],
        overwrite=given["overwrite"],
    )


def _done(read: Source, method: Method, given: dict[str, Any], asked: RunFile) -> RunFile:
    """The run file of what was done in memory."""
    kept = keeps_order(given, asked)
    return done_by(read.run, read.schema, method, _engine(given, asked), keep_order=kept)


def done_by(
    run: RunFile, schema: Schema, method: Method, engine: dict[str, Any], *, keep_order: bool
) -> RunFile:
    """The run file of what was done."""
    return replace(
        run,
        columns=schema.to_dict(),
        method={"name": method.name, **method.settings()},
        engine=engine,
        output={"keep_order": keep_order},
    )


def seed_of(text: str | None) -> int | None:
    """The seed that a text stands for; the refusal does not repeat it."""
    from swapmeet.core.base.seeds import Seed

    if text is None:
        return None
    try:
        number = int(text)
    except ValueError:
        raise ParameterError("`seed` must be a whole number, such as 1.") from None
    Seed.chosen_by_user(number)
    return number


def _require_others(read: Source) -> None:
    if len(read.document.frame) == 1:
        raise TableError("the table has only 1 row; there is no other to trade values with.")


def _engine(given: dict[str, Any], asked: RunFile) -> dict[str, int]:
    """What the release depends on besides data, method and seed."""
    rows = given["block_rows"] or asked.engine.get("block_rows")
    return {} if rows is None else {"block_rows": rows}


def keeps_order(given: dict[str, Any], asked: RunFile) -> bool:
    """Whether the rows of the release are to be in the order of the input."""
    told = given["keep_order"]
    return bool(asked.output.get("keep_order") if told is None else told)


def _write(
    targets: Targets, read: Source, release: Release, done: RunFile, progress: Progress
) -> None:
    """Write release, run file and audit record; nothing remains if one of them fails."""
    import numpy as np

    from swapmeet import io
    from swapmeet.core.base.atomic import all_or_nothing

    audit, overwrite = release.audit, targets.overwrite
    frame = release.data
    if done.output["keep_order"]:
        audit = replace(audit, owner=np.arange(len(audit.owner)))
    else:
        frame = release.shuffled()
    donors = dict(zip(audit.columns, audit.donors[audit.owner].T, strict=True))
    with all_or_nothing():
        done.save(targets.run_file, overwrite=overwrite)
        if targets.audit:
            audit.save(targets.audit, overwrite=overwrite)
        io.write(
            targets.release, frame, like=read.document, donors=donors, overwrite=overwrite,
            progress=progress,
        )  # fmt: skip


def tell(
    output: Output, targets: Targets, release: Release | Streamed, schema: Schema, done: RunFile,
    notes: list[str], more: Mapping[str, Any] | None = None,
) -> None:  # fmt: skip
    """Say what was done and where it is."""
    rows, audit = release.rows, targets.audit
    kept = done.output["keep_order"]
    notes = list(dict.fromkeys([*release.notes, *notes]))
    output.json(
        {
            "release": str(targets.release),
            "run_file": str(targets.run_file),
            "audit": str(audit) if audit else None,
            "rows": rows,
            "method": release.method,
            "settings": release.settings,
            "keep_order": kept,
            "reproducible": release.reproducible,
            "columns": changes_as_json(release, schema),
            "notes": notes,
            **(more or {}),
        }
    )
    output.prose(f"Masked {count(rows)} rows with {release.method}.")
    show_changes(output, release, schema, notes)
    order = "rows in the order of the input: tells who is who" if kept else "rows in random order"
    output.line(f"release   {targets.release}  ({order})")
    output.line(f"run file  {targets.run_file}  (repeats this run: --config)")
    if audit:
        output.line(f"audit     {audit}  (secret: whoever has it can undo the masking)")
