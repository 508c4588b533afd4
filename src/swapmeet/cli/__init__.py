"""The command line. Importing it is cheap; each command loads what it needs when it runs."""

from __future__ import annotations

import sys
import traceback

import typer

from swapmeet.cli import demo, inspect, mask, methods
from swapmeet.errors import SwapmeetError

EPILOG = (
    "First steps: swapmeet demo · swapmeet inspect people.csv · "
    "swapmeet mask people.csv release.csv --method rwn --k 10"
)

app = typer.Typer(
    name="swapmeet",
    help="Publish a table about people: mask it by data swapping, and see what changed.",
    epilog=EPILOG,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (demo, inspect, mask, methods):
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
        False, "--version", help="Show the version and stop.", callback=lambda v: _version(wanted=v)
    ),
) -> None:
    """Options of the program itself."""


def main() -> None:
    """Run the command line; turn refusals into one message and an exit code."""
    try:
        app()
    except SwapmeetError as error:
        _fail(f"error: {error}", error.exit_code)
    except MemoryError:
        _fail("error: not enough memory for this table.", 1)
    except Exception as error:  # noqa: BLE001
        _fail(
            f"error: something unforeseen happened ({type(error).__name__}). "
            "Run the command again with --debug and report what it shows.",
            1,
        )


def _fail(message: str, code: int) -> None:
    if "--debug" in sys.argv:
        traceback.print_exc()
    typer.echo(message, err=True)
    sys.exit(code)
