"""swapmeet assess: what an intruder can do with a release, and what an analyst loses."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Self

import typer

from swapmeet.base.sentences import join_names
from swapmeet.cli import options as opt
from swapmeet.cli.card import describe_card, show_card
from swapmeet.cli.help import Command
from swapmeet.cli.input_options import InputOptions, with_input
from swapmeet.cli.measure_options import MeasureOptions
from swapmeet.cli.monitor import BAR, Monitor, open_monitor
from swapmeet.cli.output import Output
from swapmeet.cli.parameters import flag
from swapmeet.cli.table_names import name_tables
from swapmeet.errors import LimitError, UsageError
from swapmeet.io.place import Place, find_place
from swapmeet.measures.default_limits import DEFAULT_LIMITS, say_limits
from swapmeet.measures.side_by_side.interval_coverage import REPLICATES
from swapmeet.runs.run_file import RunFile

if TYPE_CHECKING:
    from collections.abc import Mapping

    from swapmeet.measures.scorecard import Scorecard
    from swapmeet.measures.verdict import Verdict
    from swapmeet.methods import Method
    from swapmeet.release.audit import AuditRecord

WHAT = "What is measured"
IN_MEMORY = ("model", "coverage", "pca", "table", "rare", "selectivity", "queries",
             "control")  # fmt: skip
"""What needs both tables in memory."""

Released = Annotated[
    Place,
    typer.Argument(help="The release, as it was or will be published.", metavar="RELEASE",
                   parser=find_place),
]  # fmt: skip
Audit = Annotated[
    Path | None,
    typer.Option(help="The audit record of the release: tells the true owner of each row.",
                 metavar="FILE", show_default=False, rich_help_panel=opt.INTRUDER),
]  # fmt: skip
Match = Annotated[
    str,
    typer.Option(help="Without an audit record: 'rows' if the rows are in the same order, or the "
                      "name of a column that identifies them in both files.",
                 metavar="HOW", show_default="unknown", rich_help_panel=opt.INTRUDER),
]  # fmt: skip
Measures = Annotated[
    opt.Names,
    typer.Option("--measure", help="Only these measures (more: swapmeet measures), with parameters "
                                   "as in queries:target=illness; 'all' for all, each with its "
                                   "sentence.",
                 metavar="NAMES", show_default="what limits are on, and first losses",
                 rich_help_panel=WHAT),
]  # fmt: skip
Limit = Annotated[
    opt.Names,
    typer.Option(help="A limit, such as linkage=0.2: exit code 4 if it is not met. Replaces the "
                      "default limits; 'none' for no verdict.",
                 metavar="NAME=VALUE", show_default=say_limits(DEFAULT_LIMITS),
                 rich_help_panel=WHAT),
]  # fmt: skip
Model = Annotated[
    opt.Names,
    typer.Option(help="A model to fit to both files, such as 'wage ~ age + C(sex)', 'logistic: ill "
                      "~ age', 'huber: wage ~ age', 'poisson: visits ~ age', 'loglinear: "
                      "sex*region' or 'wage ~ age, weight=w'.",
                 metavar="FORMULA", show_default=False, rich_help_panel=WHAT),
]  # fmt: skip
CoverageOf = Annotated[
    opt.Names,
    typer.Option("--coverage",
                 help="A model, as in --model: how often do intervals that an analyst computes "
                      "from such a release cover the truth? Makes further releases; the method is "
                      "that of the audit record or of the run file.",
                 metavar="FORMULA", show_default=False, rich_help_panel=WHAT),
]  # fmt: skip
NumberOfReplicates = Annotated[
    int,
    typer.Option("--replicates",
                 help="How many further releases --coverage makes of all rows, and as many of "
                      "halves of them.",
                 metavar="N", rich_help_panel=WHAT),
]  # fmt: skip
Components = Annotated[
    opt.Names,
    typer.Option("--pca", help="Columns whose principal components to compare.",
                 metavar="NAMES", show_default=False, rich_help_panel=WHAT),
]  # fmt: skip
Tables = Annotated[
    opt.Names,
    typer.Option("--table", help="Columns to tabulate in both files, with weight=NAME by survey "
                                 "weights; repeat for more tables.",
                 metavar="NAMES", show_default=False, rich_help_panel=WHAT),
]  # fmt: skip
Rare = Annotated[
    opt.Names,
    typer.Option(help="A condition whose rows to follow, such as 'sex = \"f\" and age < 31'.",
                 metavar="CONDITION", show_default=False, rich_help_panel=WHAT),
]  # fmt: skip

Selectivity = Annotated[
    opt.Names,
    typer.Option(help="Random queries by how much they select: the column to count and the column "
                      "to select by, such as occupation:age; others may follow with how much of "
                      "each, as in occupation:age:race=3|sex=2.",
                 metavar="NAMES", show_default=False, rich_help_panel=WHAT),
]  # fmt: skip

Queries = Annotated[
    Path | None,
    typer.Option(help="A text with a condition in each line, as for --rare: how many rows meet "
                      "each in both files.",
                 metavar="FILE", show_default=False, rich_help_panel=WHAT),
]  # fmt: skip

Baseline = Annotated[
    Place | None,
    typer.Option(help="Another release of FILE, to compare the errors of --queries with.",
                 metavar="FILE", show_default=False, rich_help_panel=WHAT, parser=find_place),
]  # fmt: skip

Control = Annotated[
    Place | None,
    typer.Option(help="A file of people of the same population who are not in FILE, with the same "
                      "columns: can an intruder tell who is in the file?",
                 metavar="FILE", show_default=False, rich_help_panel=opt.INTRUDER,
                 parser=find_place),
]  # fmt: skip

Memory = Annotated[
    str | None,
    typer.Option(help=f"Assess {opt.STREAMED} files piece by piece in this memory, such as 4GB.",
                 metavar="SIZE", show_default="as much as both tables need"),
]  # fmt: skip

Full = Annotated[
    bool,
    opt.switch("--full", "Take all measures, unless some are named, and show them with all that "
                         "follows from the verdict."),
]  # fmt: skip
COMMON = "audit match measure limit key sensitive weight missing full as_json"
"""Options that many need."""
WITHOUT = "whole_households publish together unrepaired as_inspected"
"""Options of masking that no measure asks for."""


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("assess", cls=Command.showing(COMMON))(with_input(assess_files, without=WITHOUT))


def assess_files(
    file: opt.Input,
    release: Released,
    *,
    audit: Audit = None,
    match: Match = "unknown",
    control: Control = None,
    known: opt.Known = None,
    intruder: opt.Intruder = "keys",
    measure: Measures = None,
    limit: Limit = None,
    model: Model = None,
    coverage: CoverageOf = None,
    replicates: NumberOfReplicates = REPLICATES,
    pca: Components = None,
    table: Tables = None,
    rare: Rare = None,
    selectivity: Selectivity = None,
    queries: Queries = None,
    baseline: Baseline = None,
    at_most: opt.AtMost = 20_000,
    full: Full = False,
    memory: Memory = None,
    columns: InputOptions,
    config: opt.Config = None,
    as_json: opt.Json = False,
    progress: opt.Progress = BAR,
    quiet: opt.Quiet = False,
    debug: opt.Debug = False,
) -> None:
    """Measure the risk and the loss of RELEASE, which was made of FILE.

    Roles and kinds come from the run file beside the release, if there is one. No value is shown,
    only names and figures.
    """
    places = (file, release, control, baseline)
    name_tables([place for place in places if place is not None], None)
    options = AssessOptions.of(locals())
    output = Output(as_json, quiet)
    with output.warnings_as_notes(), open_monitor(progress, quiet=quiet) as bar:
        bar.stage("reading")
        card = (_assess_in_memory if memory is None else _assess_in_pieces)(options, bar)
    verdict = card.verdict
    missed = [reason.measure for reason in verdict.reasons if not reason.met]
    output.json({**describe_card(card), "limits": dict(verdict.limits), "not met": missed})
    show_card(
        output, card, in_full=options.names_measured, whole=full or options.names_all_measures
    )
    if not verdict.safe and not options.asks_for_figures_only(verdict):
        raise LimitError(_name_limits(verdict) if output.for_people else verdict.sentence)


def _name_limits(verdict: Verdict) -> str:
    """The limits that are not met, or not decided: the card above says why."""
    wrong = {
        "not met": [reason.measure for reason in verdict.reasons if reason.missed],
        "not decided": [reason.measure for reason in verdict.reasons if not reason.decided],
    }
    clauses = [
        f"the {'limits' if len(names) > 1 else 'limit'} on {join_names(names)} "
        f"{'are' if len(names) > 1 else 'is'} {what}"
        for what, names in wrong.items()
        if names
    ]
    return f"{', and '.join(clauses) or 'the verdict is open'}; see above."


@dataclass(frozen=True, kw_only=True)
class AssessOptions(MeasureOptions):
    """The options that a user typed; `input` is how to read both files."""

    file: Place
    release: Place
    audit: Path | None
    match: str
    control: Place | None
    model: list[str] | None
    coverage: list[str] | None
    replicates: int
    pca: list[str] | None
    table: list[str] | None
    rare: list[str] | None
    selectivity: list[str] | None
    queries: Path | None
    baseline: Place | None
    at_most: int | None
    memory: str | None
    config: Path | None
    input: InputOptions

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Self:
        """The options as the command line hands them over."""
        own = {field.name: given[field.name] for field in fields(cls) if field.name in given}
        return cls(**own, input=given["columns"])

    @property
    def run(self) -> RunFile:
        """The run file given, or the one beside the release."""
        return RunFile.of_release(self.release, self.config)


def restore_run_method(run: RunFile, audit: AuditRecord | None) -> Method | None:
    """The method by the run file, where no audit record tells it."""
    from swapmeet.cli.parameters import choose_method

    is_known = audit is not None and audit.method is not None
    return None if is_known or "name" not in run.method else choose_method(None, {}, run.method)


def _assess_in_memory(options: AssessOptions, bar: Monitor) -> Scorecard:
    """The card of files that are read as a whole."""
    from swapmeet.assessing import assess
    from swapmeet.cli import source
    from swapmeet.measures.side_by_side.answers import read_queries
    from swapmeet.release.audit import AuditRecord

    limits, level = options.limits, options.level
    read = source.read(options.file, options.input, options.run, bar)
    released = source.read_release(options.release, read, bar)
    audit = None if options.audit is None else AuditRecord.load(options.audit)
    control = options.control and source.read_release(options.control, read, bar).frame
    baseline = options.baseline and source.read_release(options.baseline, read, bar).frame
    bar.stage("measuring")
    return assess(
        read.document.frame,
        released.frame,
        schema=read.schema,
        audit=audit,
        match=options.match,
        known=options.names_known,
        intruder=level,
        measures=options.measures,
        limits=limits,
        models=options.model or (),
        coverage=options.coverage or (),
        replicates=options.replicates,
        method=restore_run_method(options.run, audit) if options.coverage else None,
        pca=opt.split(options.pca),
        tables=[opt.split([text]) for text in options.table or ()],
        rare=options.rare or (),
        selectivity=opt.split_pairs(options.selectivity),
        queries=read_queries(options.queries) if options.queries else (),
        baseline=baseline,
        control=control,
        at_most=options.at_most,
        progress=bar,
    )


def _assess_in_pieces(options: AssessOptions, bar: Monitor) -> Scorecard:
    """The card of files that are not read as a whole."""
    from swapmeet.assessing import assess_with
    from swapmeet.cli.source import arguments_of_read, require_columns, update_schema
    from swapmeet.engines.files import MEMORY, Files
    from swapmeet.engines.files.opening import open_pair
    from swapmeet.engines.question import Question
    from swapmeet.io.place import open_file
    from swapmeet.measures.registry import split_measures

    given = [name for name in IN_MEMORY if getattr(options, name)]
    if given:
        raise UsageError(
            f"{flag(given[0])}: needs both tables in memory. Leave it out, or leave out --memory."
        )
    engine = Files(memory=options.memory or MEMORY, progress=bar)
    question = Question(
        audit=options.audit, match=options.match, known=options.names_known,
        measures=split_measures(options.measures), limits=options.limits, at_most=options.at_most,
        workers=engine.workers, level=options.level,
    )  # fmt: skip
    run, reading = options.run, arguments_of_read(options.input, options.run)
    require_columns(options.file, options.input, run)
    with (
        open_file(options.file, bar) as original,
        open_file(options.release, bar) as release,
        open_pair(original, release, **reading, workers=engine.workers) as (before, after),
    ):
        schema = update_schema(engine.infer(before).schema, options.input, run)
        return assess_with(engine, before, after, schema, question, "assess")
