"""Options of commands, made from what plans and questions declare."""

from __future__ import annotations

import inspect
from contextlib import suppress
from dataclasses import replace
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any

import typer

from swapmeet import io
from swapmeet.base.options import Declared, Section
from swapmeet.cli.options import FLAG, STREAMED
from swapmeet.errors import InputError, UsageError
from swapmeet.plan.plan import COLUMNS, Plan, read_codes
from swapmeet.plan.question import Question
from swapmeet.plan.sections import Input, Prepare

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from swapmeet.io.place import Place


def list_options(*sections: type[Section], without: str = "") -> list[inspect.Parameter]:
    """List the options of columns, and those of sections, as parameters of a command."""
    left_out = without.split()
    declared = [*COLUMNS, *(one for section in sections for one in section.declared())]
    return [_make_parameter(one) for one in declared
            if one.option.typed and one.called not in left_out]  # fmt: skip


def list_section(section: type[Section]) -> list[inspect.Parameter]:
    """List the options of one section."""
    return [_make_parameter(one) for one in section.declared() if one.option.typed]


def _make_parameter(one: Declared) -> inspect.Parameter:
    """The parameter of a command that takes an option; mostly, None is what nobody said."""
    option, is_switch = one.option, one.kind is bool
    default = None if option.shown or one.kind not in (str, int) else one.default
    several = one.kind not in (bool, str, int, float)
    info = typer.Option(
        *(option.flags or f"--{one.called.replace('_', '-')}").split(),
        help=option.meaning.format(streamed=STREAMED) if "{streamed}" in option.meaning
        else option.meaning,
        metavar=FLAG if is_switch else option.metavar,
        show_default=option.shown or default is not None,
        rich_help_panel=option.panel,
        min=option.least,
    )  # fmt: skip
    kind: Any = list[str] if several else one.kind
    return inspect.Parameter(
        one.called, inspect.Parameter.KEYWORD_ONLY, default=default,
        annotation=Annotated[kind | None, info],
    )  # fmt: skip


def with_options(
    command: Callable[..., None],
    *sections: type[Section],
    without: str = "",
    asks: str = "",
) -> Callable[..., None]:
    """Give a command the options of the plan and of the question that it takes.

    It has the options of columns and of the sections, but for those it is `without`; and what it
    `asks` of a question, which is everything where nothing is named.
    """
    own = inspect.signature(command, eval_str=True).parameters.values()
    asked = [one for one in Question.declared() if one.called in (asks or one.called).split()]
    offered = {
        Plan: list_options(*(sections or (Prepare, Input)), without=without),
        Question: list(map(_make_parameter, asked)),
    }
    taken = {one.annotation: one.name for one in own if one.annotation in offered}

    @wraps(command)
    def call(**given: Any) -> None:
        parts = {one.name: given[one.name] for one in own if one.annotation not in offered}
        if Plan in taken:
            parts[taken[Plan]] = read_plan(given)
        if Question in taken:
            parts[taken[Question]] = Question.of({n.called: given[n.called] for n in asked})
        command(**parts)

    made = [one for mine in own for one in offered.get(mine.annotation, [mine])]
    call.__signature__ = inspect.Signature(made)  # type: ignore[attr-defined]
    call.__annotations__ = {one.name: one.annotation for one in made}
    return call


def read_plan(given: Mapping[str, Any]) -> Plan:
    """The plan that options make; names of columns are parted once the columns are known."""
    said = {one.name: given[one.name] for one in COLUMNS if given.get(one.name)}
    for_all, own = read_codes(said.pop("missing", ()))
    plan = Plan.of_roles(**said)
    columns = {name: dict(facts) for name, facts in plan.columns.items()}
    for name, codes in own.items():
        columns.setdefault(name, {})["missing"] = codes
    prepare = Prepare.of(given).over(plan.prepare)
    return replace(
        plan, input=replace(Input.of(given), missing=tuple(for_all)), prepare=prepare,
        columns=columns, codes_said=bool(for_all or own),
    )  # fmt: skip


def lay_over(plan: Plan, config: Plan, place: Place) -> Plan:
    """The options of a command over a run file, with the columns of the file that is read.

    A file that cannot be read is refused when it is read.
    """
    names: tuple[str, ...] = ()
    with suppress(InputError, UsageError):
        names = io.peek_names(place, **{**config.input.reading, **plan.input.reading})
    return (plan.resolve(names) if names else plan).over(config)
