"""Help without the clutter: no type beside a switch, no braces around a name."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand, TyperGroup

from swapmeet.cli.options import FLAG


class Command(TyperCommand):
    """A command whose help a newcomer can follow."""

    def get_help_option(self, ctx: Any) -> Any:
        return _without_type(super().get_help_option(ctx))

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        return [piece.strip("{}") for piece in super().collect_usage_pieces(ctx)]


class Group(TyperGroup):
    """The program, whose commands are listed in its help."""

    def get_help_option(self, ctx: Any) -> Any:
        return _without_type(super().get_help_option(ctx))


def _without_type(option: Any) -> Any:
    if option is not None:
        option.metavar = FLAG
    return option
