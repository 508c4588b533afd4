"""swapmeet plan: what a run file says, whether it would run, and what it may say at all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from swapmeet.cli import options as opt
from swapmeet.cli.help import HelpCommand
from swapmeet.cli.monitor import BAR, open_monitor
from swapmeet.cli.output import Output
from swapmeet.errors import SwapmeetError, UsageError
from swapmeet.plan.plan import Plan

if TYPE_CHECKING:
    from swapmeet.running.job import Job

RunFile = Annotated[
    Path | None,
    typer.Argument(help="The run file, as written beside each release or by mask --dry-run.",
                   metavar="[TOML]", show_default=False),
]  # fmt: skip
Schema = Annotated[
    bool,
    opt.switch("--schema", "Print the JSON schema of run files, from which editors complete and "
               "check them."),
]  # fmt: skip


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("plan", cls=HelpCommand)(show_plan)


def show_plan(
    run_file: RunFile = None,
    file: opt.OptionalInput = None,
    *,
    schema: Schema = False,
    as_json: opt.Json = False,
    progress: opt.Progress = BAR,
    quiet: opt.Quiet = False,
    debug: opt.Debug = False,
) -> None:
    """Check a run file, and show the plan that would run on FILE; nothing is masked or written.

    Without FILE, the table is the one that the run file names, if it names one; otherwise only what
    the run file itself says is checked. `swapmeet mask --config TOML` carries it out.
    """
    from swapmeet.running.job import Job

    if schema:
        from swapmeet.plan.json_schema import make_json_schema

        typer.echo(json.dumps(make_json_schema(), indent=2))
        return
    if run_file is None:
        raise UsageError("which plan? Give a run file, or --schema.")
    output, plan = Output(as_json, quiet), Plan.load(run_file)
    with output.warnings_as_notes() as notes, open_monitor(progress, quiet=quiet) as bar:
        plan, refusal = _try_out(Job(plan=plan, source=file, progress=bar))
    show_trial(output, plan, refusal, notes)


def _try_out(job: Job) -> tuple[Plan, SwapmeetError | None]:
    if job.source is None and job.plan.input.file is None:
        job.check()
        return job.plan, None
    return job.find_refusal()


def show_trial(output: Output, plan: Plan, refusal: SwapmeetError | None, notes: list[str]) -> None:
    """Show what would run and what must be said; what would be refused ends with its code."""
    output.json({"plan": plan.to_dict(), "refusal": refusal and str(refusal), "notes": notes})
    for line in plan.to_toml().rstrip().splitlines():
        output.line(line)
    output.line()
    for note in notes:
        output.prose(f"# {note}")
    if refusal is not None:
        raise refusal
    output.prose("# Nothing would be refused, as far as can be told before masking.")
