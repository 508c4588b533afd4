"""swapmeet tune: search methods and settings, and recommend one under limits."""

from __future__ import annotations

import shlex
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from swapmeet.cli import options as opt
from swapmeet.cli.help import HelpCommand
from swapmeet.cli.monitor import BAR, Monitor, open_monitor
from swapmeet.cli.output import Output, count
from swapmeet.cli.plan_options import lay_over, with_options
from swapmeet.cli.table_names import name_tables
from swapmeet.errors import LimitError, ParameterError, SwapmeetError
from swapmeet.measures.default_limits import DEFAULT_LIMITS, say_limits
from swapmeet.methods import METHODS
from swapmeet.plan.plan import Plan
from swapmeet.plan.question import Question, split
from swapmeet.plan.sections import OUTPUT

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from swapmeet.io.place import Place
    from swapmeet.tuning import Goal, Study
    from swapmeet.tuning.refusals import Refusal, RefusalListener

WHAT = "What is tried"
GOAL = "What is best"
EFFORT = "How much is tried"

Journal = Annotated[
    Path | None,
    typer.Option(help="Where each trial is recorded; a stopped search continues from this file.",
                 metavar="FILE", show_default="FILE.study.jsonl in this folder",
                 rich_help_panel=OUTPUT),
]  # fmt: skip
Methods = Annotated[
    opt.Names,
    typer.Option(help="Methods to try, optionally with values of their parameters, such as "
                      "matched-swap:k=5|10|25:by=near|tree.",
                 metavar="NAMES", show_default="all", rich_help_panel=WHAT),
]  # fmt: skip
GridName = Annotated[
    str | None,
    typer.Option("--grid", help="The grid of a paper: sjppds-paper, sjppds-paper-synthetic, "
                                "rwn-paper, rwn-paper-radii or rwn-paper-comparison. Those of the "
                                "SJPPDS paper bring its risk and loss.",
                 metavar="NAME", show_default=False, rich_help_panel=WHAT),
]  # fmt: skip
Limit = Annotated[
    opt.Names,
    typer.Option(help="A limit that the release must keep, such as linkage=0.2, on any measure, on "
                      "risk, loss or score, on a coefficient ('model:income ~ age:age=0.1') or on "
                      "a group of people ('rare:age > 80=0.2'). Replaces the default limits; "
                      "'none' for no limit.",
                 metavar="NAME=VALUE", show_default=say_limits(DEFAULT_LIMITS),
                 rich_help_panel=GOAL),
]  # fmt: skip
Risk = Annotated[
    opt.Names,
    typer.Option(help="Measures that make up the risk, optionally with weights: dbrl=2,rid.",
                 metavar="NAMES", show_default="linkage", rich_help_panel=GOAL),
]  # fmt: skip
Loss = Annotated[
    opt.Names,
    typer.Option(help="Measures that make up the loss, optionally with weights.",
                 metavar="NAMES", show_default="margins, relations, screened-propensity",
                 rich_help_panel=GOAL),
]  # fmt: skip
Balance = Annotated[
    float | None,
    typer.Option(help="Weigh risk against loss instead of looking for the least loss within the "
                      "limits: the weight of the risk, from 0 to 1; the loss has the rest.",
                 metavar="NUMBER", show_default="least loss within the limits",
                 rich_help_panel=GOAL),
]  # fmt: skip
Spent = Annotated[
    str | None,
    typer.Option("--budget", help="Search instead of trying everything: a time such as 90s, 10m or "
                                  "2h, or a number of trials.",
                 metavar="TIME", show_default="try everything", rich_help_panel=EFFORT),
]  # fmt: skip
Repeats = Annotated[
    int, typer.Option(help="How many times a setting is tried at most.", metavar="INT",
                      rich_help_panel=EFFORT)
]  # fmt: skip
FinalRepeats = Annotated[
    int, typer.Option(help="How many times the leaders are tried at most, until they can "
                           "be told apart.",
                      metavar="INT", rich_help_panel=EFFORT)
]  # fmt: skip
Measured = Annotated[
    opt.Names,
    typer.Option("--measure", help="Measures besides those of goal and limits; 'all' for all.",
                 metavar="NAMES", show_default="a few that cost little",
                 rich_help_panel=EFFORT),
]  # fmt: skip
Processes = Annotated[
    int | None,
    typer.Option("--workers", help="Number of processes that work at the same time.", metavar="INT",
                 show_default="all cores", rich_help_panel=EFFORT),
]  # fmt: skip
Fresh = Annotated[
    bool, opt.switch("--fresh", "Start over, even if there is a journal already.", OUTPUT)
]
COMMON = (
    "budget methods limit key sensitive keep drop weight household missing derive workers journal"
)
"""Options that many need."""


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("tune", cls=HelpCommand.showing(COMMON))(
        with_options(tune_file, asks="known intruder at_most")
    )


def tune_file(
    file: opt.Input,
    *,
    methods: Methods = None,
    grid: GridName = None,
    limit: Limit = None,
    risk: Risk = None,
    loss: Loss = None,
    balance: Balance = None,
    budget: Spent = None,
    repeats: Repeats = 5,
    final_repeats: FinalRepeats = 20,
    measure: Measured = None,
    workers: Processes = None,
    question: Question,
    plan: Plan,
    config: opt.Config = None,
    table: opt.Table = None,
    journal: Journal = None,
    fresh: Fresh = False,
    as_json: opt.Json = False,
    progress: opt.Progress = BAR,
    quiet: opt.Quiet = False,
    debug: opt.Debug = False,
) -> None:
    """Try methods and settings on FILE, and recommend one that keeps the limits.

    The best setting loses least among those that keep all limits, measured in full. Every trial
    masks the table with a seed of its own, measures the release against the truth, and throws it
    away. Ctrl-C stops the search and keeps the trials made so far.
    """
    from swapmeet.cli.study_summary import show_study
    from swapmeet.measures.limits import parse_limits
    from swapmeet.running.preparation import read_prepared
    from swapmeet.tuning import tune
    from swapmeet.tuning.budget import Budget

    (file,) = name_tables([file], table)
    output, path = Output(as_json, quiet), journal or Path(f"{file.stem}.study.jsonl")
    limits, goal = parse_limits(_split(limit)), _goal(risk, loss, balance, grid)
    spent = None if budget is None else Budget.of(budget)
    begin, refused = time.monotonic(), set[str]()
    with output.warnings_as_notes() as notes, open_monitor(progress, quiet=quiet) as bar:
        bar.stage("reading")
        plan = lay_over(plan, Plan.load(config), file)
        question = question.over(plan.question)
        if limits is None and question.limits is not None:
            limits = dict(question.limits)
        read = read_prepared(plan, file, asked_by="tune", progress=bar)
        read.require()
        read.warn_of_untied()
        study = tune(
            read,
            _methods(methods),
            limit=limits,
            goal=goal,
            grid=grid,
            budget=spent,
            repeats=repeats,
            final_repeats=final_repeats,
            measures=_measures(measure),
            known=question.known,
            intruder=question.intruder,
            journal=path,
            fresh=fresh,
            at_most=question.at_most,
            workers=workers,
            progress=bar,
            on_refusals=_list_refusals(output, bar, refused),
        )
    notes = [*read.remarks, *notes]
    output.json({"journal": str(path), "notes": notes, **study.to_dict()})
    if limits is None:
        output.prose(f"No limit was given, so the default ones count: {say_limits(study.limits)}.")
    show_study(output, study, seconds=time.monotonic() - begin, known=refused)
    for note in notes:
        output.prose(note, bullet="-")
    _end(output, study, path, file)


def _methods(texts: list[str] | None) -> list[str] | None:
    """Methods with their values; a comma belongs to a value unless a method follows it."""
    methods: list[str] = []
    for text in texts or ():
        own: list[str] = []
        for part in split([text]):
            if own and ":" in own[-1] and part.partition(":")[0] not in METHODS:
                own[-1] += f",{part}"
            else:
                own.append(part)
        methods += own
    return methods or None


def _goal(
    risk: list[str] | None, loss: list[str] | None, balance: float | None, grid: str | None
) -> Goal:
    """Return the goal: what was named, and the grid's goal for the rest."""
    from swapmeet.tuning import Goal
    from swapmeet.tuning.presets import find_goal

    usual = find_goal(grid)
    named = _weights(risk, "--risk") or usual.risk, _weights(loss, "--loss") or usual.loss
    return Goal(*named, usual.balance if balance is None else balance)


def _weights(texts: list[str] | None, option: str) -> dict[str, float]:
    weights = {}
    for text in _split(texts):
        name, sign, number = _part_weight(text)
        try:
            weights[name] = float(number) if sign else 1.0
        except ValueError:
            raise ParameterError(
                f"{option}: write NAME or NAME=WEIGHT, such as dbrl=2; got {text!r}."
            ) from None
    return weights


def _split(texts: list[str] | None) -> list[str]:
    """Names separated by commas; an analysis or a group stands alone, with commas of its own."""
    from swapmeet.measures.analyses import is_analysis

    return [
        part
        for text in texts or ()
        for part in ([text.strip()] if is_analysis(text.strip()) else split([text]))
    ]


def _part_weight(text: str) -> tuple[str, str, str]:
    """A name, and its weight if there is one; a condition may have an equals sign of its own."""
    from swapmeet.measures.analyses import find_analysis, is_analysis

    if not is_analysis(text):
        name, sign, number = (part.strip() for part in text.partition("="))
        return name, sign, number
    name, sign, number = (part.strip() for part in text.rpartition("="))
    try:
        find_analysis(name)
    except ParameterError:
        return text, "", ""
    return name, sign, number


def _measures(texts: list[str] | None) -> Iterable[str] | None:
    from swapmeet.measures.registry import MEASURES

    names = _split(texts)
    return list(MEASURES) if "all" in names else names or None


def _list_refusals(output: Output, bar: Monitor, known: set[str]) -> RefusalListener:
    """Show what cannot be tried as soon as it is known, and remember the reasons."""

    def show(refusals: Sequence[Refusal]) -> None:
        known.update(refusal.reason for refusal in refusals)
        with bar.pause():
            output.prose("Cannot be tried on this table:")
            for refusal in refusals:
                output.prose(refusal.sentence, bullet="-")
                bar.note(f"Cannot be tried: {refusal.sentence}")
            output.line()
            sys.stdout.flush()

    return show


def _end(output: Output, study: Study, path: Path, file: Place) -> None:
    """The recommendation, and the commands that come next."""
    from swapmeet.cli.study_summary import show_recommendation

    show_recommendation(output, study)
    output.line(f"journal   {path}  (the same command continues from it)")
    if study.interrupted:
        made = count(len(study.trials))
        raise SwapmeetError(
            f"stopped. The {made} trials so far are kept in {path}; "
            "run the same command to continue."
        )
    if study.choice.best is None:
        text = "no setting is recommended; see above."
        raise LimitError(text if output.for_people else " ".join(study.choice.sentences))
    table, journal = shlex.quote(str(file)), shlex.quote(str(path))
    output.line(f"release   swapmeet mask {table} OUT --from {journal} --audit AUDIT")
    output.line(f"report    swapmeet report REPORT.html --study {journal}")
