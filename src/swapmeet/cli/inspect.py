"""swapmeet inspect: what is in a file, and what in it could give people away."""

from __future__ import annotations

import shlex
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from swapmeet.cli import options as opt
from swapmeet.cli.figures import figure
from swapmeet.cli.help import HelpCommand
from swapmeet.cli.monitor import BAR, open_monitor
from swapmeet.cli.output import Output, count
from swapmeet.cli.plan_options import lay_over, with_options
from swapmeet.cli.table_names import name_tables
from swapmeet.errors import ParameterError
from swapmeet.inspecting import inspection_text as text
from swapmeet.plan.plan import Plan
from swapmeet.plan.question import split
from swapmeet.tables.frame import Frame, Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from swapmeet.inspecting.neighborhoods import Crowding
    from swapmeet.inspecting.table import Inspection, KeyUniqueness
    from swapmeet.inspecting.widths import WidthProposals
    from swapmeet.io import Document
    from swapmeet.io.place import Place
    from swapmeet.methods import Method
    from swapmeet.running.preparation import Prepared
    from swapmeet.tables.schema import Schema


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
WITHOUT = "whole_households publish together derive rule unrepaired recode as_inspected"
"""Options that change nothing of what is looked at."""


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("inspect", cls=HelpCommand.showing(COMMON))(
        with_options(inspect_file, without=WITHOUT)
    )


def inspect_file(
    file: opt.Input,
    *,
    plan: Plan,
    crowding: CrowdingOf = None,
    widths: WidthsOf = None,
    config: opt.Config = None,
    table: opt.Table = None,
    as_json: opt.Json = False,
    progress: opt.Progress = BAR,
    quiet: opt.Quiet = False,
    debug: opt.Debug = False,
) -> None:
    """Show a file's columns (kind, missing, distinct) and which of them single people out.

    Nothing is changed, and no value is shown: only names and counts.
    """
    from swapmeet.inspecting.table import look_at
    from swapmeet.running.preparation import read_again, read_prepared

    output = Output(as_json, quiet)
    (file,) = name_tables([file], table)
    with output.warnings_as_notes() as notes, open_monitor(progress, quiet=quiet) as bar:
        bar.stage("reading")
        whole = lay_over(plan, Plan.load(config), file)
        read = read_prepared(
            whole, file, asked_by="inspect", examine=False, weigh=False, progress=bar
        )
        assert read.document is not None
        bar.stage("inspecting")
        inspection = look_at(read.data, read.schema, document=read.document, progress=bar)
        again = read_again(read.plan, read.document, read.schema, inspection.findings)
        if again is not None:
            more = look_at(Table.of(again.document.frame), again.schema, document=again.document)
            inspection = replace(inspection, findings=again.join(more.findings))
        closer = look_closer(read.document.frame, read.schema, crowding, split(widths))
    output.json({
        "file": str(file), **_describe_file(file, read.document), **inspection.to_dict(),
        "columns": _describe_columns(inspection, read.document), **closer.to_dict(), "notes": notes,
    })  # fmt: skip
    _show(output, inspection, notes)
    closer.show(output)
    _suggest(output, file, read, inspection, [*plan.list_words(), *_name_config(config)])


def _describe_file(file: Place, document: Document) -> dict[str, Any]:
    """The format, and how the file was read."""
    from swapmeet.io.code_book import describe_reading
    from swapmeet.io.place import name_format

    return {"format": name_format(file), "reading": describe_reading(document)}


def _describe_columns(inspection: Inspection, document: Document) -> list[dict[str, Any]]:
    """Describe what was found about each column, and what the file says about it."""
    from swapmeet.io.code_book import describe_columns

    facts = describe_columns(document)
    return [{**asdict(column), **facts[column.name]} for column in inspection.columns]


def _show(output: Output, inspection: Inspection, notes: list[str]) -> None:
    output.prose(text.describe_size(inspection))
    output.heading("Columns")
    output.table(text.COLUMNS, list(map(text.list_cells, inspection.columns)))
    concerns = [*text.list_concerns(inspection), *notes]
    if concerns:
        output.heading("Check these columns")
    for concern in concerns:
        output.prose(concern, bullet="-")
    if inspection.findings:
        output.heading("What columns seem to be")
    for one in inspection.findings:
        output.prose(one.sentence, bullet="-")
        if one.options:
            output.line(f"  {one.command}")
    for note in inspection.notes:
        output.prose(note)
    if inspection.all_keys is not None and inspection.rows:
        _show_keys(output, inspection, inspection.all_keys)


def _show_keys(output: Output, inspection: Inspection, together: KeyUniqueness) -> None:
    output.heading("Rows that stand out")
    if inspection.risky:
        output.table(
            text.KEYS, [text.list_figures(one, inspection.rows) for one in inspection.risky]
        )
    output.prose(text.describe_keys(inspection, together))


def _suggest(
    output: Output,
    file: Place,
    read: Prepared,
    inspection: Inspection,
    said: Sequence[str],
) -> None:
    """Show the command that comes next: what was said, and what was found besides."""
    from swapmeet.inspecting.proposal import Proposal
    from swapmeet.methods import MatchedSwap

    proposal = Proposal.of(inspection.findings, read.schema, read.plan.named)
    output.heading("Next")
    masked = proposal.apply(read.schema, read.original).masked
    if not masked or inspection.rows < 2:
        output.prose(
            "Nothing is left to mask: it takes two rows, and a column that is not left out or kept."
        )
        return
    few = ["--k", str(max(2, inspection.rows // 2))] if inspection.rows < MatchedSwap().k else []
    command = ["swapmeet", "mask", str(file), _name_release(file), "--method", "matched-swap",
               *few, *said, *proposal.options]  # fmt: skip
    output.line(shlex.join(command))


def _name_config(config: Path | None) -> list[str]:
    return ["--config", str(config)] if config else []


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


LINES = 8
"""At most so many lines are shown of a distribution."""
WIDEST = 8
"""At most so many proposals of widths are shown, narrowest first."""


@dataclass(frozen=True, kw_only=True)
class CloserLook:
    """A closer look, if ordered: how crowded the table is, and which widths leave nobody alone."""

    crowding: Crowding | None = None
    widths: WidthProposals | None = None

    def to_dict(self) -> dict[str, Any]:
        """For machines; what was not asked for is not there."""
        content: dict[str, Any] = {}
        if self.crowding is not None:
            content["crowding"] = self.crowding.to_dict()
        if self.widths is not None:
            content["widths"] = asdict(self.widths)
        return content

    def show(self, output: Output) -> None:
        """For people."""
        if self.crowding is not None:
            _show_crowding(output, self.crowding)
        if self.widths is not None:
            _show_widths(output, self.widths)


def look_closer(
    frame: Frame, schema: Schema, setting: str | None, columns: Sequence[str]
) -> CloserLook:
    """Look at what was ordered: neighbourhoods of rwn or nbrs, widths of columns for mews."""
    from swapmeet.inspecting.neighborhoods import crowding
    from swapmeet.inspecting.widths import propose_widths

    method = None if setting is None else _parse_setting(setting)
    return CloserLook(
        crowding=None if method is None else crowding(frame, method, schema=schema),
        widths=propose_widths(frame, columns, schema=schema) if columns else None,
    )


def _parse_setting(setting: str) -> Method:
    """The method of a text such as k=5:eps=0.2, for rwn, or nbrs:eps=0.5."""
    from swapmeet.methods import METHODS, RWN, make

    parts = [part.strip() for part in setting.split(":") if part.strip()]
    name = parts.pop(0) if parts and parts[0] in METHODS else RWN.name
    pairs = [part.partition("=") for part in parts]
    if not all(sign and value.strip() for _, sign, value in pairs):
        raise ParameterError("--crowding: write NAME=VALUE, such as k=5:eps=0.2 or nbrs:eps=0.5.")
    return make(name, {key.strip(): value.strip() for key, _, value in pairs})


def _show_crowding(output: Output, crowding: Crowding) -> None:
    smallest = f"k = {crowding.k}, " if crowding.k else ""
    output.heading(f"Neighbourhoods with {smallest}eps = {crowding.eps:g}")
    by_size = [sum(row) for row in crowding.counts]
    by_distance = [sum(column) for column in zip(*crowding.counts, strict=True)]
    output.table(["rows in the neighbourhood", "people"], _list_bins(crowding.size_edges, by_size))
    output.line()
    output.table(
        ["distance to the closest row", "people"], _list_bins(crowding.distance_edges, by_distance)
    )
    if crowding.farthest_counts:
        output.line()
        by_radius = _list_bins(crowding.farthest_edges, crowding.farthest_counts)
        output.table(["distance to the farthest neighbour", "people"], by_radius)
    if crowding.left_out:
        output.prose(
            f"{count(crowding.left_out)} of {count(crowding.rows)} people are in groups of fewer "
            f"than {crowding.least} with the same size and distance, and not shown."
        )


def _list_bins(edges: Sequence[float], counts: Sequence[int]) -> list[list[str]]:
    """Neighbouring bins together, where there are many; bins without people are left out.

    >>> _list_bins([2.0, 4.0], [5, 0, 7])
    [['below 2', '5'], ['4 and more', '7']]
    """
    step = max(-(-len(counts) // LINES), 1)
    rows = []
    for first in range(0, len(counts), step):
        people = sum(counts[first : first + step])
        if people:
            rows.append([_say_bin(edges, first, min(first + step, len(counts))), count(people)])
    return rows


def _say_bin(edges: Sequence[float], first: int, last: int) -> str:
    """From which to below which figure; the outermost bins are open."""
    if not edges:
        return "the same for all"
    if first == 0:
        return f"below {figure(edges[last - 1])}"
    low = figure(edges[first - 1])
    return f"{low} and more" if last > len(edges) else f"{low} to {figure(edges[last - 1])}"


def _show_widths(output: Output, widths: WidthProposals) -> None:
    output.heading("Widths for mews at which no row is alone in its cell")
    if not widths.proposals:
        output.prose("There are none up to half of each column's range. Name fewer columns.")
        return
    names = list(widths.proposals[0].width)
    output.table(
        [*names, "share of the range", "cells", "smallest cell"],
        [
            [*(figure(p.width[name]) for name in names), figure(p.share), count(p.degree),
             count(p.minimal_depth)]
            for p in widths.proposals[:WIDEST]
        ],
    )  # fmt: skip
    if len(widths.proposals) > WIDEST:
        output.prose(f"The narrowest {WIDEST} of {len(widths.proposals)}; --json has all.")
