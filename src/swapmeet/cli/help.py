"""Help without the clutter: first what everybody needs, the rest behind --help-all."""

from __future__ import annotations

import re
from copy import copy
from typing import Any, Self

from typer.core import TyperCommand, TyperGroup

from swapmeet.cli.options import FLAG

HELP_ALL = "--help-all"
COMMON = "The most common options"
SHORT = 60
"""A text that is no longer stands as a whole, in a line or two."""


class HelpCommand(TyperCommand):
    """A command whose help a newcomer can follow.

    `first` are the names of the options that its short help has, in this order; all where there
    are none.
    """

    first: tuple[str, ...] = ()
    complete = False

    @classmethod
    def showing(cls, names: str) -> type[Self]:
        """Make the class of a command whose short help has these options."""
        return type(cls.__name__, (cls,), {"first": tuple(names.split())})

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        self.complete = HELP_ALL in args
        return super().parse_args(ctx, ["--help" if word == HELP_ALL else word for word in args])

    def format_help(self, ctx: Any, formatter: Any) -> None:
        shown = self if self.complete or not self.first else self.abridge(ctx)
        shown = copy(shown)
        shown.help = _join_lines(shown.help or "")
        super(HelpCommand, shown).format_help(ctx, formatter)

    def abridge(self, ctx: Any, also: frozenset[str] = frozenset()) -> Self:
        """Make the command with its common options, one sentence each, and the options `also`."""
        options = {option.name: option for option in self.params}
        arguments = [one.name for one in self.params if one.param_type_name == "argument"]
        first = [*arguments, *(name for name in self.first if name not in also)]
        short = copy(self)
        short.params = [
            *(_shorten(options[name]) for name in first if name in options),
            *(option for name, option in options.items() if name in also),
        ]
        short.help = (self.help or "").split("\n\n")[0]
        left = len(self.params) - len(short.params)
        short.epilog = f"In full, and {left} more options: {ctx.command_path} {HELP_ALL}"
        return short

    def get_help_option(self, ctx: Any) -> Any:
        return _without_type(super().get_help_option(ctx))

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        pieces = (piece.strip("{}") for piece in super().collect_usage_pieces(ctx))
        return [re.sub(r"\[(.*[.]{3})\][.]{3}", r"\1", piece) for piece in pieces]


class HelpGroup(TyperGroup):
    """The program, whose commands are listed in its help."""

    def get_help_option(self, ctx: Any) -> Any:
        return _without_type(super().get_help_option(ctx))


def _shorten(option: Any) -> Any:
    """Make the option with the first sentence of what it does, and without its default."""
    short = copy(option)
    text = option.help or ""
    short.help = text if len(text) <= SHORT else re.split(r"(?<=[.])\s", text)[0]
    if short.param_type_name == "option":
        short.show_default, short.rich_help_panel = False, COMMON
    return short


def _join_lines(text: str) -> str:
    """Join the lines of each paragraph, so that a terminal breaks them where it has to."""
    return "\n\n".join(" ".join(part.split()) for part in text.split("\n\n"))


def _without_type(option: Any) -> Any:
    if option is not None:
        option.metavar = FLAG
        option.rich_help_panel = COMMON
    return option
