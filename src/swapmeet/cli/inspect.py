"""swapmeet inspect: what is in a file, and what in it could give people away."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from swapmeet.cli import options as opt
from swapmeet.cli.output import Output, count, percent
from swapmeet.cli.progress import Bar

if TYPE_CHECKING:
    import typer

    from swapmeet.inspecting import Inspection, Uniqueness


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("inspect")(inspect_file)


def inspect_file(
    file: opt.Input,
    *,
    key: opt.Key = None,
    sensitive: opt.Sensitive = None,
    keep: opt.Keep = None,
    strata: opt.Strata = None,
    drop: opt.Drop = None,
    numeric: opt.Numeric = None,
    ordinal: opt.Ordinal = None,
    nominal: opt.Nominal = None,
    config: opt.Config = None,
    delimiter: opt.Delimiter = None,
    encoding: opt.Encoding = None,
    sheet: opt.Sheet = None,
    as_json: opt.Json = False,
    quiet: opt.Quiet = False,
    debug: opt.Debug = False,
) -> None:
    """Show a file's columns (kind, missing, distinct) and which of them single people out.

    Nothing is changed, and no value is shown: only names and counts.
    """
    from swapmeet.cli import source
    from swapmeet.inspecting import inspect

    given = dict(locals())
    output = Output(as_json, quiet)
    bar = Bar(wanted=output.for_people)
    with output.warnings_as_notes() as notes, bar.stage("reading and inspecting"):
        read = source.read(file, given)
        found = inspect(read.document.frame, read.schema)
    output.json({"file": str(file), **found.to_dict(), "notes": notes})
    _show(output, found)


def _show(output: Output, found: Inspection) -> None:
    output.line(f"{count(found.rows)} rows, {len(found.columns)} columns")
    output.heading("Columns")
    output.table(
        ["column", "kind", "role", "missing", "distinct", "why this kind"],
        [
            [c.name, c.kind, c.role, count(c.missing), count(c.distinct), c.reason]
            for c in found.columns
        ],
    )
    concerns = [f"{c.name}: {c.concern}" for c in found.columns if c.concern]
    if concerns:
        output.heading("Look at these")
        for concern in concerns:
            output.line(concern)
    if found.all_keys is None:
        return
    output.heading("Who stands out")
    rows = max(found.rows, 1)
    output.table(["key columns", "rows alone", "rows in groups of fewer than 5"], [
        _row(one, rows) for one in found.risky
    ])  # fmt: skip
    together = found.all_keys
    output.line(
        f"All {len(together.columns)} keys together single out {count(together.unique)} rows "
        f"({percent(together.unique / rows)}); looked at {found.looked_at} combinations of up to 3."
    )


def _row(one: Uniqueness, rows: int) -> list[Any]:
    return [
        ", ".join(one.columns),
        f"{count(one.unique)} ({percent(one.unique / rows)})",
        f"{count(one.small)} ({percent(one.small / rows)})",
    ]
