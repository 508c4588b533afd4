"""A page for every command, from the options that the command line declares."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

import typer

from swapmeet.cli.parameters import PREFIX
from swapmeet.cli.program import EPILOG, app

if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER = "reference/commands"
METHOD_OPTIONS = (
    "Each [method](../methods/index.md) has its own parameters as options, which its page lists; "
    "so does `swapmeet {name} --method NAME --help`."
)
MARKS = {"\\[": "[", "\n": " ", "|": "\\|", "*": "\\*"}
"""Marks of the terminal, and of Markdown, in a cell of a table."""


def list_commands() -> dict[str, Any]:
    """The commands by name, in the order of the help."""
    return dict(typer.main.get_command(app).commands)  # type: ignore[attr-defined]


def make_command_pages() -> dict[str, str]:
    """The pages of all commands, and the list of them."""
    commands = list_commands()
    pages = {f"{FOLDER}/{name}.md": make_page(name, one) for name, one in commands.items()}
    rows = [f"| [`swapmeet {name}`]({name}.md) | {_first_line(one.help)} |"
            for name, one in commands.items()]  # fmt: skip
    codes = EPILOG.rpartition("\n\n")[2]
    text = ["# Commands", "", "| command | what it does |", "| --- | --- |", *rows, "", codes]
    return {**pages, f"{FOLDER}/index.md": "\n".join([*text, ""])}


def make_page(name: str, command: Any) -> str:
    """What `swapmeet NAME --help` tells, as a page."""
    names = app.info.context_settings["help_option_names"]  # a command keeps the first it is given
    context = command.make_context(name, [], resilient_parsing=True, help_option_names=names)
    usage = " ".join(command.collect_usage_pieces(context))
    lines = [f"# swapmeet {name}", "", *(command.help or "").split("\n"), "",
             "```", f"swapmeet {name} {usage}", "```", ""]  # fmt: skip
    lines += _list_arguments(command)
    if any(str(option.name).startswith(PREFIX) for option in command.params):
        lines += [METHOD_OPTIONS.format(name=name), ""]
    options = [option for option in command.params if _is_shown(option)]
    panels = sorted(options, key=lambda o: str(o.rich_help_panel or ""))
    for panel, inside in groupby(panels, lambda option: option.rich_help_panel):
        lines += [f"## {panel or 'Options'}", "", *_list_options(inside), ""]
    return "\n".join(lines)


def _is_shown(option: Any) -> bool:
    return (
        option.param_type_name == "option"
        and not option.hidden
        and not str(option.name).startswith(PREFIX)
    )


def _list_arguments(command: Any) -> list[str]:
    found = [one for one in command.params if one.param_type_name == "argument"]
    rows = [f"| `{one.metavar or one.name.upper()}` | {_plain(one.help)} |" for one in found]
    return ["| argument | what it is |", "| --- | --- |", *rows, ""] if rows else []


def _list_options(options: Iterator[Any]) -> list[str]:
    rows = ["| option | default | what it does |", "| --- | --- | --- |"]
    for one in options:
        names = " ".join(f"`{name}`" for name in (*one.opts, *one.secondary_opts))
        value = f" `{one.metavar.strip()}`" if (one.metavar or "").strip() else ""
        rows.append(f"| {names}{value} | {_default(one)} | {_plain(one.help)} |")
    return rows


def _default(option: Any) -> str:
    shown = option.show_default
    if isinstance(shown, str):
        return _plain(shown)
    return f"`{option.default}`" if shown and option.default not in (None, "") else ""


def _plain(text: str | None) -> str:
    """Words for a cell of a table: without the marks of the terminal."""
    words = text or ""
    for mark, instead in MARKS.items():
        words = words.replace(mark, instead)
    return words


def _first_line(text: str) -> str:
    return text.split("\n")[0]
