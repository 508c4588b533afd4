"""swapmeet inspect: what is in a file, and what in it could give people away."""

from __future__ import annotations

import shlex
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from swapmeet.cli import options as opt
from swapmeet.cli.closer_look import look_closer
from swapmeet.cli.help import Command
from swapmeet.cli.input_options import InputOptions
from swapmeet.cli.monitor import BAR, open_monitor
from swapmeet.cli.output import Output
from swapmeet.cli.table_names import name_tables
from swapmeet.core.tables.role import Role
from swapmeet.inspecting import inspection_text as text
from swapmeet.inspecting.findings import list_options
from swapmeet.ties.finding import Finding, write_option

if TYPE_CHECKING:
    from swapmeet.cli.source import ReadFile
    from swapmeet.inspecting.table import ColumnFacts, Inspection, Uniqueness
    from swapmeet.io import Document
    from swapmeet.io.place import Place

LOOK = "A closer look"
CrowdingOf = Annotated[
    str | None,
    typer.Option(help="How large neighbourhoods of rwn or nbrs with these parameters are, and how "
                      "isolated rows, such as k=5:eps=0.2 or nbrs:eps=0.5.",
                 metavar="SETTING", show_default=False, rich_help_panel=LOOK),
]  # fmt: skip
WidthsOf = Annotated[
    opt.Names,
    typer.Option(help="The widths of these columns at which mews leaves nobody alone in a cell.",
                 metavar="NAMES", show_default=False, rich_help_panel=LOOK),
]  # fmt: skip
COMMON = "key sensitive keep drop weight household person numeric nominal missing as_json"
"""Options that many need."""


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("inspect", cls=Command.showing(COMMON))(inspect_file)


def inspect_file(
    file: opt.Input,
    *,
    key: opt.Key = None,
    sensitive: opt.Sensitive = None,
    keep: opt.Keep = None,
    place: opt.Place = None,
    weight: opt.Weight = None,
    strata: opt.Strata = None,
    position: opt.Position = None,
    household: opt.Household = None,
    person: opt.Person = None,
    drop: opt.Drop = None,
    numeric: opt.Numeric = None,
    ordinal: opt.Ordinal = None,
    nominal: opt.Nominal = None,
    missing: opt.Missing = None,
    crowding: CrowdingOf = None,
    widths: WidthsOf = None,
    config: opt.Config = None,
    delimiter: opt.Delimiter = None,
    encoding: opt.Encoding = None,
    sheet: opt.Sheet = None,
    table: opt.Table = None,
    header: opt.Header = None,
    as_json: opt.Json = False,
    progress: opt.Progress = BAR,
    quiet: opt.Quiet = False,
    debug: opt.Debug = False,
) -> None:
    """Show a file's columns (kind, missing, distinct) and which of them single people out.

    Nothing is changed, and no value is shown: only names and counts.
    """
    options = InputOptions.of(locals())
    from swapmeet.cli import source
    from swapmeet.inspecting.table import inspect
    from swapmeet.runs.run_file import RunFile

    output = Output(as_json, quiet)
    (file,) = name_tables([file], table)
    with output.warnings_as_notes() as notes, open_monitor(progress, quiet=quiet) as bar:
        bar.stage("reading")
        read = source.read(file, options, RunFile.load(config), bar)
        bar.stage("inspecting")
        found = inspect(
            read.document.frame, read.schema, labels=read.document.labels,
            titles=read.document.column_labels, progress=bar,
        )  # fmt: skip
        found = _add_weight(found, read)
        closer = look_closer(read.document.frame, read.schema, crowding, opt.split(widths))
    output.json({
        "file": str(file), **_describe_file(file, read.document), **found.to_dict(),
        "columns": _describe_columns(found, read.document), **closer.to_dict(), "notes": notes,
    })  # fmt: skip
    _show(output, found, notes)
    closer.show(output)
    _suggest(output, file, found)


def _describe_file(file: Place, document: Document) -> dict[str, Any]:
    """The format, and how the file was read."""
    from swapmeet.io.code_book import describe_reading
    from swapmeet.io.place import name_format

    return {"format": name_format(file), "reading": describe_reading(document)}


def _describe_columns(found: Inspection, document: Document) -> list[dict[str, Any]]:
    """What was found of each column, and what the file tells of it."""
    from swapmeet.io.code_book import describe_columns

    told = describe_columns(document)
    return [{**asdict(column), **told[column.name]} for column in found.columns]


def _add_weight(found: Inspection, read: ReadFile) -> Inspection:
    """With the weight that the file itself names, before all that is guessed."""
    name = read.document.weight
    if name is None or read.schema[name].role in {Role.WEIGHT, Role.DROP}:
        return found
    named = Finding(
        about="the weight of the rows",
        columns=(name,),
        reason="the file says so",
        rows=found.rows,
        options=write_option("--weight", [name]),
    )
    others = (
        one for one in found.findings if "--weight" not in one.options and name not in one.columns
    )
    return replace(found, findings=(named, *others))


def _show(output: Output, found: Inspection, notes: list[str]) -> None:
    output.prose(text.describe_size(found))
    output.heading("Columns")
    output.table(text.COLUMNS, list(map(text.list_cells, found.columns)))
    concerns = [*text.list_concerns(found), *notes]
    if concerns:
        output.heading("Check these columns")
    for concern in concerns:
        output.prose(concern, bullet="-")
    if found.findings:
        output.heading("What columns seem to be")
    for one in found.findings:
        output.prose(one.sentence, bullet="-")
        if one.options:
            output.line(f"  {one.command}")
    for note in found.notes:
        output.prose(note)
    if found.all_keys is not None and found.rows:
        _show_keys(output, found, found.all_keys)


def _show_keys(output: Output, found: Inspection, together: Uniqueness) -> None:
    output.heading("Rows that stand out")
    if found.risky:
        output.table(text.KEYS, [text.list_figures(one, found.rows) for one in found.risky])
    output.prose(text.describe_keys(found, together))


def _suggest(output: Output, file: Place, found: Inspection) -> None:
    """The command that comes next, with what was found, and what looks identifying left out."""
    named = {name for one in found.findings if one.options for name in one.columns}
    drop = [
        column.name
        for column in found.columns
        if column.role == "drop" or _looks_identifying(column, named)
    ]
    command = [
        "swapmeet",
        "mask",
        str(file),
        _name_release(file),
        "--method",
        "matched-swap",
        *list_options(found.findings, drop),
    ]
    output.heading("Next")
    output.line(shlex.join(command))


def _looks_identifying(column: ColumnFacts, named: set[str]) -> bool:
    return bool(column.concern) and column.role == "key" and column.name not in named


def _name_release(file: Place) -> str:
    """A table of the same database, or a file of the same format where such can be written."""
    from swapmeet.io.database import DatabaseTable
    from swapmeet.io.formats import format_at

    if isinstance(file, DatabaseTable):
        return str(file.beside("release"))
    kind, suffix = format_at(file), file.suffix.lower()
    if not kind.can_write:
        return "release.csv"
    return f"release{suffix if suffix in kind.suffixes else kind.suffixes[0]}"
