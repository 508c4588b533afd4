"""swapmeet assess: what an intruder can do with a release, and what an analyst loses."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Self

import typer

from swapmeet.cli import options as opt
from swapmeet.cli.card import figure, show_card
from swapmeet.cli.help import Command
from swapmeet.cli.input_options import InputOptions
from swapmeet.cli.output import Output
from swapmeet.cli.parameters import flag
from swapmeet.cli.progress import Bar
from swapmeet.cli.runfile import RunFile
from swapmeet.errors import LimitError, ParameterError, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from swapmeet.measures.score import Score
    from swapmeet.measures.scorecard import Scorecard

WHAT = "What is measured"
IN_MEMORY = ("model", "pca", "table", "rare")
"""What needs both tables in memory."""

Released = Annotated[
    Path, typer.Argument(help="The release, as it was or will be published.", metavar="RELEASE")
]
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
                                   "as in queries:target=illness.",
                 metavar="NAMES", show_default="all", rich_help_panel=WHAT),
]  # fmt: skip
Limit = Annotated[
    opt.Names,
    typer.Option(help="A limit, such as dbrl=0.2: exit code 4 if it is not met.",
                 metavar="NAME=VALUE", show_default=False, rich_help_panel=WHAT),
]  # fmt: skip
Model = Annotated[
    opt.Names,
    typer.Option(help="A linear model to fit to both files, such as 'wage ~ age + C(sex)'.",
                 metavar="FORMULA", show_default=False, rich_help_panel=WHAT),
]  # fmt: skip
Components = Annotated[
    opt.Names,
    typer.Option("--pca", help="Columns whose principal components to compare.",
                 metavar="NAMES", show_default=False, rich_help_panel=WHAT),
]  # fmt: skip
Tables = Annotated[
    opt.Names,
    typer.Option("--table", help="Columns to tabulate in both files; repeat for more tables.",
                 metavar="NAMES", show_default=False, rich_help_panel=WHAT),
]  # fmt: skip
Rare = Annotated[
    opt.Names,
    typer.Option(help="A condition whose rows to follow, such as 'sex = \"f\" and age < 31'.",
                 metavar="CONDITION", show_default=False, rich_help_panel=WHAT),
]  # fmt: skip

Memory = Annotated[
    str | None,
    typer.Option(help=f"Assess {opt.STREAMED} files piece by piece in this memory, such as 4GB.",
                 metavar="SIZE", show_default="as much as both tables need"),
]  # fmt: skip


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("assess", cls=Command)(assess_files)


def assess_files(
    file: opt.Input,
    release: Released,
    *,
    audit: Audit = None,
    match: Match = "unknown",
    known: opt.Known = None,
    measure: Measures = None,
    limit: Limit = None,
    model: Model = None,
    pca: Components = None,
    table: Tables = None,
    rare: Rare = None,
    at_most: opt.AtMost = 20_000,
    memory: Memory = None,
    key: opt.Key = None,
    sensitive: opt.Sensitive = None,
    keep: opt.Keep = None,
    strata: opt.Strata = None,
    drop: opt.Drop = None,
    numeric: opt.Numeric = None,
    ordinal: opt.Ordinal = None,
    nominal: opt.Nominal = None,
    config: opt.Config = None,
    delimiter: opt.Delimiter = None,
    encoding: opt.Encoding = None,
    sheet: opt.Sheet = None,
    as_json: opt.Json = False,
    quiet: opt.Quiet = False,
    debug: opt.Debug = False,
) -> None:
    """Measure the risk and the loss of RELEASE, which was made of FILE.

    Roles and kinds come from the run file beside the release, if there is one. No value is shown,
    only names and figures.
    """
    options = AssessOptions.of(locals())
    output = Output(as_json, quiet)
    limits = _limits(limit)
    with output.warnings_as_notes(), Bar(wanted=not output.quiet) as bar:
        bar.stage("reading")
        assess_them = _assess_in_memory if memory is None else _assess_in_pieces
        card = assess_them(options, _measures(measure, limits), bar)
    missed = card.beyond(limits)
    output.json({**card.to_dict(), "limits": limits, "not met": list(missed)})
    show_card(output, card, limits)
    if missed:
        raise LimitError("\n".join(_missed(score, limits[name]) for name, score in missed.items()))


@dataclass(frozen=True, kw_only=True)
class AssessOptions:
    """What a user asked for; `input` is how to read both files."""

    file: Path
    release: Path
    audit: Path | None
    match: str
    known: list[str] | None
    model: list[str] | None
    pca: list[str] | None
    table: list[str] | None
    rare: list[str] | None
    at_most: int | None
    memory: str | None
    config: Path | None
    input: InputOptions

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Self:
        """The options as the command line hands them over."""
        own = {field.name: given[field.name] for field in fields(cls) if field.name in given}
        return cls(**own, input=InputOptions.of(given))

    @property
    def names_known(self) -> list[str] | None:
        """The columns that the intruder knows, if they were named."""
        return None if self.known is None else opt.split(self.known)

    @property
    def run(self) -> RunFile:
        """The run file given, or the one beside the release."""
        return RunFile.of_release(self.release, self.config)


def _assess_in_memory(options: AssessOptions, measures: list[str] | None, bar: Bar) -> Scorecard:
    """The card of files that are read as a whole."""
    from swapmeet import io
    from swapmeet.assessing import assess
    from swapmeet.cli import source
    from swapmeet.core.release.audit import AuditRecord

    read = source.read(options.file, options.input, options.run, bar)
    released = io.read(options.release, **read.run.input, progress=bar)
    audit = None if options.audit is None else AuditRecord.load(options.audit)
    bar.stage("measuring")
    return assess(
        read.document.frame,
        released.frame,
        schema=read.schema,
        audit=audit,
        match=options.match,
        known=options.names_known,
        measures=measures,
        models=options.model or (),
        pca=opt.split(options.pca),
        tables=[opt.split([text]) for text in options.table or ()],
        rare=options.rare or (),
        at_most=options.at_most,
        progress=bar,
    )


def _assess_in_pieces(options: AssessOptions, measures: list[str] | None, bar: Bar) -> Scorecard:
    """The card of files that are not read as a whole."""
    from swapmeet.assessing import Question, assess_with
    from swapmeet.cli.source import reading_of, update_schema
    from swapmeet.engines.files import MEMORY, Files
    from swapmeet.engines.files.opening import open_pair

    given = [name for name in IN_MEMORY if getattr(options, name)]
    if given:
        raise UsageError(
            f"{flag(given[0])}: needs both tables in memory. Leave it out, or leave out --memory."
        )
    engine = Files(memory=options.memory or MEMORY, progress=bar)
    question = Question(
        audit=options.audit, match=options.match, known=options.names_known, measures=measures,
        at_most=options.at_most, workers=engine.workers,
    )  # fmt: skip
    run, reading = options.run, reading_of(options.input, options.run)
    with open_pair(options.file, options.release, **reading, workers=engine.workers) as (
        before,
        after,
    ):
        schema = update_schema(engine.infer(before).schema, options.input, run)
        return assess_with(engine, before, after, schema, question, "assess")


def _missed(score: Score, limit: float) -> str:
    found = "not defined here" if score.undefined else f"{figure(score.value)}"
    return f"limit not met: {score.measure} is {found}, the limit is {figure(limit)}."


def _limits(texts: list[str] | None) -> dict[str, float]:
    from swapmeet.measures.limits import SUMMARIES, parse_limits

    limits = parse_limits(opt.split(texts))
    summaries = [name for name in limits if name in SUMMARIES]
    if summaries:
        raise ParameterError(
            f"limit: {', '.join(summaries)}: what a search makes of several measures. "
            "Limit the measures themselves."
        )
    return limits


def _measures(asked: list[str] | None, limits: dict[str, float]) -> list[str] | None:
    """The measures asked for, and those that a limit needs; None are all."""
    if not asked:
        return None
    named = {text.partition(":")[0].strip(): text for text in opt.split(asked)}
    return list(({name: name for name in limits} | named).values())
