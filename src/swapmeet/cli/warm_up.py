"""swapmeet warm-up: compile everything once, for images and administrators."""

from __future__ import annotations

from typing import Annotated

import typer

from swapmeet.cli import options as opt
from swapmeet.cli.help import HelpCommand
from swapmeet.cli.monitor import BAR, open_monitor
from swapmeet.cli.output import Output

Processes = Annotated[
    int | None,
    typer.Option("--workers", help="Number of processes that compile at the same time.",
                 metavar="INT", show_default="all cores", min=1),
]  # fmt: skip


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("warm-up", cls=HelpCommand)(compile_all)


def compile_all(
    *,
    workers: Processes = None,
    as_json: opt.Json = False,
    progress: opt.Progress = BAR,
    quiet: opt.Quiet = False,
    debug: opt.Debug = False,
) -> None:
    """Compile the code of all methods and measures, so that nobody has to wait for it later.

    Machine code is kept in your cache folder (XDG_CACHE_HOME, or the one that NUMBA_CACHE_DIR
    names) for this processor and these versions of Python and numba.
    """
    from swapmeet.base.jit import find_kernel_folder
    from swapmeet.warming import warm_up

    output, folder = Output(as_json, quiet), find_kernel_folder()
    with open_monitor(progress, quiet=quiet) as bar:
        jobs = warm_up(workers=workers, progress=bar)
    kernels = 0 if folder is None else len([*folder.glob("*.kernel")])
    output.json({"folder": folder and str(folder), "kernels": kernels, "jobs": jobs})
    if folder is None:
        output.prose("Nothing was kept: there is no cache folder that only you can write to.")
    else:
        output.prose(f"Everything is compiled: {kernels} loops are kept in {folder}.")
