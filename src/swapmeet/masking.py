"""mask(): a table, a method, a schema and a seed make a release."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Protocol

from swapmeet.engines import Local
from swapmeet.errors import SwapmeetWarning, TableError, UsageError
from swapmeet.frame import Frame, Table
from swapmeet.methods import Method
from swapmeet.microdata import Microdata
from swapmeet.release import AuditRecord, Release
from swapmeet.releasing import (
    changes_of,
    is_owned,
    notes_of,
    over_all_columns,
    released_by,
    rounded_among,
)
from swapmeet.schema import Role, Schema, fitted
from swapmeet.seeds import Seed

if TYPE_CHECKING:
    from swapmeet.outcome import Outcome


class Engine(Protocol):
    """Where a method does its work."""

    def run(self, method: Method, data: Microdata, seed: Seed) -> Outcome: ...


def mask(
    data: Frame,
    method: Method,
    *,
    schema: Schema | None = None,
    seed: int | None = None,
    engine: Engine | None = None,
) -> Release:
    """Mask a table.

    Columns with the role key or sensitive are masked; without a `schema` it is inferred and all
    are. The seed comes from the operating system unless given; a given seed marks the release as
    reproducible: fit for tests and studies, not for publication.
    """
    require_method(method)
    table = Table(data)
    schema = fitted(schema, table, "mask")
    require_something_to_mask(table, schema)
    root = Seed.fresh() if seed is None else Seed.chosen_by_user(seed)
    microdata = Microdata.of(table, schema)
    outcome = (engine or Local()).run(method, microdata, root)
    released = released_by(outcome, table, microdata, schema.published)
    changes = changes_of(microdata, outcome.donors, released)
    rounded = rounded_among(table, outcome)
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
            over_all_columns(outcome.donors, microdata.names, schema.published),
            root.stream("order").permutation(len(table)),
            outcome.stuck,
            is_owned(method, outcome),
        ),
    )


def require_method(method: object) -> None:
    """Refuse what is no method, such as the class of one."""
    if not isinstance(method, Method):
        raise UsageError(
            "mask: `method` must be a method such as RWN(k=10); "
            f"got {getattr(method, '__name__', type(method).__name__)}."
        )


def require_something_to_mask(table: Table, schema: Schema) -> None:
    """Refuse a table without rows, or without a column to mask."""
    if len(table) == 0:
        raise TableError("the table has no rows; there is nothing to mask.")
    if not schema.masked:
        counts = ", ".join(f"{len(schema.having(role))} {role}" for role in Role)
        raise TableError(
            f"no column to mask ({counts}). Give at least one the role key or sensitive."
        )
