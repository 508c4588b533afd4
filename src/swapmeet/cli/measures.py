"""swapmeet measures: the measures, what they ask and how to read them."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Annotated, Any

import typer

from swapmeet.cli import options as opt
from swapmeet.cli.help import HelpCommand
from swapmeet.cli.output import Output

if TYPE_CHECKING:
    from swapmeet.measures.base import Measure


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("measures", cls=HelpCommand)(list_measures)


def list_measures(
    name: Annotated[
        str | None, typer.Argument(help="Explain only this measure.", metavar="NAME")
    ] = None,
    *,
    as_json: opt.Json = False,
    quiet: opt.Quiet = False,
    debug: opt.Debug = False,
) -> None:
    """List the measures of risk and utility, or explain one."""
    from swapmeet.comparison.score import Family
    from swapmeet.measures.registry import MEASURES, find

    output = Output(as_json, quiet)
    if name:
        measure = find(name)
        output.json({"measures": [_describe(measure)]})
        _explain(output, measure)
        return
    output.json({"measures": [_describe(m) for m in MEASURES.values()]})
    for family in Family:
        output.heading(str(family).capitalize())
        output.table(
            ["measure", "better", "question"],
            [[m.name, str(m.direction), m.question] for m in MEASURES.values()
             if m.family is family],
        )  # fmt: skip


def _explain(output: Output, measure: type[Measure]) -> None:
    output.heading(f"{measure.name}: {measure.question}")
    text = inspect.cleandoc(measure.__doc__ or "").partition(">>>")[0]
    for paragraph in text.split("\n\n"):
        output.prose(" ".join(paragraph.split()))
    low, high = measure.bounds
    output.prose(f"{str(measure.direction).capitalize()} is better; from {low:g} to {high:g}.")
    for parameter in measure.parameters():
        output.prose(
            f"{parameter.name}: {parameter.meaning}; must {parameter.domain.rule}"
            + ("." if parameter.default is None else f" (default {parameter.default})."),
            bullet="-",
        )


def _describe(measure: type[Measure]) -> dict[str, Any]:
    low, high = measure.bounds
    return {
        "name": measure.name,
        "question": measure.question,
        "better": str(measure.direction),
        "bounds": [low, None if high == float("inf") else high],
        "parameters": [
            {"name": p.name, "must": p.domain.rule, "default": p.default, "meaning": p.meaning}
            for p in measure.parameters()
        ],
    }
