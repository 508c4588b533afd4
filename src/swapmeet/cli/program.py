"""The program and its commands. Each command loads what it needs when it runs."""

from __future__ import annotations

import typer

from swapmeet.cli import app as app_command
from swapmeet.cli import (
    assess,
    compare,
    demo,
    inspect,
    mask,
    measures,
    methods,
    plan,
    report,
    tune,
    warm_up,
)
from swapmeet.cli.help import HelpGroup
from swapmeet.cli.options import FLAG

EPILOG = (
    "First steps:\n\n"
    "swapmeet demo\n\n"
    "swapmeet inspect people.csv\n\n"
    "swapmeet mask people.csv release.csv --method matched-swap --k 10\n\n"
    "swapmeet tune people.csv --limit linkage=0.2 --budget 10m\n\n"
    "Exit codes: 0 done, 2 wrong usage, 3 bad input, 4 risk limit not met, 1 anything else."
)

app = typer.Typer(
    name="swapmeet",
    cls=HelpGroup,
    help="Publish a table about people: mask it by data swapping, and see what changed.",
    epilog=EPILOG,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (
    demo, inspect, plan, mask, assess, compare, tune, report, app_command, methods, measures,
    warm_up,
):  # fmt: skip
    command.add_to(app)


def _version(*, wanted: bool) -> None:
    if wanted:
        from swapmeet import __version__

        typer.echo(f"swapmeet {__version__}")
        raise typer.Exit


@app.callback()
def _common(
    *,
    version: bool = typer.Option(
        False, "--version", help="Show the version and exit.", metavar=FLAG,
        callback=lambda v: _version(wanted=v),
    ),
) -> None:  # fmt: skip
    """Options of the program itself."""
