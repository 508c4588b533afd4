"""Findings as roles and ties of a schema; what the user said about a column wins."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from swapmeet.engines.local.engine import Local
from swapmeet.engines.recoding import recode_data
from swapmeet.inspecting.columns import Columns
from swapmeet.inspecting.findings import find_all
from swapmeet.io.document import Document, get_frame
from swapmeet.tables.conditions import Condition
from swapmeet.tables.derivations import Derivation
from swapmeet.tables.frame import Frame, Table
from swapmeet.tables.recoding.recode import parse_recodes
from swapmeet.tables.role import Role
from swapmeet.tables.schema_guess import reconsider_kinds
from swapmeet.ties.finding import Finding, write_derivation, write_option, write_together

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from swapmeet.tables.schema import Schema

ROLES = {f"--{role}": str(role) for role in Role}
MERGED = ("--drop", "--keep", "--sensitive")
"""Options of which one names the columns of all findings."""


@dataclass(frozen=True)
class Proposal:
    """Findings that say how to treat columns, and columns to `drop` because of what they hold."""

    findings: tuple[Finding, ...]
    drop: tuple[str, ...]

    @classmethod
    def of(
        cls, findings: Iterable[Finding], schema: Schema, said: Collection[str] = ()
    ) -> Proposal:
        """Draw the proposal from findings, except for columns whose role the user `said`.

        So does what the schema has codes, steps or ties for. Columns that look like direct
        identifiers, or that no method can mask, are to be dropped.
        """
        settled = tuple(one for finding in findings for one in _settle(finding, schema, set(said)))
        named = {name for one in settled for name in one.columns}
        drop = (
            column.name
            for column in schema
            if column.role is Role.KEY
            and (column.is_undecided or column.concern)
            and column.name not in {*named, *said}
        )
        return cls(settled, tuple(drop))

    @cached_property
    def options(self) -> list[str]:
        """The options of a command, columns to be left out first."""
        merged: dict[str, list[str]] = {"--drop": list(self.drop)}
        others: list[str] = []
        for one in self.findings:
            if one.options[0] in MERGED:
                merged.setdefault(one.options[0], []).extend(one.columns)
            else:
                others += one.options
        words = (write_option(name, merged[name]) for name in MERGED if merged.get(name))
        return [*(word for option in words for word in option), *others]

    def apply(self, schema: Schema, table: Table) -> Schema:
        """The schema of a table with all of it."""
        given: dict[str, Any] = {"drop": list(self.drop), "missing": {}}
        for one in self.findings:
            option, text = one.options[:2]
            if option == "--missing":
                codes = given["missing"].setdefault(one.columns[0], [])
                codes += one.codes
            elif option in ROLES:
                given.setdefault(ROLES[option], []).extend(one.columns)
            else:
                several = one.columns if option == "--together" else text
                given.setdefault(option.removeprefix("--"), []).append(several)
        return reconsider_kinds(schema.assign(**given), table)

    @property
    def remarks(self) -> tuple[str, ...]:
        """Sentences on what was done, one for each finding."""
        why = "each looks like a direct identifier, or holds what no method can mask"
        option = shlex.join(write_option("--drop", self.drop))
        left_out = [f"{option}, as inspected: {why}."] if self.drop else []
        sentences = (f"{o.command}, as inspected: {o.about}; {o.reason}." for o in self.findings)
        return (*left_out, *sentences)


def propose(data: Frame | Document, schema: Schema, said: Collection[str] = ()) -> Proposal:
    """Propose what a table shows about its columns beyond the schema."""
    document = data if isinstance(data, Document) else None
    table = recode_data(Local(), Table.of(get_frame(data)), schema).data
    columns = Columns(
        table,
        schema.in_order(table.names),
        document.labels if document else {},
        document.column_labels if document else {},
    )
    return Proposal.of(add_weight(find_all(columns), data, schema), schema, said)


def add_weight(
    findings: tuple[Finding, ...], data: Frame | Document, schema: Schema
) -> tuple[Finding, ...]:
    """Findings with the weight that the file itself names, before all that is guessed."""
    name = data.weight if isinstance(data, Document) else None
    if name is None or schema[name].role in {Role.WEIGHT, Role.DROP}:
        return findings
    named = Finding(
        about="the weight of the rows",
        columns=(name,),
        reason="the file says so",
        rows=len(Table.of(get_frame(data))),
        options=write_option("--weight", [name]),
    )
    others = (one for one in findings if "--weight" not in one.options and name not in one.columns)
    return (named, *others)


def _settle(one: Finding, schema: Schema, said: set[str]) -> Iterator[Finding]:
    """The finding as far as nothing else was said of its columns."""
    if not one.options:
        return
    option = one.options[0]
    if option in ROLES and option != "--sensitive":
        said = said | _list_tied(schema)
    left = tuple(name for name in one.columns if name not in said)
    if option in ROLES:
        if left:
            yield replace(one, columns=left, options=write_option(option, left))
    elif option == "--missing":
        if not schema[one.columns[0]].missing:
            yield one
    elif option == "--recode":
        recoded = {step.column for step in parse_recodes(schema.recodes)}
        if left and one.columns[0] not in recoded:
            yield one
    elif option == "--together":
        if not any(set(one.columns) <= set(names) for names in schema.ties.together):
            yield replace(one, options=write_together(one.columns))
    elif option == "--derive":
        yield from _settle_derivation(one, schema, said)
    elif one.options[1] not in schema.ties.rules:
        yield one


def _settle_derivation(one: Finding, schema: Schema, said: set[str]) -> Iterator[Finding]:
    """A column whose role was said keeps it: what is left of it is masked, which is nothing."""
    derivation = Derivation(one.options[1])
    if derivation.name in {known.name for known in schema.ties.derivations}:
        return
    if derivation.name in said and not derivation.has_rest:
        options = write_derivation(derivation.text, one.columns, nearly=True, beside=schema.names)
        one = replace(one, options=options)
    yield one


def _list_tied(schema: Schema) -> set[str]:
    """The columns that were tied to others."""
    derived = ({one.name, *one.parents} for one in schema.ties.derivations)
    ruled = (Condition(text).columns for text in schema.ties.rules)
    return {name for names in (*schema.ties.together, *derived, *ruled) for name in names}
