"""swapmeet assess: what an intruder can do with a release, and what an analyst loses."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from swapmeet.base.sentences import join_names
from swapmeet.cli import options as opt
from swapmeet.cli.card import describe_card, show_card
from swapmeet.cli.help import HelpCommand
from swapmeet.cli.monitor import BAR, open_monitor
from swapmeet.cli.output import Output
from swapmeet.cli.plan_options import lay_over, with_options
from swapmeet.cli.table_names import name_tables
from swapmeet.errors import LimitError
from swapmeet.io.place import Place, find_place
from swapmeet.measures.default_limits import ALL
from swapmeet.plan.plan import Plan
from swapmeet.plan.question import INTRUDER, Question

if TYPE_CHECKING:
    from swapmeet.measures.verdict import Verdict
    from swapmeet.methods import Method
    from swapmeet.release.audit import AuditRecord

Released = Annotated[
    Place,
    typer.Argument(help="The release, as it was or will be published.", metavar="RELEASE",
                   parser=find_place),
]  # fmt: skip
Audit = Annotated[
    Path | None,
    typer.Option(help="The audit record of the release: tells the true owner of each row.",
                 metavar="FILE", show_default=False, rich_help_panel=INTRUDER),
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
    app.command("assess", cls=HelpCommand.showing(COMMON))(
        with_options(assess_files, without=WITHOUT)
    )


def assess_files(
    file: opt.Input,
    release: Released,
    *,
    audit: Audit = None,
    question: Question,
    full: Full = False,
    memory: Memory = None,
    plan: Plan,
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
    from swapmeet.release.audit import AuditRecord
    from swapmeet.running.assessing import ask, ask_in_pieces
    from swapmeet.running.preparation import read_prepared, read_release

    run = Plan.beside(release, config)
    question = question.over(run.question)
    name_tables([file, release, *question.places], None)
    asked = question.ask(measures=(ALL,)) if full and not question.measures else question
    output = Output(as_json, quiet)
    with output.warnings_as_notes(), open_monitor(progress, quiet=quiet) as bar:
        bar.stage("reading")
        plan = lay_over(plan, run, file)
        if memory is None:
            prepared = read_prepared(plan, file, asked_by="assess", examine=False, progress=bar)
            released = read_release(release, prepared, bar)
            record = None if audit is None else AuditRecord.load(audit)
            method = restore_method(run, record) if question.coverage else None
            card = ask(asked, prepared, released.frame, audit=record, method=method, progress=bar)
        else:
            card = ask_in_pieces(
                plan, asked, file, release, audit=audit, memory=memory, progress=bar
            )
    verdict = card.verdict
    missed = [reason.measure for reason in verdict.reasons if not reason.met]
    output.json({**describe_card(card), "limits": dict(verdict.limits), "not met": missed})
    show_card(output, card, in_full=question.names_measured, whole=full or question.names_all)
    if not verdict.safe and not question.asks_for_figures_only(verdict):
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


def restore_method(run: Plan, audit: AuditRecord | None) -> Method | None:
    """The method by the run file, where no audit record tells it."""
    is_known = audit is not None and audit.method is not None
    return None if is_known or "name" not in run.method else run.make_method()
