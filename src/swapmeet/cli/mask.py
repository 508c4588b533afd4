"""swapmeet mask: a file in, a release out. Its options come from what plan and methods declare."""

from __future__ import annotations

import inspect
import shlex
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Self

import typer

from swapmeet.cli import options as opt
from swapmeet.cli.card import show_card
from swapmeet.cli.help import HelpCommand
from swapmeet.cli.monitor import BAR, open_monitor
from swapmeet.cli.output import Output, count
from swapmeet.cli.parameters import (
    ALSO,
    PREFIX,
    SHARED,
    describe,
    is_value,
    method_options,
    on_command_line,
    require_own,
    settle_method,
    take_parameters,
)
from swapmeet.cli.plan import show_trial
from swapmeet.cli.plan_options import lay_over, list_options, list_section, read_plan
from swapmeet.cli.summary import changes_as_json, show_changes
from swapmeet.cli.table_names import name_tables
from swapmeet.errors import ParameterError, UsageError
from swapmeet.io.place import Place, find_place
from swapmeet.methods import METHODS, Method, find
from swapmeet.plan.plan import PURPOSE, Plan
from swapmeet.plan.sections import OUTPUT, READING, EngineChoice, Input, Prepare, Protect, Writing
from swapmeet.tables.roles import SETS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from swapmeet.base.params import Parameter
    from swapmeet.running.job import Done, Job


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
                 show_default=False, rich_help_panel=OUTPUT),
]  # fmt: skip
Table = Annotated[
    opt.Names,
    typer.Option("--table", help="The table of a database, where the address does not name it: "
                                 "the first is that of FILE, if that is a database, the next that "
                                 "of OUT.",
                 metavar="NAME", show_default=False, rich_help_panel=READING),
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
                 metavar="FILE", show_default=False, rich_help_panel=OUTPUT),
]  # fmt: skip
DryRun = Annotated[
    bool,
    opt.switch("--dry-run", "Show the plan that would run, what would be refused and why, and what "
               "must be said; mask and write nothing.", OUTPUT),
]  # fmt: skip
COMMON = (
    "method parameter_k study as_inspected key sensitive keep drop weight household missing recode "
    "derive audit overwrite"
)
"""Options that many need."""


def add_to(app: typer.Typer) -> None:
    """Add the command, with an option for each parameter of each method."""

    def command(**given: Any) -> None:
        mask_file(given)

    command.__doc__ = mask_file.__doc__
    fixed = [*inspect.signature(_fixed_options, eval_str=True).parameters.values()]
    first, output, last = fixed[:5], fixed[5:7], fixed[7:]
    parameters = [
        *first, *method_options(), *list_options(Prepare, Input, Protect, without=SHARED), *output,
        *list_section(Writing), *last, *list_section(EngineChoice),
    ]  # fmt: skip
    signature = inspect.Signature(parameters)
    command.__signature__ = signature  # type: ignore[attr-defined]
    command.__annotations__ = {p.name: p.annotation for p in parameters}
    app.command("mask", cls=MethodCommand.showing(COMMON))(command)


def _fixed_options(
    *,
    file: opt.OptionalInput = None,
    out: Out = None,
    method: MethodName = None,
    study: FromStudy = None,
    candidate: CandidateNumber = None,
    table: Table = None,
    out_option: AlsoOut = None,
    audit: Audit = None,
    dry_run: DryRun = False,
    overwrite: opt.Overwrite = False,
    as_json: opt.Json = False,
    progress: opt.Progress = BAR,
    quiet: opt.Quiet = False,
    debug: opt.Debug = False,
    config: opt.Config = None,
    seed: Seed = None,
) -> None:
    """The options that are no part of a plan."""


def mask_file(given: Mapping[str, Any]) -> None:
    """Mask FILE with a method and write the release to OUT, or to several files at once.

    Every column takes part unless it has another role; what the method does to columns of each role
    is told by swapmeet methods NAME. Columns that look like direct identifiers (names, numbers of
    people, addresses, free text) are refused until they are dropped or published. The rows of the
    release come in random order. Beside the release a run file (.run.toml) records everything about
    the run except secrets. FILE and OUT may be left out where --config names them.
    """
    output = Output(given["as_json"], given["quiet"])
    with (
        output.warnings_as_notes() as notes,
        open_monitor(given["progress"], quiet=output.quiet) as bar,
    ):
        job = replace(_make_job(given), progress=bar)
        if given["dry_run"]:
            plan, refusal = job.find_refusal()
        else:
            done = job.run()
    if given["dry_run"]:
        show_trial(output, plan, refusal, notes)
        return
    _show(output, done, notes, keep_order=job.plan.keeps_order)
    for result, words in _list_next(job, done, given["study"]).items():
        output.line(f"{result:<8}  {shlex.join(['swapmeet', *words])}")


def _make_job(given: Mapping[str, Any]) -> Job:
    """The job that options and run file describe; options win."""
    from swapmeet.running.job import Job

    sets = [text for text in given.get(SHARED) or () if not is_value(text)]
    plan, parameters = read_plan({**given, SHARED: sets or None}), take_parameters(given)
    config = Plan.load(given["config"])
    file, *outs = _name_places(given, config)
    method = {"name": given["method"]} if given["method"] else {}
    plan = replace(plan, method={**method, **parameters})
    plan = replace(
        plan,
        protect=Protect.of(given), engine=EngineChoice.of(given), output=Writing.of(given),
    )  # fmt: skip
    job = Job(
        plan=plan, source=file, outs=tuple(outs), audit=given["audit"],
        overwrite=given["overwrite"], seed=parse_seed(given["seed"]), config=given["config"],
        debug=given["debug"],
    )  # fmt: skip
    if given["study"] is not None:
        from swapmeet.cli.mask_study import follow_study

        return follow_study(job, given["study"], given["candidate"])
    if given["candidate"] is not None:
        raise UsageError("--candidate is the number of a candidate of a study: give --from, too.")
    plan = lay_over(plan, config, file)
    named = settle_method(plan.method)
    require_own(find(named["name"]), parameters)
    return replace(job, plan=replace(plan, method=named))


def _name_places(given: Mapping[str, Any], config: Plan) -> list[Place]:
    """The table and the files of the release: as typed, or else as the run file has them."""
    file = given["file"]
    if file is None and config.input.file is not None:
        file = find_place(config.input.file)
    outs = [*(given["out"] or ()), *(given["out_option"] or ())]
    outs = outs or [find_place(text) for text in config.output.release]
    if file is None:
        raise UsageError("Missing argument 'FILE'.\nTry: swapmeet mask --help")
    if not outs:
        raise UsageError("Missing argument 'OUT...'.\nTry: swapmeet mask --help")
    return name_tables([file, *outs], given["table"])


def _list_next(job: Job, done: Done, study: Path | None) -> Mapping[str, Sequence[str]]:
    """The commands that come next, by what they give: they need the audit record."""
    engine = job.plan.engine
    if job.audit is None or engine.memory is not None or engine.name == "spark":
        return {}
    file, release, audit = str(job.place), done.releases[0], str(job.audit)
    if study is None:
        return {"verdict": ("assess", file, release, "--audit", audit)}
    words = ("--study", str(study), "--file", file, "--release", release, "--audit", audit)
    return {
        "report": ("report", "internal.html", *words),
        "public": ("report", "public.html", "--audience", "public", *words),
    }


def parse_seed(text: str | None) -> int | None:
    """The seed that a text stands for; the refusal does not repeat it."""
    from swapmeet.base.seeds import Seed

    if text is None:
        return None
    try:
        number = int(text)
    except ValueError:
        raise ParameterError("`seed` must be a whole number, such as 1.") from None
    Seed.chosen_by_user(number)
    return number


def _show(output: Output, done: Done, warned: list[str], *, keep_order: bool) -> None:
    """Say what was done and where it is."""
    release, masked, targets = done.summary, done.masked, done.targets
    notes = list(dict.fromkeys([*done.notes, *warned]))
    audit = targets.audit
    output.json(
        {
            "release": done.releases[0],
            "releases": list(done.releases),
            "run_file": str(targets.run_file),
            "audit": str(audit) if audit else None,
            "rows": release.rows,
            "method": release.method,
            "settings": release.settings,
            "recodes": [step.to_dict() for step in release.recodes],
            "keep_order": keep_order,
            "reproducible": release.reproducible,
            "columns": changes_as_json(release),
            "rules": [rule._asdict() for rule in release.rules],
            "notes": notes,
            **masked.more,
        }
    )
    output.prose(f"Masked {count(release.rows)} rows with {release.method}.")
    show_changes(output, release, notes)
    if masked.story:
        output.heading("Protection of single people")
        for sentence in masked.story:
            output.prose(sentence, bullet="-")
        output.line()
    order = "in the order of the input: this tells who is who" if keep_order else "in random order"
    for name in done.releases:
        output.line(f"release   {name}  (rows {order})")
    output.line(f"run file  {targets.run_file}  ({PURPOSE})")
    if audit:
        output.line(f"audit     {audit}  (secret: anyone who has it can undo the masking)")
    if masked.card is not None:
        output.line()
        show_card(output, masked.card, whole=False, hint=False)


OPTION = "--method"
NAMED = "swapmeet.method"


class MethodCommand(HelpCommand):
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
