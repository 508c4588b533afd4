"""From a plan and a table to what a method sees: the one way, for memory, files and Spark alike."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from swapmeet import io
from swapmeet.base.progress import Progress, silent
from swapmeet.base.sentences import join_names
from swapmeet.comparison.weights import refuse_flaws, refuse_several, say_no_numbers
from swapmeet.engines import Engine, choose_engine
from swapmeet.engines.recoding import examine_recoded, recode_data
from swapmeet.errors import SchemaError, UsageError, warn
from swapmeet.io.document import Document, get_frame
from swapmeet.io.place import Place, find_format
from swapmeet.tables.arrow import CellType, describe_decoded
from swapmeet.tables.conditions import Condition
from swapmeet.tables.frame import Table, reorder
from swapmeet.tables.missing_codes import warn_of_absent_codes
from swapmeet.tables.role import Role
from swapmeet.tables.schema import Column, Kind, Schema, require_schema
from swapmeet.tables.schema_guess import HEAD, reconsider_kinds

if TYPE_CHECKING:
    from collections.abc import Iterable

    from swapmeet.plan.plan import Plan
    from swapmeet.tables.recoding.recoded import Recoded
    from swapmeet.ties.finding import Finding

WEIGHTS = {CellType.INTEGER, CellType.FLOAT, CellType.DECIMAL, CellType.EMPTY}
"""Contents of a column of weights."""
LOOKED_AT = 5_000
"""So many rows are looked at for columns that follow from others: `inspect` looks at all."""


@dataclass(frozen=True, repr=False, eq=False)
class Prepared:
    """A table that is ready to be masked or judged, and what must be said about it.

    `original` is the table as its engine opened it, and `data` the same after the steps that come
    first; `schema` says what each column is. `document` is the file that was read, if one was.
    `remarks` are sentences for the notes of the release.
    """

    plan: Plan
    engine: Any
    original: Any
    recoded: Recoded[Any]
    schema: Schema
    head: Table
    document: Document | None = None
    remarks: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<Prepared: {len(self.schema)} columns>"

    @property
    def data(self) -> Any:
        """The table that a method sees."""
        return self.recoded.data

    def list_refusals(self, remedy: str = "") -> tuple[str, ...]:
        """Why the command line and a run file do not publish this table as it is."""
        return tuple(_refuse_identifier(column, remedy) for column in self.schema.undecided)

    def recode_by(self, steps: tuple[str, ...]) -> Prepared:
        """The same table after these steps instead."""
        if steps == self.schema.recodes:
            return self
        schema = replace(self.schema, recodes=steps)
        recoded = recode_data(self.engine, self.original, schema)
        return replace(self, schema=schema, recoded=recoded)

    def require(self, remedy: str = "") -> None:
        """Refuse a table whose release would have columns that look like identifiers."""
        if refusals := self.list_refusals(remedy):
            raise SchemaError(refusals)

    def warn_of_untied(self) -> None:
        """Warn, once for all, of columns that seem to follow from others and are masked apart."""
        columns = [] if self.plan.prepare.as_inspected else _find_untied(self.schema, self.head)
        if columns:
            warn(
                f"{join_names(columns)} {'seems' if len(columns) == 1 else 'seem'} to follow from "
                "other columns; masked apart, they no longer agree. `swapmeet inspect FILE` shows "
                "how to say so."
            )

    def remark(self, release: Any) -> Any:
        """A release that says what was done before it was masked; doubtful steps are warned of."""
        release = release.remark(*self.remarks)
        if self.recoded.results:
            for note in self.recoded.notes:
                warn(note)
            release = release.remark(*self.recoded.facts, *self.recoded.notes)
            release = replace(release, recodes=self.recoded.results)
        return release if self.document is None else _remember_source(release, self.document)


def prepare(
    plan: Plan,
    data: Any,
    engine: Engine[Any, Any],
    *,
    asked_by: str,
    schema: Schema | None = None,
    place: Place | None = None,
    examine: bool = True,
    owned: bool = False,
    weigh: bool = True,
) -> Prepared:
    """Settle what the columns of a table are, check it, and carry out the steps that come first.

    A `schema` that is given is taken as it is, and else guessed as far as the plan does not say.
    With `examine`, columns that look like direct identifiers are warned of. `place` is where the
    table came from, for messages. A document that is `owned` may be read again. What only looks at
    a table need not `weigh` its rows, and takes any column for a weight.
    """
    document = data if isinstance(data, Document) else None
    opened = engine.open(data)
    head = engine.head(opened)
    remarks: tuple[str, ...] = ()
    if schema is None:
        plan = plan.resolve(head.names)
        schema, remarks = _guess_columns(plan, engine, opened, head, place)
    schema = require_schema(schema, asked_by)
    if plan.prepare.as_inspected:
        refuse_inspection(asked_by, engine)
        found = follow_findings(plan, document or head, schema, owned=owned)
        document, schema = found.document, found.schema
        opened = engine.open(document) if document is not None else opened
        head, remarks = engine.head(opened), (*remarks, *found.remarks)
    schema = engine.complete(schema, opened)
    schema = _settle_weights(schema, head) if weigh else schema
    schema.check(head)
    schema = schema.in_order(head.names)
    if examine:
        schema = examine_recoded(schema.find_identifiers(head), head)
        schema.warn_of_concerns()
        _warn_of_unnamed(schema, plan)
        remarks = (*remarks, *_list_published(schema))
    return Prepared(
        plan, engine, opened, recode_data(engine, opened, schema), schema, head, document,
        (*remarks, *describe_decoded(head.decoded)),
    )  # fmt: skip


def _guess_columns(
    plan: Plan, engine: Engine[Any, Any], opened: Any, head: Table, place: Place | None
) -> tuple[Schema, tuple[str, ...]]:
    """The schema that the values suggest, as far as the plan says nothing else."""
    guessed, remarks = engine.infer(opened)
    schema = plan.settle(guessed, place)
    if engine.in_memory:
        schema = reconsider_kinds(schema, head)
    if plan.codes_said:
        _warn_of_absent_codes(schema, opened, head)
    return schema, remarks


def read_prepared(
    plan: Plan,
    place: Place,
    *,
    asked_by: str,
    examine: bool = True,
    weigh: bool = True,
    progress: Progress = silent,
) -> Prepared:
    """Read a table as a whole, and prepare it."""
    require_columns(plan, place)
    document = io.read(place, **plan.reading, progress=progress)
    engine = choose_engine(document, progress=progress)
    return prepare(
        plan, document, engine, asked_by=asked_by, place=place, examine=examine, weigh=weigh,
        owned=True,
    )  # fmt: skip


def read_release(place: Place, original: Prepared, progress: Progress = silent) -> Document:
    """Read a release: as the original was, if the format is the same, and in its terms."""
    from swapmeet.io.release_table import restore_columns

    assert original.document is not None
    same = find_format(place) == original.document.format
    reading = dict(original.plan.reading) if same else {}
    if "header" in io.FORMATS[find_format(place)].options:
        reading.setdefault("header", True)
    return restore_columns(io.read(place, **reading, progress=progress), original.document)


@dataclass(frozen=True)
class Found:
    """A table with all that is found in it, and sentences about what was done."""

    document: Document | None
    schema: Schema
    remarks: tuple[str, ...]


def follow_findings(
    plan: Plan, data: Document | Table, schema: Schema, *, owned: bool = False
) -> Found:
    """The schema with all that `inspect` finds in a table, but for what the plan says.

    Only once words for missing values are read as such is seen what numbers follow from; so the
    document is read again if it is `owned`.
    """
    from swapmeet.inspecting.proposal import propose

    proposal = propose(data, schema, plan.named)
    if isinstance(data, Document) and owned:
        again = read_again(plan, data, schema, proposal.findings)
        if again is not None:
            data, schema = again.document, again.schema
            more = propose(data, schema, plan.named)
            proposal = replace(more, findings=again.join(more.findings))
    settled = proposal.apply(schema, Table.of(get_frame(data)))
    return Found(data if isinstance(data, Document) else None, settled, proposal.remarks)


def refuse_inspection(asked_by: str, engine: Engine[Any, Any]) -> None:
    """Refuse to look at all rows at once where they are not at hand."""
    if not engine.in_memory:
        raise UsageError(
            f"{asked_by}: `as_inspected` (--as-inspected) looks at all rows at once, which files "
            "masked piece by piece and Spark frames do not allow. Mask a part of the table in "
            "memory with it, then the whole table by its run file, or with `schema=release.schema`."
        )


@dataclass(frozen=True)
class ReadAgain:
    """A file read without words that stand for missing values, and the findings that say so."""

    document: Document
    schema: Schema
    word_findings: tuple[Finding, ...]

    def join(self, findings: Iterable[Finding]) -> tuple[Finding, ...]:
        """What is found now, and what had been said of words."""
        return (*(one for one in findings if not one.has_words), *self.word_findings)


def read_again(
    plan: Plan, document: Document, schema: Schema, findings: Iterable[Finding]
) -> ReadAgain | None:
    """A text without words for missing values; None where there is no such word."""
    word_findings = tuple(one for one in findings if one.has_words)
    if not word_findings or "missing" not in io.FORMATS[document.format].options:
        return None
    reading = plan.reading
    codes = {one.columns[0]: list(map(str, one.codes)) for one in word_findings}
    said = reading.pop("missing", {})
    if not isinstance(said, dict):
        said = dict.fromkeys(schema.names, said)
    words = {name: [*said.get(name, ()), *codes.get(name, ())] for name in {**said, **codes}}
    again = io.read(document.path, **reading, missing=words)
    guessed = Schema.guess(again.frame, again.kinds)
    columns = (
        replace(guessed[one.name], role=one.role, publish=one.publish) if one.name in words else one
        for one in schema
    )
    return ReadAgain(again, replace(schema, columns=tuple(columns)), word_findings)


def _warn_of_absent_codes(schema: Schema, opened: Any, head: Table) -> None:
    """Warn of codes that occur in no row; of a cluster's table that is too dear to know."""
    if hasattr(opened, "pieces"):
        warn_of_absent_codes(schema, (Table(t) for _, t in opened.pieces(schema.coded, HEAD)))
    elif isinstance(opened, Table):
        warn_of_absent_codes(schema, [head])


def _settle_weights(schema: Schema, head: Table) -> Schema:
    """The schema, in which a weight is numeric; refuse two of them, and what is no weight."""
    names = schema.having(Role.WEIGHT)
    refuse_several(names)
    for name in names:
        if name in head.names:
            if head.family(name) not in WEIGHTS:
                raise SchemaError([say_no_numbers(name)])
            refuse_flaws(name, head.numbers(name))
            if schema[name].kind is not Kind.NUMERIC:
                schema = schema.assign(numeric=[name])
    return schema


def _list_published(schema: Schema) -> tuple[str, ...]:
    """Remarks on the columns that look like identifiers and are knowingly published."""
    return tuple(
        f"column {column.name!r} looks like a direct identifier ({column.identifier}), and is "
        "published as asked."
        for column in schema
        if column.identifier and column.publish and column.role is not Role.DROP
    )


def _refuse_identifier(column: Column, remedy: str = "") -> str:
    name = shlex.quote(column.name)
    role = "" if column.hint is None else f" Or give its role: --{column.hint.role} {name}."
    return (
        f"column {column.name!r} looks like a direct identifier: {column.identifier}. "
        f"{(remedy or 'Leave it out: --drop {name}.').format(name=name)}{role} "
        f"Or, if it identifies nobody, publish it: --publish {name}."
    )


def _warn_of_unnamed(schema: Schema, plan: Plan) -> None:
    """Say how many columns are dropped because a run file does not name them."""
    if not plan.output.drop_unnamed:
        return
    dropped = [name for name in schema.having(Role.DROP) if name not in plan.columns]
    if dropped:
        columns = "1 column is" if len(dropped) == 1 else f"{len(dropped)} columns are"
        warn(f"{columns} not named in the run file, and dropped.")


def warn_of_values(schema: Schema) -> None:
    """Say that steps which name the values they suppress are not for everybody's eyes."""
    from swapmeet.tables.recoding.recode import parse_recodes

    names = [step.column for step in parse_recodes(schema.recodes) if step.names_people]
    if names:
        warn(
            f"the run file names the values of {join_names(dict.fromkeys(names))} that are "
            "suppressed. Give it only to those who may know these values."
        )


def _find_untied(schema: Schema, table: Table) -> list[str]:
    """The columns of findings that are tied to no other, in some rows of the table."""
    from swapmeet.inspecting.columns import Columns
    from swapmeet.inspecting.findings import find_followers

    some = np.arange(min(len(table), LOOKED_AT))
    few = table if len(table) <= LOOKED_AT else Table(reorder(table.native, some))
    tied = {name for names in schema.ties.together for name in names}
    tied |= {one.name for one in schema.ties.derivations}
    tied |= {name for text in schema.ties.rules for name in Condition(text).columns}
    follow = find_followers(Columns(few, schema.in_order(few.names)))
    return list(dict.fromkeys(name for name in follow if name not in tied))


def _remember_source(release: Any, document: Document) -> Any:
    """A release that knows the document it is of; a masked weight of that is warned of."""
    name = document.weight
    if name in release.schema.masked:
        warn(
            f"{document.path.name} names {name!r} as its weight, and it is masked like any other "
            f"column. Give it the role: weight={name!r}, on the command line --weight {name}."
        )
    return replace(release, source=document.key)


def require_columns(plan: Plan, place: Place) -> Schema | None:
    """Refuse columns that a file does not have before it is read, where they can be known.

    What is returned has the roles of all columns.
    """
    names = io.peek_names(place, **plan.reading)
    if not names:
        return None
    plain = Schema(tuple(Column(name, Kind.NOMINAL) for name in names))
    return plan.resolve(names).settle(plain, place)
