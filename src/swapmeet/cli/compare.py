"""swapmeet compare: two releases of one file, side by side."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from swapmeet.cli import assess as ask
from swapmeet.cli import options as opt
from swapmeet.cli.help import HelpCommand
from swapmeet.cli.monitor import BAR, Monitor, open_monitor
from swapmeet.cli.output import Output
from swapmeet.cli.plan_options import lay_over, with_options
from swapmeet.cli.table_names import name_tables
from swapmeet.errors import LimitError
from swapmeet.io.place import Place, find_place
from swapmeet.measures.default_limits import ALL, LOSSES
from swapmeet.plan.plan import Plan
from swapmeet.plan.question import INTRUDER, Question
from swapmeet.plan.sections import Prepare

if TYPE_CHECKING:
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
                 rich_help_panel=INTRUDER),
]  # fmt: skip
AuditB = Annotated[
    Path | None,
    typer.Option(help="The audit record of B.", metavar="FILE", show_default=False,
                 rich_help_panel=INTRUDER),
]  # fmt: skip
Full = Annotated[bool, opt.switch("--full", "Take and show all measures.")]
COMMON = "original audit_a audit_b match measure limit full as_json"
"""Options that many need."""


WITHOUT = f"{ask.WITHOUT} derive rule recode"
"""Options of masking that no measure asks for, and what the run files say."""
ASKS = "match known intruder measure limit at_most"


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    command = with_options(compare_files, without=WITHOUT, asks=ASKS)
    app.command("compare", cls=HelpCommand.showing(COMMON))(command)


def compare_files(
    a: ReleaseA,
    b: ReleaseB,
    *,
    original: Original,
    audit_a: AuditA = None,
    audit_b: AuditB = None,
    question: Question,
    full: Full = False,
    plan: Plan,
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
    runs = [Plan.beside(release, config) for release in (a, b)]
    question = question.over(runs[0].question)
    asked = question.ask(measures=(ALL,)) if full and not question.measures else question
    output = Output(as_json, quiet)
    with output.warnings_as_notes() as notes, open_monitor(progress, quiet=quiet) as bar:
        bar.stage("reading")
        pair = _compare(plan, asked, original, (a, b), runs, (audit_a, audit_b), bar)
    output.json({**pair.to_dict(), "warnings": notes})
    _show(output, pair, question, full=full)
    verdicts = [card.verdict for card in pair.cards]
    if not any(v.safe or question.asks_for_figures_only(v) for v in verdicts):
        raise LimitError(NEITHER)


def _compare(
    plan: Plan,
    question: Question,
    original: Place,
    releases: tuple[Place, Place],
    runs: list[Plan],
    audits: tuple[Path | None, Path | None],
    bar: Monitor,
) -> ReleasePair:
    """Both releases, read, and measured by one schema."""
    from swapmeet.release.audit import AuditRecord
    from swapmeet.running.comparing import compare, list_role_conflicts
    from swapmeet.running.preparation import prepare, read_prepared, read_release
    from swapmeet.tables.schema_union import unite_schemas

    said = [run for run in runs if run.columns] or [Plan()]
    plans = [replace(lay_over(plan, run, original), prepare=Prepare()) for run in said]
    read = read_prepared(plans[0], original, asked_by="compare", examine=False, progress=bar)
    schemas = [read.schema]
    if len(plans) > 1:
        other = prepare(plans[1], read.document, read.engine, asked_by="compare", examine=False)
        schemas.append(other.schema)
    first, second = (read_release(place, read, bar) for place in releases)
    one, two = (path and AuditRecord.load(path) for path in audits)
    bar.stage("measuring")
    pair = compare(
        read.original, first.frame, second.frame, names=(str(releases[0]), str(releases[1])),
        schema=unite_schemas(schemas[0], schemas[-1]), audits=(one or None, two or None),
        match=question.match, known=question.known, intruder=question.level,
        measures=question.measures, limits=question.limits, at_most=question.at_most, progress=bar,
        recodes=(runs[0].prepare.recode, runs[1].prepare.recode),
    )  # fmt: skip
    return replace(pair, notes=(*list_role_conflicts(schemas), *pair.notes))


def _show(output: Output, pair: ReleasePair, question: Question, *, full: bool) -> None:
    """The verdict of each, then whose figures are better, then columns."""
    from swapmeet.comparison.score import Family
    from swapmeet.measures import card_pair as text

    for verdict in text.list_verdicts(pair):
        output.prose(verdict)
    output.line()
    output.prose(pair.sentence)
    for note in pair.notes:
        output.prose(note, bullet="-")
    shown = _select(pair, question, full=full)
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


def _select(pair: ReleasePair, question: Question, *, full: bool) -> list[ScorePair]:
    """Select the measures with limits, those that were named, and the first losses; or all."""
    limits = (name for card in pair.cards for name in card.verdict.limits)
    chosen = {*limits, *question.names_measured, *LOSSES}
    return [one for name, one in pair.scores.items() if full or name in chosen]
