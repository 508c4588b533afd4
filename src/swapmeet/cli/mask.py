"""swapmeet mask: a file in, a release out. Its options come from the methods' declarations."""

from __future__ import annotations

import inspect
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from swapmeet.cli import options as opt
from swapmeet.cli.output import Output, count
from swapmeet.cli.progress import Bar
from swapmeet.cli.summary import changes_as_json, show_changes
from swapmeet.methods import METHODS, make

if TYPE_CHECKING:
    from swapmeet.cli.source import Source
    from swapmeet.methods import Method
    from swapmeet.release import Release

PARAMETERS = "Parameters of the method (more: swapmeet methods)"

Out = Annotated[
    Path, typer.Argument(help="The release. Its suffix decides the format.", metavar="OUT")
]
MethodName = Annotated[
    str | None,
    typer.Option(help=f"One of {', '.join(METHODS)}.", metavar="NAME", show_default=False),
]
Seed = Annotated[
    int | None,
    typer.Option(help="Makes the release reproducible, and unfit for publication.", metavar="INT",
                 show_default="from the operating system"),
]  # fmt: skip
Audit = Annotated[
    Path | None,
    typer.Option(help="Save seed and donors here, readable by you only. Never publish this file.",
                 metavar="FILE", show_default=False, rich_help_panel=opt.OUTPUT),
]  # fmt: skip
KeepOrder = Annotated[
    bool,
    typer.Option("--keep-order", help="Leave the rows in the order of the input: tells who is who.",
                 rich_help_panel=opt.OUTPUT),
]  # fmt: skip
Threads = Annotated[
    int | None, typer.Option(help="Threads to use.", metavar="INT", show_default="all cores")
]


def add_to(app: typer.Typer) -> None:
    """Add the command, with an option for each parameter of each method."""

    def command(**given: Any) -> None:
        mask_file(given)

    command.__doc__ = mask_file.__doc__
    fixed = inspect.signature(_fixed_options, eval_str=True).parameters.values()
    signature = inspect.Signature([*fixed, *_method_options()])
    command.__signature__ = signature  # type: ignore[attr-defined]
    command.__annotations__ = {p.name: p.annotation for p in signature.parameters.values()}
    app.command("mask")(command)


def _fixed_options(
    *,
    file: opt.Input,
    out: Out,
    method: MethodName = None,
    config: opt.Config = None,
    seed: Seed = None,
    threads: Threads = None,
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
    audit: Audit = None,
    keep_order: KeepOrder = False,
    overwrite: opt.Overwrite = False,
    as_json: opt.Json = False,
    quiet: opt.Quiet = False,
    debug: opt.Debug = False,
) -> None:
    """The options that do not depend on the method."""


def _method_options() -> list[inspect.Parameter]:
    """One option for each parameter name; methods that share a name share the option."""
    meanings: dict[str, dict[str, list[str]]] = {}
    for method in METHODS.values():
        for parameter in method.parameters():
            if method.name != "per-column":
                said = meanings.setdefault(parameter.name, {})
                said.setdefault(parameter.meaning, []).append(method.name)
    return [_option(name, said) for name, said in meanings.items()]


def _option(name: str, said: dict[str, list[str]]) -> inspect.Parameter:
    text = " ".join(f"[{', '.join(methods)}] {meaning}." for meaning, methods in said.items())
    option = typer.Option(
        f"--{name.replace('_', '-')}", help=text.replace("[", "\\["), metavar="VALUE",
        show_default=False, rich_help_panel=PARAMETERS,
    )  # fmt: skip
    return inspect.Parameter(
        f"{_PREFIX}{name}",
        inspect.Parameter.KEYWORD_ONLY,
        default=None,
        annotation=Annotated[str | None, option],
    )


_PREFIX = "parameter_"


def mask_file(given: dict[str, Any]) -> None:
    """Mask FILE with a method and write the release to OUT.

    Every column is masked unless it has another role. The rows of the release come in random order.
    Beside the release a run file (.run.toml) records everything about the run except secrets.
    """
    from swapmeet.cli import source
    from swapmeet.cli.runfile import RunFile
    from swapmeet.engines import Local
    from swapmeet.masking import mask

    out, output = given["out"], Output(given["as_json"], given["quiet"])
    run_file = RunFile.beside(out)
    _check_targets([out, run_file, given["audit"]], overwrite=given["overwrite"])
    bar = Bar(wanted=output.for_people)
    with output.warnings_as_notes() as notes:
        with bar.stage("reading"):
            read = source.read(given["file"], given)
        method = _method(given, read)
        with bar.stage("masking"):
            release = mask(
                read.document.frame,
                method,
                schema=read.schema,
                seed=given["seed"],
                engine=Local(threads=given["threads"], progress=bar),
            )
        kept = given["keep_order"] or bool(read.run.output.get("keep_order"))
        with bar.stage("writing"):
            _write(out, read, release, keep_order=kept, given=given)
    _run_file(read, method, keep_order=kept).save(run_file, overwrite=given["overwrite"])
    _tell(output, out, run_file, release, given["audit"], notes, read)


def _check_targets(paths: list[Path | None], *, overwrite: bool) -> None:
    from swapmeet import io
    from swapmeet.files import check_target

    io.format_of(paths[0] or "")
    for path in paths:
        if path is not None:
            check_target(path, overwrite=overwrite)


def _method(given: dict[str, Any], read: Source) -> Method:
    from swapmeet.errors import UsageError

    configured = dict(read.run.method)
    name = given["method"] or configured.get("name")
    if name is None:
        raise UsageError(f"which method? Give --method NAME: one of {', '.join(METHODS)}.")
    settings = configured if configured.pop("name", None) == name else {}
    told = {
        option.removeprefix(_PREFIX): value
        for option, value in given.items()
        if option.startswith(_PREFIX) and value is not None
    }
    return make(name, {**settings, **told})


def _write(
    out: Path, read: Source, release: Release, *, keep_order: bool, given: dict[str, Any]
) -> None:
    import numpy as np

    from swapmeet import io

    audit = release.audit
    if keep_order:
        audit = replace(audit, owner=np.arange(len(audit.owner)))
    frame = release.data if keep_order else release.shuffled()
    donors = dict(zip(audit.columns, audit.donors[audit.owner].T, strict=True))
    io.write(out, frame, like=read.document, donors=donors, overwrite=given["overwrite"])
    if given["audit"]:
        audit.save(given["audit"], overwrite=given["overwrite"])


def _run_file(read: Source, method: Method, *, keep_order: bool) -> Any:
    return replace(
        read.run,
        columns=read.schema.to_dict(),
        method={"name": method.name, **method.settings()},
        output={"keep_order": keep_order},
    )


def _tell(
    output: Output, out: Path, run_file: Path, release: Release, audit: Path | None,
    notes: list[str], read: Source,
) -> None:  # fmt: skip
    rows = len(release.audit.owner)
    output.json(
        {
            "release": str(out),
            "run_file": str(run_file),
            "audit": str(audit) if audit else None,
            "rows": rows,
            "method": release.method,
            "settings": release.settings,
            "reproducible": release.reproducible,
            "columns": changes_as_json(release, read.schema),
            "notes": notes,
        }
    )
    output.line(f"masked {count(rows)} rows with {release.method}")
    show_changes(output, release, read.schema, notes)
    output.line(f"release   {out}")
    output.line(f"run file  {run_file}")
    if audit:
        output.line(f"audit     {audit}  (secret: whoever has it can undo the masking)")
