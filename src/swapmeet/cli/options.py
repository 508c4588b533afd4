"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

from swapmeet.errors import ParameterError
from swapmeet.io.formats import all_titles, streaming_titles
from swapmeet.io.place import Place as TablePlace
from swapmeet.io.place import find_place

METHOD = "Method and its parameters (more: swapmeet methods)"
ROLES = "Roles of columns (separate names by commas, or repeat the option)"
KINDS = "Kinds of columns (where the guess is wrong)"
PREPARING = "Preparing the table"
TIES = "Columns that belong together"
SETS = (
    "Columns that move as one, such as weight,height: in each row they come from one donor. More "
    "sets: repeat the option."
)
PROTECTING = "Protection of single people"
READING = "Input format"
ORDER = "Order of the rows"
OUTPUT = "Output"
INTRUDER = "What the intruder knows"

STREAMED = streaming_titles("or")
"""The formats that `--memory` reads and writes piece by piece."""

FLAG = ""
"""What help shows as the type of a switch."""

Names = list[str] | None


def split(texts: Iterable[str] | None) -> list[str]:
    """The names in an option that may be repeated, and may list several separated by commas.

    >>> split(["age, sex", "region"]), split(None)
    (['age', 'sex', 'region'], [])
    """
    return [part.strip() for text in texts or () for part in text.split(",") if part.strip()]


def split_pairs(texts: Iterable[str] | None) -> list[tuple[Any, ...]]:
    """The pairs in such an option; other columns to select by may follow, with how much of each.

    >>> split_pairs(["occupation:age, sex:region"])
    [('occupation', 'age'), ('sex', 'region')]
    >>> split_pairs(["occupation:age:race=3|sex=2"])
    [('occupation', 'age', {'race': 3.0, 'sex': 2.0})]
    """
    return [_pair(text) for text in split(texts)]


def _pair(text: str) -> tuple[Any, ...]:
    counted, selected, others, *_ = (part.strip() for part in (*text.split(":", 2), "", ""))
    try:
        if not (counted and selected):
            raise ValueError
        sizes = [pair.rpartition("=") for pair in others.split("|")] if others else []
        counts = {name.strip(): float(number) for name, _, number in sizes}
        if not all(name and 0.0 < size < float("inf") for name, size in counts.items()):
            raise ValueError
    except ValueError:
        raise ParameterError(
            "--selectivity: write COUNTED:SELECTED, such as occupation:age, or with others to "
            f"select by, such as occupation:age:race=3|sex=2; got {text!r}."
        ) from None
    return (counted, selected, counts) if counts else (counted, selected)


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
Known = Annotated[
    Names,
    typer.Option(help="Columns that the intruder knows.", metavar="NAMES",
                 show_default="all masked columns", rich_help_panel=INTRUDER),
]  # fmt: skip
Intruder = Annotated[
    str,
    typer.Option(help="Whom the intruder of the verdict knows the keys of: 'target', the person "
                      "sought; 'keys', everybody; or 'everything', which is everything of "
                      "everybody.",
                 metavar="HOW", rich_help_panel=INTRUDER),
]  # fmt: skip
AtMost = Annotated[
    int,
    typer.Option(help="Link at most this many rows, drawn at random, with all others.",
                 metavar="INT", rich_help_panel=INTRUDER, min=1),
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
