"""swapmeet methods: the masking methods and their parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from swapmeet.cli import options as opt
from swapmeet.cli.help import HelpCommand
from swapmeet.cli.output import Output

if TYPE_CHECKING:
    from swapmeet.base.params import Parameter
    from swapmeet.methods import Method


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("methods", cls=HelpCommand)(list_methods)


def list_methods(
    name: Annotated[
        str | None, typer.Argument(help="Show only this method.", metavar="NAME")
    ] = None,
    *,
    as_json: opt.Json = False,
    quiet: opt.Quiet = False,
    debug: opt.Debug = False,
) -> None:
    """List the masking methods, what they do and what their parameters mean."""
    from swapmeet.methods import METHODS, find

    output = Output(as_json, quiet)
    shown = [find(name)] if name else list(METHODS.values())
    output.json({"methods": [_described(method) for method in shown]})
    for method in shown:
        _show(output, method)


def _show(output: Output, method: type[Method]) -> None:
    from swapmeet.cli.parameters import PARTS, flag, on_command_line

    output.heading(f"{method.name}: {method.summary}")
    if method.leaves:
        output.prose(method.leaves)
    parameters = on_command_line(method)
    if parameters:
        output.table(
            ["option", "must", "default", "meaning"],
            [[flag(p.name), p.domain.rule, _default(p), p.meaning] for p in parameters],
        )
        tried = [f"{p.name} {', '.join(map(str, p.tries))}" for p in parameters if p.tries]
        if tried:
            output.prose(f"A search tries {'; '.join(tried)}.")
        for parameter in (p for p in method.parameters() if p.in_python_only):
            output.prose(f"In Python only, and not in run files: `{parameter.name}`, "
                         f"{parameter.meaning}.")  # fmt: skip
        return
    output.prose("It has no options; a run file (--config) lists its parts:")
    output.line()
    for line in PARTS.splitlines():
        output.line(f"    {line}" if line else "")


def _described(method: type[Method]) -> dict[str, Any]:
    return {
        "name": method.name,
        "summary": method.summary,
        "leaves": method.leaves,
        "parameters": [
            {
                "name": p.name,
                "must": p.domain.rule,
                "default": None if p.required else p.default,
                "required": p.required,
                "meaning": p.meaning,
                "tries": list(p.tries),
            }
            for p in method.parameters()
        ],
    }


def _default(parameter: Parameter) -> str:
    if parameter.required:
        return "required"
    return "–" if parameter.default is None else str(parameter.default)
