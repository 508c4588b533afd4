"""Options for the parameters of the methods, made from their declarations."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Annotated, Any

import typer

from swapmeet.cli.options import METHOD
from swapmeet.errors import ParameterError, UsageError
from swapmeet.methods import METHODS, Method, PerColumn, find
from swapmeet.tables.roles import SETS, TIES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from swapmeet.base.params import Parameter

PREFIX = "parameter_"
SHARED = "together"
"""An option for sets of columns that is a parameter of some methods where it is a value."""
TRUE_OR_FALSE = ("true", "false", "yes", "no")
ALSO = "A number, or true or false, is a parameter of the method"
PARTS = """\
[method]
name = "per-column"

[[method.parts]]
name = "rwn"
columns = ["age", "income"]
k = 10

[[method.parts]]
name = "rwn"
columns = ["region", "occupation"]
k = 20
weights = 0.1"""
"""The run file of a method that consists of methods."""


def on_command_line(method: type[Method]) -> tuple[Parameter, ...]:
    """The parameters that have an option; the parts of `per-column` only fit in a run file."""
    if method is PerColumn:
        return ()
    return tuple(parameter for parameter in method.parameters() if not parameter.in_python_only)


def flag(name: str) -> str:
    """The option of a parameter.

    >>> flag("min_leaf")
    '--min-leaf'
    """
    return f"--{name.replace('_', '-')}"


def method_options() -> list[inspect.Parameter]:
    """One option for each parameter name; methods that share a name share the option."""
    meanings: dict[str, dict[str, list[str]]] = {}
    for method in METHODS.values():
        for parameter in on_command_line(method):
            texts = meanings.setdefault(parameter.name, {})
            texts.setdefault(describe(parameter), []).append(method.name)
    return [_option(name, texts) for name, texts in meanings.items()]


def settle_method(configured: Mapping[str, Any]) -> dict[str, Any]:
    """The method of a plan, if it is there and complete as far as the command line can tell."""
    name = configured.get("name")
    if name is None:
        raise UsageError(f"which method? Give --method NAME: one of {', '.join(METHODS)}.")
    if find(name) is PerColumn and len(configured) == 1:
        raise UsageError(
            "per-column needs a run file that lists its parts: --config FILE. "
            "`swapmeet methods per-column` shows one."
        )
    return dict(configured)


def require_own(method: type[Method], options: Mapping[str, str]) -> None:
    """Refuse options of other methods."""
    own = [parameter.name for parameter in on_command_line(method)]
    has = f"has {', '.join(map(flag, own))}" if own else "takes none: it needs a run file"
    problems = [
        f"{flag(name)} is an option of {', '.join(_owners(name))}, not of {method.name}, "
        f"which {has}."
        for name in options
        if name not in own
    ]
    if problems:
        raise ParameterError("\n".join(problems))


def _owners(name: str) -> list[str]:
    return [
        method.name
        for method in METHODS.values()
        if any(parameter.name == name for parameter in on_command_line(method))
    ]


def describe(parameter: Parameter) -> str:
    """Describe a parameter: its meaning and its default."""
    if parameter.required:
        return f"{parameter.meaning} (required)."
    if parameter.default is None:
        return f"{parameter.meaning}."
    return f"{parameter.meaning} (default {parameter.default})."


def _option(name: str, texts: dict[str, list[str]]) -> inspect.Parameter:
    text = " ".join(f"[{', '.join(methods)}] {meaning}" for meaning, methods in texts.items())
    shared = name == SHARED
    option = typer.Option(
        flag(name), help=(f"{SETS} {ALSO}: {text}" if shared else text).replace("[", "\\["),
        metavar="NAMES" if shared else "VALUE", show_default=False,
        rich_help_panel=TIES if shared else METHOD,
    )  # fmt: skip
    kind: Any = list[str] | None if shared else str | None
    return inspect.Parameter(
        name if shared else f"{PREFIX}{name}",
        inspect.Parameter.KEYWORD_ONLY,
        default=None,
        annotation=Annotated[kind, option],
    )


def take_parameters(given: Mapping[str, Any]) -> dict[str, str]:
    """The parameters among the options of a command; a value is one of an option they share."""
    own = {
        name.removeprefix(PREFIX): value
        for name, value in given.items()
        if name.startswith(PREFIX) and value is not None
    }
    values = [text for text in given.get(SHARED) or () if is_value(text)]
    return own | ({SHARED: values[-1]} if values else {})


def is_value(text: str) -> bool:
    """Return whether a text is a number, or true or false: a set of columns is neither.

    >>> is_value("1.5"), is_value("false"), is_value("weight,height")
    (True, True, False)
    """
    if text.strip().lower() in TRUE_OR_FALSE:
        return True
    try:
        float(text)
    except ValueError:
        return False
    return True
