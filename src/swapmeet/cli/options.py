"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from swapmeet.io.formats import all_titles, streaming_titles
from swapmeet.io.place import Place as TablePlace
from swapmeet.io.place import find_place
from swapmeet.plan.sections import OUTPUT, READING

METHOD = "Method and its parameters (more: swapmeet methods)"
STREAMED = streaming_titles("or")
"""The formats that `--memory` reads and writes piece by piece."""

FLAG = ""
"""What help shows as the type of a switch."""

Names = list[str] | None


def switch(declared: str, what: str, panel: str = OUTPUT) -> typer.models.OptionInfo:
    """An option that is given or not."""
    return typer.Option(
        *declared.split(), help=what, metavar=FLAG, rich_help_panel=panel, show_default=False
    )


DATABASES = "postgresql://USER@HOST/DATABASE#TABLE or sqlite:///FILE#TABLE"
Input = Annotated[
    TablePlace,
    typer.Argument(help=f"The table to read: {all_titles()}. Or a table of a database, "
                        f"{DATABASES}.",
                   metavar="FILE", parser=find_place),
]  # fmt: skip
OptionalInput = Annotated[
    TablePlace | None,
    typer.Argument(help=f"The table to read: {all_titles()}. Or a table of a database, "
                        f"{DATABASES}.",
                   metavar="FILE", parser=find_place, show_default=False),
]  # fmt: skip
Table = Annotated[
    Names,
    typer.Option("--table", help="The table of a database, where the address does not name it.",
                 metavar="NAME", show_default=False, rich_help_panel=READING),
]  # fmt: skip
Config = Annotated[
    Path | None,
    typer.Option(help="Run file with roles, kinds and method, as written beside each release; "
                      "options given here override it.",
                 metavar="TOML", show_default=False),
]  # fmt: skip
Json = Annotated[bool, switch("--json", "Print the results as JSON on standard output.")]
Progress = Annotated[
    str,
    typer.Option(help="How progress is shown: bar, in a terminal; or json, for programs that read "
                      "standard error, where a failure is then told as JSON, too.",
                 metavar="HOW", rich_help_panel=OUTPUT),
]  # fmt: skip
Quiet = Annotated[bool, switch("--quiet -q", "Print errors only.")]
Debug = Annotated[bool, switch("--debug", "Show where an error came from.")]
Overwrite = Annotated[bool, switch("--overwrite", "Replace existing output files.")]
