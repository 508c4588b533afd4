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
from swapmeet.tables.schema import Role

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


def _columns(what: str, panel: str) -> typer.models.OptionInfo:
    return typer.Option(help=what, metavar="NAMES", rich_help_panel=panel, show_default=False)


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
Key = Annotated[Names, _columns(Role.KEY.meaning, ROLES)]
Sensitive = Annotated[Names, _columns(Role.SENSITIVE.meaning, ROLES)]
Keep = Annotated[Names, _columns(Role.KEEP.meaning, ROLES)]
Strata = Annotated[Names, _columns(Role.STRATA.meaning, ROLES)]
Place = Annotated[Names, _columns(Role.PLACE.meaning, ROLES)]
Weight = Annotated[Names, _columns(Role.WEIGHT.meaning, ROLES)]
Position = Annotated[Names, _columns(Role.POSITION.meaning, ROLES)]
Household = Annotated[Names, _columns(Role.HOUSEHOLD.meaning, ROLES)]
Person = Annotated[Names, _columns(Role.PERSON.meaning, ROLES)]
WholeHouseholds = Annotated[
    bool | None,
    switch(
        "--whole-households",
        "Households trade as wholes, with those of the same size and positions: all members have "
        "the values of one household, column by column.",
        ROLES,
    ),
]
Drop = Annotated[Names, _columns(Role.DROP.meaning, ROLES)]
Publish = Annotated[
    Names,
    _columns("Publish it although it looks like a direct identifier; its role stays.", ROLES),
]
Together = Annotated[
    Names,
    typer.Option(help=SETS, metavar="NAMES", rich_help_panel=TIES, show_default=False),
]
Derive = Annotated[
    Names,
    typer.Option(help="A column that follows from others, such as 'total = a + b' or 'bmi = "
                      "weight / height ** 2'. It is computed anew from the released values. What "
                      "the original breaks is refused. More than one: repeat the option.",
                 metavar="TEXT", rich_help_panel=TIES, show_default=False),
]  # fmt: skip
Rule = Annotated[
    Names,
    typer.Option(help="A condition that every row obeys, such as 'age >= 18 or marital = "
                      "\"single\"'; rows that the method breaks are repaired. More than one: "
                      "repeat the option.",
                 metavar="TEXT", rich_help_panel=TIES, show_default=False),
]  # fmt: skip
Unrepaired = Annotated[
    str | None,
    typer.Option(help="Values of rows that break a rule and cannot be repaired: suppress, or "
                      "leave.",
                 metavar="HOW", rich_help_panel=TIES, show_default="suppress"),
]  # fmt: skip
Numeric = Annotated[Names, _columns("Numbers.", KINDS)]
Ordinal = Annotated[Names, _columns("Numbers or ordered categories; their order counts.", KINDS)]
Nominal = Annotated[Names, _columns("Categories without order.", KINDS)]
Missing = Annotated[
    Names,
    typer.Option(help="Codes that stand for a missing value, such as -9,99 in all columns or "
                      "income:-9,-8 in one. They move as they are, and count as missing.",
                 metavar="CODES", show_default=False, rich_help_panel=KINDS),
]  # fmt: skip
Recode = Annotated[
    Names,
    typer.Option(help="A step that runs before anything else, such as 'age: top 80' or 'birth: "
                      "month'. Others: 'income: round 1000', 'age: cut 0, 18, 65', 'job: suppress "
                      "rare 5', 'school: group primary, lower = low'. For more steps repeat the "
                      "option.",
                 metavar="STEP", show_default=False, rich_help_panel=PREPARING),
]  # fmt: skip
AsInspected = Annotated[
    bool,
    switch("--as-inspected", "Do all that swapmeet inspect proposes: roles, ties, codes for "
           "missing values, columns to leave out. What options or a run file say wins. The notes "
           "list what was done.", PREPARING),
]  # fmt: skip
Delimiter = Annotated[
    str | None,
    typer.Option(help="Field delimiter; 'tab' for a tab.", metavar="CHAR",
                 show_default="detected", rich_help_panel=READING),
]  # fmt: skip
Encoding = Annotated[
    str | None,
    typer.Option(help="Text encoding, such as utf-8 or cp1252.", metavar="NAME",
                 show_default="detected", rich_help_panel=READING),
]  # fmt: skip
Sheet = Annotated[
    str | None,
    typer.Option(help="Sheet of an Excel workbook.", metavar="NAME", show_default="the first",
                 rich_help_panel=READING),
]  # fmt: skip
Header = Annotated[
    bool | None,
    typer.Option("--header/--no-header",
                 help="Whether the first line of a text or an Excel sheet names the columns; "
                      "without, they are called column_1, column_2 and so on.",
                 metavar=FLAG, show_default="detected", rich_help_panel=READING),
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
