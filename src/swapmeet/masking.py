"""mask(): a table, a method, a schema and a seed make a release."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol, cast

from swapmeet.core.base.seeds import Seed
from swapmeet.core.release.apply import apply_outcome, extend_to_all_columns, is_owned
from swapmeet.core.release.audit import AuditRecord
from swapmeet.core.release.changes import changes_of, find_rounded, notes_of
from swapmeet.core.release.release import Release
from swapmeet.core.tables.frame import Frame, Table
from swapmeet.core.tables.microdata import Microdata
from swapmeet.core.tables.schema import Column, Kind, Role, Schema, fit_schema, require_schema
from swapmeet.core.tables.schema_guess import (
    FIRST,
    HEAD,
    INFERRED,
    correct_kinds,
    uncertain_columns,
)
from swapmeet.engines import Local, Spark
from swapmeet.engines.spark.engine import is_spark
from swapmeet.errors import SwapmeetWarning, UsageError

if TYPE_CHECKING:
    from swapmeet.core.release.outcome import Outcome
    from swapmeet.engines import SparkRelease
    from swapmeet.methods import Method
from swapmeet.engines.checks import checked_by_head, require_method, require_something_to_mask


class Engine(Protocol):
    """Where a method does its work."""

    def run(self, method: Method, data: Microdata, seed: Seed) -> Outcome: ...


def mask(
    data: Frame,
    method: Method,
    *,
    schema: Schema | None = None,
    seed: int | None = None,
    engine: Engine | Spark | None = None,
) -> Release:
    """Mask a table.

    Columns with the role key or sensitive are masked; without a `schema` it is inferred and all
    are. The seed comes from the operating system unless given; a given seed marks the release as
    reproducible: fit for tests and studies, not for publication. A Spark frame is masked by its
    cluster and gives a `SparkRelease`, any other table a `Release`.
    """
    require_method(method)
    if is_spark(data):
        return cast("Any", masked_by_spark(data, method, schema, seed, engine or Spark()))
    if isinstance(engine, Spark):
        raise UsageError("mask: the engine Spark masks Spark frames; use Local for other tables.")
    table = Table(data)
    schema = fit_schema(schema, table, "mask")
    require_something_to_mask(table, schema)
    root = Seed.fresh() if seed is None else Seed.chosen_by_user(seed)
    microdata = Microdata.of(table, schema)
    outcome = (engine or Local()).run(method, microdata, root)
    released = apply_outcome(outcome, table, microdata, schema.published)
    changes = changes_of(microdata, outcome.donors, released)
    rounded = find_rounded(table, outcome)
    stuck = {name: len(rows) for name, rows in outcome.stuck.items()}
    notes = (*outcome.notes, *notes_of(method, changes, rounded, stuck, len(table)))
    for note in notes:
        warnings.warn(note, SwapmeetWarning, stacklevel=2)
    return Release(
        data=released.native,
        method=method.name,
        settings=method.settings(),
        changes=changes,
        notes=(*outcome.facts, *notes),
        reproducible=root.chosen,
        audit=AuditRecord(
            root,
            schema.published,
            extend_to_all_columns(outcome.donors, microdata.names, schema.published),
            root.stream("order").permutation(len(table)),
            outcome.stuck,
            is_owned(method, outcome.donors.in_place),
        ),
    )


def masked_by_spark(
    frame: Any, method: Method, schema: Schema | None, seed: int | None, engine: object
) -> SparkRelease:
    """The release of a Spark frame; what some of its rows can tell is refused at once."""
    if not isinstance(engine, Spark):
        raise UsageError("mask: a Spark frame is masked by the engine Spark, or without `engine`.")
    facts: list[str] = []
    if schema is None:
        schema, facts = guessed_by_spark(frame, engine)
        schema.warn_of_concerns(stacklevel=4)
    head = engine.head(frame, FIRST)
    schema = _with_row_id(require_schema(schema, "mask"), engine.row_id, frame.columns)
    checked = checked_by_head(schema, Table(head), method)
    root = Seed.fresh() if seed is None else Seed.chosen_by_user(seed)
    return engine.release(frame, head, method, checked, root, facts)


def guessed_by_spark(frame: Any, engine: Spark) -> tuple[Schema, list[str]]:
    """The schema that `Schema.infer` would find in a Spark frame, and what must be said of it.

    A column of row numbers is left out.
    """
    head = Table(engine.head(frame, HEAD))
    guessed = Schema.guess(head, {})
    is_all = len(head) < HEAD
    if not is_all:
        guessed = correct_kinds(
            guessed, engine.with_many_values(frame, uncertain_columns(guessed, head))
        )
    columns = tuple(column for column in guessed if column.name != engine.row_id)
    return replace(guessed, columns=columns), [] if is_all else [INFERRED]


def _with_row_id(schema: Schema, row_id: str | None, names: list[str]) -> Schema:
    """The schema, in which numbers of rows are dropped unless it says something else."""
    if row_id is None or row_id in schema.names or row_id not in names:
        return schema
    return Schema((*schema.columns, Column(row_id, Kind.NUMERIC, Role.DROP)))
