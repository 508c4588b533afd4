"""swapmeet demo: mask a built-in table and see what happens."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from swapmeet.cli import options as opt
from swapmeet.cli.output import Output, count
from swapmeet.cli.progress import Bar
from swapmeet.cli.summary import changes_as_json, show_changes

if TYPE_CHECKING:
    from swapmeet.release import Release

DEFAULT = "swapmeet-demo.csv"


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("demo")(run_demo)


def run_demo(
    *,
    dataset: Annotated[
        str, typer.Option(help="One of fair, randhie, anes96, diabetes, breast_cancer.")
    ] = "fair",
    out: Annotated[
        Path | None,
        typer.Option(help="Where to write the release.", metavar="FILE",
                     show_default=f"{DEFAULT} here, replaced by each run"),
    ] = None,
    overwrite: opt.Overwrite = False,
    as_json: opt.Json = False,
    quiet: opt.Quiet = False,
    debug: opt.Debug = False,
) -> None:  # fmt: skip
    """Mask a built-in table of real people with RWN, show what moved, write the release."""
    from swapmeet import datasets, io
    from swapmeet.engines import Local
    from swapmeet.files import check_target
    from swapmeet.masking import mask
    from swapmeet.methods import RWN

    output, target = Output(as_json, quiet), out or Path(DEFAULT)
    replaced = overwrite or out is None
    io.format_of(target)
    check_target(target, overwrite=replaced)
    people, schema = datasets.load(dataset), datasets.schema(dataset)
    output.line(f"{dataset}: {datasets.DATASETS[dataset].description}")
    method = RWN(k=10, q=0.9, weights=0.1)
    bar = Bar(wanted=output.for_people)
    with output.warnings_as_notes() as notes, bar.stage("masking (the first run compiles)"):
        release = mask(people, method, schema=schema, engine=Local(progress=bar))
        io.write(target, release.shuffled(), overwrite=replaced)
    output.json({"release": str(target), "rows": len(people), "method": release.method,
                 "settings": release.settings, "columns": changes_as_json(release, schema),
                 "notes": notes})  # fmt: skip
    _tell(output, release)
    show_changes(output, release, schema, notes)
    output.line(f"release  {target} (rows in random order)")


def _tell(output: Output, release: Release) -> None:
    rows = count(len(release.audit.owner))
    settings = ", ".join(f"{name} = {release.settings[name]}" for name in ("k", "q", "weights"))
    output.line(
        f"Masked {rows} rows with RWN ({settings}): each value, with probability 0.9, becomes that "
        "of a random one of the 10 most similar people."
    )
