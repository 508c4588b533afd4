"""Tables from what methods, measures and file formats declare."""

from __future__ import annotations

from typing import TYPE_CHECKING

from swapmeet.base.options import describe_kind
from swapmeet.io.feature import Feature
from swapmeet.io.formats import FORMATS
from swapmeet.measures.registry import MEASURES, RISKS, UTILITIES
from swapmeet.methods import METHODS
from swapmeet.plan.plan import SECTIONS
from swapmeet.plan.sections import ColumnSettings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from swapmeet.base.params import Parameter

BEGIN_WITH = (
    "What becomes of a value, by method. [Matched swapping](matched-swap.md) is the one to begin "
    "with."
)


def describe_method(name: str) -> str:
    """What a method declares of its parameters: their range, default and meaning."""
    rows = [_list_parameter(p, _write_option(p)) for p in METHODS[name].parameters()]
    tried = [f"`{p.name}` {', '.join(map(str, p.tries))}"
             for p in METHODS[name].parameters() if p.tries]  # fmt: skip
    search = f"\nA [search](../../guides/tuning.md) tries {'; '.join(tried)}.\n" if tried else ""
    head = f"\n\n## Options\n\n`swapmeet mask --method {name}`, or `sm.{METHODS[name].__name__}`:\n"
    return f"{head}{_table('option', rows)}{search}" if rows else ""


def _write_option(parameter: Parameter) -> str:
    """Its option; of what only Python can give, its name there."""
    if parameter.in_python_only:
        return f"{parameter.name}="
    return f"--{parameter.name.replace('_', '-')}"


def describe_measure(name: str) -> str:
    """What a measure declares: which way is better, its range, its parameters."""
    measure = MEASURES[name]
    low, high = measure.bounds
    public = "may" if measure.public else "is not to"
    told = (
        f"\n\n## As declared\n\nFrom {low:g} to {high:g}, {measure.direction} is better. "
        f"Its figure {public} be published.\n"
    )
    rows = [_list_parameter(p, p.name) for p in measure.parameters()]
    return told + (_table("parameter", rows) if rows else "")


def _list_parameter(parameter: Parameter, called: str) -> str:
    default = "" if parameter.required or parameter.default is None else f"`{parameter.default}`"
    cells = (f"`{called}`", f"must {parameter.domain.rule}", default, parameter.meaning)
    return f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |"


def _table(first: str, rows: list[str]) -> str:
    head = [f"| {first} | value | default | meaning |", "| --- | --- | --- | --- |"]
    return "\n" + "\n".join([*head, *rows]) + "\n"


def make_lists() -> dict[str, str]:
    """The list of all methods, and that of all measures."""
    methods = ["# Methods", "", BEGIN_WITH, "", "| method | what it does |", "| --- | --- |"]
    methods += [f"| [`{name}`]({name}.md) | {one.summary} |" for name, one in METHODS.items()]
    measures = ["# Measures", "", "How to use them: [assessing](../../guides/assessing.md).", ""]
    for title, family in (("Risk", RISKS), ("Utility", UTILITIES)):
        measures += [f"## {title}", "", *_list_measures(family), ""]
    return {
        "reference/methods/index.md": "\n".join([*methods, ""]),
        "reference/measures/index.md": "\n".join(measures),
    }


def _list_measures(family: Mapping[str, type]) -> list[str]:
    rows = [f"| [`{name}`]({name}.md) | {one.question} | {one.direction} |"
            for name, one in family.items()]  # fmt: skip
    return ["| measure | what it tells | better |", "| --- | --- | --- |", *rows]


def make_format_table() -> str:
    """What of another file each format that can be written keeps, besides plain values."""
    written = [each for each in FORMATS.values() if each.can_write]
    lines = [f"| what a file tells | {' | '.join(each.title for each in written)} |",
             f"| --- |{' --- |' * len(written)}"]  # fmt: skip
    lines += [f"| {feature} | {' | '.join(_say(feature in each.carries) for each in written)} |"
              for feature in Feature]  # fmt: skip
    return "\n".join(lines)


def make_plan_tables() -> str:
    """What each section of a plan may say, with the option that says the same."""
    lines: list[str] = []
    for title, section in {**SECTIONS, "columns.NAME": ColumnSettings}.items():
        lines += [f"### `[{title}]`", "", "| setting | value | option | meaning |",
                  "| --- | --- | --- | --- |"]  # fmt: skip
        for one in section.declared():
            named = one.option.typed and title != "columns.NAME"
            option = (
                f"`{(one.option.flags or f'--{one.called}').replace('_', '-')}`" if named else ""
            )
            cells = (f"`{one.name}`", describe_kind(one.kind), option, one.option.meaning)
            lines.append(f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |")
        lines.append("")
    return "\n".join(lines)


def _say(kept: bool) -> str:  # noqa: FBT001
    return "yes" if kept else "–"
