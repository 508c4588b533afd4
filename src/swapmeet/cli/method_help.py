"""swapmeet mask --method NAME --help: the options of one method only."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any, Self

from swapmeet.cli.help import Command
from swapmeet.cli.options import SETS
from swapmeet.cli.parameters import ALSO, PREFIX, SHARED, describe, on_command_line
from swapmeet.methods import METHODS, find

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from swapmeet.core.base.params import Parameter
    from swapmeet.methods import Method

OPTION = "--method"
NAMED = "swapmeet.method"


class MethodCommand(Command):
    """A command whose help tells what the method that was named takes."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        ctx.meta[NAMED] = find_named(args)
        return super().parse_args(ctx, args)

    def abridge(self, ctx: Any, also: frozenset[str] = frozenset()) -> Self:
        named = ctx.meta.get(NAMED)
        if named is None:
            return super().abridge(ctx, also)
        method = find(named)
        own = {f"{PREFIX}{parameter.name}" for parameter in on_command_line(method)}
        if f"{PREFIX}{SHARED}" in own:
            own.add(SHARED)
        return super(MethodCommand, self.show_only(method)).abridge(ctx, also | own | {"method"})

    def format_help(self, ctx: Any, formatter: Any) -> None:
        named = ctx.meta.get(NAMED)
        shown = self.show_only(find(named)) if named and self.complete else self
        super(MethodCommand, shown).format_help(ctx, formatter)

    def show_only(self, method: type[Method]) -> Self:
        """The command without the options of other methods."""
        own = {f"{PREFIX}{parameter.name}": parameter for parameter in on_command_line(method)}
        shown = copy(self)
        shown.params = [
            _describe_option(option, describe(own[option.name])) if option.name in own
            else _describe_option(option, _name_others(method)) if OPTION in option.opts
            else _describe_option(option, _describe_sets(own)) if option.name == SHARED
            else option
            for option in map(copy, self.params)
            if option.name in own or not str(option.name).startswith(PREFIX)
        ]  # fmt: skip
        return shown


def find_named(args: Sequence[str]) -> str | None:
    """The method that a command line names, if it does.

    >>> find_named(["--method", "rwn", "--help"]), find_named(["--method=cart"]), find_named([])
    ('rwn', 'cart', None)
    """
    for at, word in enumerate(args):
        if word == OPTION:
            return args[at + 1] if at + 1 < len(args) else None
        if word.startswith(f"{OPTION}="):
            return word.partition("=")[2]
    return None


def _describe_option(option: Any, text: str) -> Any:
    option.help = text.replace("[", "\\[")
    return option


def _describe_sets(own: Mapping[str, Parameter]) -> str:
    """Describe the sets of methods that have an option as a parameter."""
    parameter = own.get(f"{PREFIX}{SHARED}")
    return SETS if parameter is None else f"{SETS} {ALSO}: {describe(parameter)}"


def _name_others(method: type[Method]) -> str:
    others = ", ".join(name for name in METHODS if name != method.name)
    return f"Here {method.name} (swapmeet methods {method.name} explains it). Others: {others}."
