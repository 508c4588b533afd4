"""swapmeet app: protect a file in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from swapmeet.base.extras import require_library
from swapmeet.cli import options as opt
from swapmeet.cli.help import HelpCommand

NEEDED = ("starlette", "uvicorn", "python_multipart", "jinja2", "matplotlib", "optuna")


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("app", cls=HelpCommand)(serve)


def serve(
    *,
    port: Annotated[
        int | None,
        typer.Option(help="The port of this machine to serve at.", metavar="INT",
                     show_default="8417, or any that is free"),
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option(help="The private folder that keeps open files and candidates until they are "
                          "closed.",
                     metavar="FOLDER", show_default="one of your own"),
    ] = None,
    browser: Annotated[
        bool,
        typer.Option("--browser/--no-browser", help="Open the page in the browser.",
                     metavar=opt.FLAG, show_default="open it"),
    ] = True,
    debug: opt.Debug = False,
) -> None:  # fmt: skip
    """Protect a file in the browser, step by step, on this machine only.

    Opens a page that only you can see: it is served to this machine, and only to the browser that
    was given the link. Ctrl-C stops it; files that are open, and their candidates, are kept until
    you close them.
    """
    for library in NEEDED:
        require_library(library, "the app", plural=False)
    from swapmeet.app.server import run_app

    run_app(port=port, folder=folder, browser=browser, tell=typer.echo)
