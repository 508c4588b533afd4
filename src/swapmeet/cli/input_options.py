"""Options of all commands that read a table."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, fields
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any, Self, get_type_hints

import typer

from swapmeet.cli import options as opt
from swapmeet.cli.options import Names, switch
from swapmeet.tables.role import Role
from swapmeet.tables.roles import Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

READING = ("delimiter", "encoding", "sheet", "header")
TIES = ("together", "derive", "rule", "unrepaired")
TABULATOR = ("tab", "\\t")
"""How people write a tab where a shell would swallow it."""


def _columns(what: str, panel: str = opt.ROLES) -> typer.models.OptionInfo:
    return typer.Option(help=what, metavar="NAMES", rich_help_panel=panel, show_default=False)


@dataclass(frozen=True, kw_only=True)
class InputOptions:
    """The options of a command on how to read a file and on the roles and kinds of its columns.

    A field is the declaration of its option: commands that take all of these, or all but a few, get
    them by `with_input`.
    """

    key: Annotated[Names, _columns(Role.KEY.meaning)] = None
    sensitive: Annotated[Names, _columns(Role.SENSITIVE.meaning)] = None
    keep: Annotated[Names, _columns(Role.KEEP.meaning)] = None
    place: Annotated[Names, _columns(Role.PLACE.meaning)] = None
    weight: Annotated[Names, _columns(Role.WEIGHT.meaning)] = None
    strata: Annotated[Names, _columns(Role.STRATA.meaning)] = None
    position: Annotated[Names, _columns(Role.POSITION.meaning)] = None
    household: Annotated[Names, _columns(Role.HOUSEHOLD.meaning)] = None
    whole_households: Annotated[
        bool | None,
        switch(
            "--whole-households",
            "Households trade as wholes, with those of the same size and positions: all members "
            "have the values of one household, column by column.",
            opt.ROLES,
        ),
    ] = None  # fmt: skip
    person: Annotated[Names, _columns(Role.PERSON.meaning)] = None
    drop: Annotated[Names, _columns(Role.DROP.meaning)] = None
    publish: Annotated[
        Names,
        _columns("Publish it although it looks like a direct identifier; its role stays."),
    ] = None  # fmt: skip
    together: Annotated[
        Names,
        typer.Option(help=opt.SETS, metavar="NAMES", rich_help_panel=opt.TIES, show_default=False),
    ] = None  # fmt: skip
    derive: Annotated[
        Names,
        typer.Option(help="A column that follows from others, such as 'total = a + b' or 'bmi = "
                          "weight / height ** 2'. It is computed anew from the released values. "
                          "What the original breaks is refused. More than one: repeat the option.",
                     metavar="TEXT", rich_help_panel=opt.TIES, show_default=False),
    ] = None  # fmt: skip
    rule: Annotated[
        Names,
        typer.Option(help="A condition that every row obeys, such as 'age >= 18 or marital = "
                          "\"single\"'; rows that the method breaks are repaired. More than one: "
                          "repeat the option.",
                     metavar="TEXT", rich_help_panel=opt.TIES, show_default=False),
    ] = None  # fmt: skip
    unrepaired: Annotated[
        str | None,
        typer.Option(help="Values of rows that break a rule and cannot be repaired: suppress, or "
                          "leave.",
                     metavar="HOW", rich_help_panel=opt.TIES, show_default="suppress"),
    ] = None  # fmt: skip
    numeric: Annotated[Names, _columns("Numbers.", opt.KINDS)] = None
    ordinal: Annotated[
        Names, _columns("Numbers or ordered categories; their order counts.", opt.KINDS)
    ] = None
    nominal: Annotated[Names, _columns("Categories without order.", opt.KINDS)] = None
    missing: Annotated[
        Names,
        typer.Option(help="Codes that stand for a missing value, such as -9,99 in all columns or "
                          "income:-9,-8 in one. They move as they are, and count as missing.",
                     metavar="CODES", show_default=False, rich_help_panel=opt.KINDS),
    ] = None  # fmt: skip
    recode: Annotated[
        Names,
        typer.Option(help="A step that runs before anything else, such as 'age: top 80' or 'birth: "
                          "month'. Others: 'income: round 1000', 'age: cut 0, 18, 65', 'job: "
                          "suppress rare 5', 'school: group primary, lower = low'. For more steps "
                          "repeat the option.",
                     metavar="STEP", show_default=False, rich_help_panel=opt.PREPARING),
    ] = None  # fmt: skip
    as_inspected: Annotated[
        bool,
        switch("--as-inspected", "Do all that swapmeet inspect proposes: roles, ties, codes for "
               "missing values, columns to leave out. What options or a run file say wins. The "
               "notes list what was done.", opt.PREPARING),
    ] = False  # fmt: skip
    delimiter: Annotated[
        str | None,
        typer.Option(help="Field delimiter; 'tab' for a tab.", metavar="CHAR",
                     show_default="detected", rich_help_panel=opt.READING),
    ] = None  # fmt: skip
    encoding: Annotated[
        str | None,
        typer.Option(help="Text encoding, such as utf-8 or cp1252.", metavar="NAME",
                     show_default="detected", rich_help_panel=opt.READING),
    ] = None  # fmt: skip
    sheet: Annotated[
        str | None,
        typer.Option(help="Sheet of an Excel workbook.", metavar="NAME", show_default="the first",
                     rich_help_panel=opt.READING),
    ] = None  # fmt: skip
    header: Annotated[
        bool | None,
        typer.Option("--header/--no-header",
                     help="Whether the first line of a text or an Excel sheet names the columns; "
                          "without, they are called column_1, column_2 and so on.",
                     metavar=opt.FLAG, show_default="detected", rich_help_panel=opt.READING),
    ] = None  # fmt: skip

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Self:
        """Pick them from the options of a command."""
        return cls(**{f.name: given[f.name] for f in fields(cls) if f.name in given})

    @property
    def reading(self) -> dict[str, Any]:
        """The way to read the file, where the user said so."""
        given = {name: getattr(self, name) for name in READING if getattr(self, name) is not None}
        if given.get("delimiter") in TABULATOR:
            given["delimiter"] = "\t"
        return given

    @property
    def assigned(self) -> dict[str, Any]:
        """The texts that give columns a role or kind, or publish them, where some were given."""
        return {name: getattr(self, name) for name in ASSIGNED if getattr(self, name)}

    @property
    def ties(self) -> dict[str, Any]:
        """The ties between columns, where the user said so."""
        return {name: getattr(self, name) for name in TIES if getattr(self, name)}

    def list_words(self) -> list[str]:
        """The options as they are typed, for another command."""
        words: list[str] = []
        for field in fields(self):
            given, option = getattr(self, field.name), f"--{field.name.replace('_', '-')}"
            if given is True:
                words.append(option)
            elif given is False and field.default is None:
                words.append(f"--no-{field.name}")
            elif given:
                texts = [given] if isinstance(given, str) else given
                words += [word for text in texts for word in (option, text)]
        return words

    def list_named(self, names: Collection[str]) -> set[str]:
        """The columns that are given a role, or are to be published all the same."""
        texts = [text for role in (*Role, "publish") for text in getattr(self, role, None) or ()]
        return {name for text in texts for name in split_names(text, names)}


def split_names(text: str, names: Collection[str]) -> list[str]:
    """Names separated by commas; a column whose own name has a comma is taken whole."""
    if text in names:
        return [text]
    parts = text.split(",")
    return [
        part if part in names else part.strip() for part in parts if part.strip() or part in names
    ]


ASSIGNED = tuple(
    field.name
    for field in fields(InputOptions)
    if field.name in Settings.__annotations__
    and field.name not in {*TIES, "missing", "whole_households", "recode"}
)


def list_options(command: Callable[..., None], *, without: str = "") -> list[inspect.Parameter]:
    """List the parameters of a command; these options stand where it takes them as one."""
    left_out, declared = without.split(), get_type_hints(InputOptions, include_extras=True)
    shared = [
        inspect.Parameter(
            field.name, inspect.Parameter.KEYWORD_ONLY, default=field.default,
            annotation=declared[field.name],
        )
        for field in fields(InputOptions)
        if field.name not in left_out
    ]  # fmt: skip
    own = inspect.signature(command, eval_str=True).parameters.values()
    return [one for mine in own for one in (shared if mine.annotation is InputOptions else [mine])]


def with_input(command: Callable[..., None], *, without: str = "") -> Callable[..., None]:
    """Give a command these options, but for a few, in place of the parameter that takes them."""
    own = inspect.signature(command, eval_str=True).parameters.values()
    taken = next(one.name for one in own if one.annotation is InputOptions)
    names = [one.name for one in own if one.name != taken]

    @wraps(command)
    def call(**given: Any) -> None:
        command(**{name: given[name] for name in names}, **{taken: InputOptions.of(given)})

    parameters = list_options(command, without=without)
    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    call.__annotations__ = {one.name: one.annotation for one in parameters}
    return call
