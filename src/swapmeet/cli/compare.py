"""swapmeet compare: two releases of one file, side by side."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Self

import typer

from swapmeet.cli import assess as ask
from swapmeet.cli import options as opt
from swapmeet.cli.help import Command
from swapmeet.cli.input_options import InputOptions, with_input
from swapmeet.cli.measure_options import MeasureOptions
from swapmeet.cli.monitor import BAR, Monitor, open_monitor
from swapmeet.cli.output import Output
from swapmeet.cli.table_names import name_tables
from swapmeet.errors import LimitError
from swapmeet.io.place import Place, find_place
from swapmeet.measures.default_limits import LOSSES
from swapmeet.runs.run_file import RunFile
from swapmeet.tables.schema import Schema

if TYPE_CHECKING:
    from collections.abc import Mapping

    from swapmeet.measures.card_pair import ReleasePair, ScorePair

NEITHER = "neither release keeps the limits."
NO_OWNERS = (
    "How much of each column changed is known with the audit records only (--audit-a, --audit-b), "
    "or by --match."
)

ReleaseA = Annotated[
    Place, typer.Argument(help="A release of the file.", metavar="A", parser=find_place)
]
ReleaseB = Annotated[
    Place, typer.Argument(help="Another release of it.", metavar="B", parser=find_place)
]
Original = Annotated[
    Place,
    typer.Option(help="The file that both were made of.", metavar="FILE", show_default=False,
                 parser=find_place),
]  # fmt: skip
AuditA = Annotated[
    Path | None,
    typer.Option(help="The audit record of A.", metavar="FILE", show_default=False,
                 rich_help_panel=opt.INTRUDER),
]  # fmt: skip
AuditB = Annotated[
    Path | None,
    typer.Option(help="The audit record of B.", metavar="FILE", show_default=False,
                 rich_help_panel=opt.INTRUDER),
]  # fmt: skip
Full = Annotated[bool, opt.switch("--full", "Take and show all measures.")]
COMMON = "original audit_a audit_b match measure limit full as_json"
"""Options that many need."""


WITHOUT = f"{ask.WITHOUT} derive rule recode"
"""Options of masking that no measure asks for, and what the run files say."""


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("compare", cls=Command.showing(COMMON))(with_input(compare_files, without=WITHOUT))


def compare_files(
    a: ReleaseA,
    b: ReleaseB,
    *,
    original: Original,
    audit_a: AuditA = None,
    audit_b: AuditB = None,
    match: ask.Match = "unknown",
    known: opt.Known = None,
    intruder: opt.Intruder = "keys",
    measure: ask.Measures = None,
    limit: ask.Limit = None,
    at_most: opt.AtMost = 20_000,
    full: Full = False,
    columns: InputOptions,
    config: opt.Config = None,
    as_json: opt.Json = False,
    progress: opt.Progress = BAR,
    quiet: opt.Quiet = False,
    debug: opt.Debug = False,
) -> None:
    """Compare two releases of one file: the verdict of each, whose figures are better, and columns.

    Both are judged alike. Roles and kinds come from the run files beside the releases; where these
    differ, the more cautious role counts for both. The exit code is 4 if neither keeps the limits.
    """
    name_tables([a, b, original], None)
    options = CompareOptions.of(locals())
    output = Output(as_json, quiet)
    with output.warnings_as_notes() as notes, open_monitor(progress, quiet=quiet) as bar:
        bar.stage("reading")
        pair = _compare(options, bar)
    output.json({**pair.to_dict(), "warnings": notes})
    _show(output, pair, options)
    verdicts = [card.verdict for card in pair.cards]
    if not any(v.safe or options.asks_for_figures_only(v) for v in verdicts):
        raise LimitError(NEITHER)


@dataclass(frozen=True, kw_only=True)
class CompareOptions(MeasureOptions):
    """The options that a user typed; `input` is how to read the files."""

    a: Place
    b: Place
    original: Place
    audit_a: Path | None
    audit_b: Path | None
    match: str
    at_most: int | None
    config: Path | None
    input: InputOptions

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Self:
        """The options as the command line hands them over."""
        own = {field.name: given[field.name] for field in fields(cls) if field.name in given}
        return cls(**own, input=given["columns"])


def _compare(options: CompareOptions, bar: Monitor) -> ReleasePair:
    """Both releases, read, and measured by one schema."""
    from swapmeet.cli import source
    from swapmeet.comparing import compare, list_role_conflicts
    from swapmeet.release.audit import AuditRecord
    from swapmeet.tables.frame import Table
    from swapmeet.tables.schema_guess import reconsider_kinds
    from swapmeet.tables.schema_union import unite_schemas

    runs = _find_runs(options)
    read = source.read(options.original, options.input, runs[0], bar)
    guessed = Schema.guess(read.document.frame, read.document.kinds)
    drafts = [source.update_schema(guessed, options.input, run) for run in runs]
    schemas = [reconsider_kinds(schema, Table.of(read.document.frame)) for schema in drafts]
    first, second = (source.read_release(p, read, bar) for p in (options.a, options.b))
    one, two = (p and AuditRecord.load(p) for p in (options.audit_a, options.audit_b))
    bar.stage("measuring")
    pair = compare(
        read.document.frame, first.frame, second.frame, names=(str(options.a), str(options.b)),
        schema=unite_schemas(schemas[0], schemas[-1]), audits=(one or None, two or None),
        match=options.match, known=options.names_known, intruder=options.level,
        measures=options.measures, limits=options.limits, at_most=options.at_most, progress=bar,
        recodes=_find_steps(options, runs),
    )  # fmt: skip
    return replace(pair, notes=(*list_role_conflicts(schemas), *pair.notes))


def _find_runs(options: CompareOptions) -> list[RunFile]:
    """The run file given, or those beside the releases, or an empty one."""
    if options.config is not None:
        return [RunFile.load(options.config)]
    beside = [RunFile.find_beside(release) for release in (options.a, options.b)]
    return [RunFile.load(path) for path in beside if path is not None] or [RunFile()]


def _find_steps(options: CompareOptions, runs: list[RunFile]) -> tuple[list[str], list[str]]:
    """The steps that each release was recoded by, as its run file tells."""
    if options.config is not None:
        return runs[0].recodes, runs[0].recodes
    one, two = (RunFile.of_release(release, None).recodes for release in (options.a, options.b))
    return one, two


def _show(output: Output, pair: ReleasePair, options: CompareOptions) -> None:
    """The verdict of each, then whose figures are better, then columns."""
    from swapmeet.comparison.score import Family
    from swapmeet.measures import card_pair as text

    for verdict in text.list_verdicts(pair):
        output.prose(verdict)
    output.line()
    output.prose(pair.sentence)
    for note in pair.notes:
        output.prose(note, bullet="-")
    shown = _select(pair, options)
    for family in Family:
        own = [one for one in shown if one.either.family is family]
        if own:
            output.heading(f"Measures of {'loss' if family is Family.UTILITY else family}")
            output.table(text.SCORES, text.list_scores(own))
    if text.has_overlap(shown):
        output.prose(text.OVERLAP)
    columns = text.list_columns(pair)
    if columns:
        output.heading("Columns")
        output.table(text.COLUMNS, columns)
    if not all(card.facts and card.facts.same_rows is not None for card in pair.cards):
        output.line()
        output.prose(NO_OWNERS)
    if pair.cards[0].left_out:
        output.line()
        output.prose(f"--full takes {pair.cards[0].left_out} more measures.")
    output.line()


def _select(pair: ReleasePair, options: CompareOptions) -> list[ScorePair]:
    """Select the measures with limits, those that were named, and the first losses; or all."""
    limits = (name for card in pair.cards for name in card.verdict.limits)
    chosen = {*limits, *options.names_measured, *LOSSES}
    return [one for name, one in pair.scores.items() if options.full or name in chosen]
