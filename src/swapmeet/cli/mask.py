"""swapmeet mask: a file in, a release out. Its options come from the methods' declarations."""

from __future__ import annotations

import inspect
from copy import copy
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Self

import typer

from swapmeet.cli import options as opt
from swapmeet.cli.help import Command
from swapmeet.cli.input_options import InputOptions, list_options
from swapmeet.cli.monitor import BAR
from swapmeet.cli.options import SETS
from swapmeet.cli.parameters import (
    ALSO,
    PREFIX,
    SHARED,
    describe,
    is_value,
    method_options,
    on_command_line,
    take_parameters,
)
from swapmeet.cli.table_names import name_tables
from swapmeet.errors import UsageError
from swapmeet.io.place import Place, find_place
from swapmeet.measures.default_limits import DEFAULT_LIMITS
from swapmeet.methods import METHODS, find
from swapmeet.runs.transfer import Databases

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from swapmeet.base.params import Parameter
    from swapmeet.cli.mask_run import Route
    from swapmeet.methods import Method


Out = Annotated[
    list[Place] | None,
    typer.Argument(help="The release. Its suffix decides the format. Several names, such as "
                        "release.sav release.csv, get the same rows in the same order. One of them "
                        f"may be a table of a database, {opt.DATABASES}.",
                   metavar="OUT...", parser=find_place, show_default=False),
]  # fmt: skip
AlsoOut = Annotated[
    list[Place] | None,
    typer.Option("--out", help="The same as OUT.", metavar="OUT", parser=find_place,
                 show_default=False, rich_help_panel=opt.OUTPUT),
]  # fmt: skip
Table = Annotated[
    opt.Names,
    typer.Option("--table", help="The table of a database, where the address does not name it: "
                                 "the first is that of FILE, if that is a database, the next that "
                                 "of OUT.",
                 metavar="NAME", show_default=False, rich_help_panel=opt.READING),
]  # fmt: skip
MethodName = Annotated[
    str | None,
    typer.Option(help=f"One of {', '.join(METHODS)}. With --help, only its options are shown.",
                 metavar="NAME", show_default=False, rich_help_panel=opt.METHOD),
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
    typer.Option(help="Save seed and donors here, for you only: never publish this file.",
                 metavar="FILE", show_default=False, rich_help_panel=opt.OUTPUT),
]  # fmt: skip
ProtectExposed = Annotated[
    bool | None,
    opt.switch("--protect-exposed/--protect-alike",
               "Then raise protection for those people who are still found, copied or unmoved, and "
               "for them only: values travel farther, at last cells are suppressed. In memory.",
               opt.PROTECTING),
]  # fmt: skip
ExposedLimit = Annotated[
    float | None,
    typer.Option("--exposed-limit",
                 help="With --protect-exposed: nobody is to be found by links that are right more "
                      "often than this.",
                 metavar="SHARE", show_default=f"{DEFAULT_LIMITS['linkage']:g}",
                 rich_help_panel=opt.PROTECTING),
]  # fmt: skip
LossLimit = Annotated[
    float | None,
    typer.Option("--loss-limit",
                 help="With --protect-exposed: stop before more than this is lost, from 0 to 1 "
                      "(the mean of margins, relations and screened-propensity).",
                 metavar="LOSS", show_default="none", rich_help_panel=opt.PROTECTING),
]  # fmt: skip
LabelsAs = Annotated[
    str | None,
    typer.Option("--labels",
                 help="Of an SPSS or Stata file in a format without labels: 'text', the labels "
                      "instead of the codes; or 'codes', also of values that are missing.",
                 metavar="HOW", show_default="codes, nothing where a value is missing",
                 rich_help_panel=opt.OUTPUT),
]  # fmt: skip
GuardFormulas = Annotated[
    bool | None,
    opt.switch("--guard-formulas", "Put an apostrophe before text of a .csv, .tsv or .txt that "
               "spreadsheets would run as a formula, such as =…; .xlsx needs none."),
]  # fmt: skip
KeepOrder = Annotated[
    bool | None,
    opt.switch("--keep-order/--random-order",
               "As in the input, which tells who is who; or random, the default.", opt.ORDER),
]  # fmt: skip
BlockRows = Annotated[
    int | None,
    typer.Option(help="Mask a larger table in blocks of about this many rows. The release "
                      "depends on it.",
                 metavar="INT", show_default="the whole table at once"),
]  # fmt: skip
Memory = Annotated[
    str | None,
    typer.Option(help=f"Mask a {opt.STREAMED} file piece by piece within this memory, such as 4GB. "
                      "Blocks have 1,000,000 rows, or as many as fit, unless --block-rows says "
                      "otherwise.",
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
COMMON = (
    "method parameter_k study as_inspected key sensitive keep drop weight household missing recode "
    "derive audit overwrite"
)
"""Options that many need."""


def add_to(app: typer.Typer) -> None:
    """Add the command, with an option for each parameter of each method."""

    def command(**given: Any) -> None:
        mask_file(MaskOptions.of(given))

    command.__doc__ = mask_file.__doc__
    fixed = list_options(_fixed_options, without=SHARED)
    signature = inspect.Signature([*fixed[:5], *method_options(), *fixed[5:]])
    command.__signature__ = signature  # type: ignore[attr-defined]
    command.__annotations__ = {p.name: p.annotation for p in signature.parameters.values()}
    app.command("mask", cls=MethodCommand.showing(COMMON))(command)


def _fixed_options(
    *,
    file: opt.Input,
    out: Out = None,
    method: MethodName = None,
    study: FromStudy = None,
    candidate: CandidateNumber = None,
    options: InputOptions,
    protect_exposed: ProtectExposed = None,
    exposed_limit: ExposedLimit = None,
    loss_limit: LossLimit = None,
    table: Table = None,
    out_option: AlsoOut = None,
    keep_order: KeepOrder = None,
    labels: LabelsAs = None,
    guard_formulas: GuardFormulas = None,
    audit: Audit = None,
    overwrite: opt.Overwrite = False,
    as_json: opt.Json = False,
    progress: opt.Progress = BAR,
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


@dataclass(frozen=True, kw_only=True)
class MaskOptions:
    """The options that a user typed: `parameters` of the method, `input` on how to read FILE.

    The release goes to `out`, and `also` to other files. Where a database is among them, its table
    passes through a file of a private folder, which `file` or one of the others then names.
    """

    file: Path
    out: Path
    also: tuple[Path, ...] = ()
    method: str | None = None
    study: Path | None = None
    candidate: int | None = None
    protect_exposed: bool | None = None
    exposed_limit: float | None = None
    loss_limit: float | None = None
    keep_order: bool | None = None
    labels: str | None = None
    guard_formulas: bool | None = None
    audit: Path | None = None
    overwrite: bool = False
    as_json: bool = False
    progress: str = BAR
    quiet: bool = False
    debug: bool = False
    config: Path | None = None
    seed: str | None = None
    block_rows: int | None = None
    memory: str | None = None
    engine: str | None = None
    master: str | None = None
    threads: int | None = None
    databases: Databases
    input: InputOptions
    parameters: Mapping[str, str]

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Self:
        """The options as the command line hands them over."""
        own = {field.name: given[field.name] for field in fields(cls) if field.name in given}
        outs = [*(given["out"] or ()), *(given["out_option"] or ())]
        if not outs:
            raise UsageError("Missing argument 'OUT...'.\nTry: swapmeet mask --help")
        named = name_tables([given["file"], *outs], given["table"])
        own["databases"], (own["file"], own["out"], *also) = Databases.among(named)
        sets = [text for text in given.get(SHARED) or () if not is_value(text)]
        reading = InputOptions.of({**given, SHARED: sets or None})
        return cls(**own, also=tuple(also), input=reading, parameters=take_parameters(given))


def mask_file(options: MaskOptions) -> None:
    """Mask FILE with a method and write the release to OUT, or to several files at once.

    Every column takes part unless it has another role; what the method does to columns of each role
    is told by swapmeet methods NAME. Columns that look like direct identifiers (names, numbers of
    people, addresses, free text) are refused until they are dropped or published. The rows of the
    release come in random order. Beside the release a run file (.run.toml) records everything about
    the run except secrets.
    """
    from swapmeet.cli.mask_protect import settle_protection
    from swapmeet.cli.mask_run import run

    with options.databases.open_transfer() as transfer:
        file, out, *also = transfer.settle([options.file, options.out, *options.also])
        local = replace(options, file=file, out=out, also=tuple(also))
        run(settle_protection(_choose_route(local)), transfer)


def _choose_route(options: MaskOptions) -> Route:
    """Choose method and route: by a study, by options or by the run file; options win."""
    from swapmeet.runs.run_file import ENGINES, RunFile

    if options.study is not None:
        from swapmeet.cli.mask_study import StudyRoute

        return StudyRoute.of(options)
    if options.candidate is not None:
        raise UsageError("--candidate is the number of a candidate of a study: give --from, too.")
    run_file = RunFile.load(options.config)
    name = options.engine or run_file.engine.get("name", ENGINES[0])
    if name not in ENGINES:
        raise UsageError(f"--engine {name}: must be one of {', '.join(ENGINES)}.")
    if options.master is not None and name != "spark":
        raise UsageError("--master is the address of a Spark cluster: give --engine spark, too.")
    if options.input.as_inspected and (name == "spark" or options.memory is not None):
        raise UsageError(
            "--as-inspected looks at all rows at once, which --memory and --engine spark do not. "
            "Mask a part of the table with it, then the whole table with --config RUN_FILE."
        )
    if name == "spark":
        options.databases.refuse("--engine spark reads and writes Parquet files")
        from swapmeet.cli.mask_spark import SparkRoute

        return SparkRoute(options, run_file)
    if options.memory is not None:
        from swapmeet.cli.mask_files import FilesRoute

        return FilesRoute(options, run_file)
    from swapmeet.cli.mask_memory import MemoryRoute

    return MemoryRoute(options, run_file)


OPTION = "--method"
NAMED = "swapmeet.method"


class MethodCommand(Command):
    """A command whose help tells what the method that was named takes."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        ctx.meta[NAMED] = find_named(args)
        return super().parse_args(ctx, args)

    def abridge(self, ctx: Any, also: frozenset[str] = frozenset()) -> Self:
        named = ctx.meta.get(NAMED)
        if named is None:
            return super().abridge(ctx, also)
        method = find(named)
        own = {f"{PREFIX}{parameter.name}" for parameter in on_command_line(method)}
        if f"{PREFIX}{SHARED}" in own:
            own.add(SHARED)
        return super(MethodCommand, self.show_only(method)).abridge(ctx, also | own | {"method"})

    def format_help(self, ctx: Any, formatter: Any) -> None:
        named = ctx.meta.get(NAMED)
        shown = self.show_only(find(named)) if named and self.complete else self
        super(MethodCommand, shown).format_help(ctx, formatter)

    def show_only(self, method: type[Method]) -> Self:
        """The command without the options of other methods."""
        own = {f"{PREFIX}{parameter.name}": parameter for parameter in on_command_line(method)}
        shown = copy(self)
        shown.params = [
            _describe_option(option, describe(own[option.name])) if option.name in own
            else _describe_option(option, _name_others(method)) if OPTION in option.opts
            else _describe_option(option, _describe_sets(own)) if option.name == SHARED
            else option
            for option in map(copy, self.params)
            if option.name in own or not str(option.name).startswith(PREFIX)
        ]  # fmt: skip
        return shown


def find_named(args: Sequence[str]) -> str | None:
    """The method that a command line names, if it does.

    >>> find_named(["--method", "rwn", "--help"]), find_named(["--method=cart"]), find_named([])
    ('rwn', 'cart', None)
    """
    for at, word in enumerate(args):
        if word == OPTION:
            return args[at + 1] if at + 1 < len(args) else None
        if word.startswith(f"{OPTION}="):
            return word.partition("=")[2]
    return None


def _describe_option(option: Any, text: str) -> Any:
    option.help = text.replace("[", "\\[")
    return option


def _describe_sets(own: Mapping[str, Parameter]) -> str:
    """Describe the sets of methods that have an option as a parameter."""
    parameter = own.get(f"{PREFIX}{SHARED}")
    return SETS if parameter is None else f"{SETS} {ALSO}: {describe(parameter)}"


def _name_others(method: type[Method]) -> str:
    others = ", ".join(name for name in METHODS if name != method.name)
    return f"Here {method.name} (swapmeet methods {method.name} explains it). Others: {others}."
