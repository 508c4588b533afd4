"""mask(): a table, a method, a schema and a seed make a release."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Protocol

import numpy as np

from swapmeet.donors import DonorMap
from swapmeet.engines import Local
from swapmeet.errors import SwapmeetWarning, TableError, UsageError
from swapmeet.frame import Frame, Table
from swapmeet.methods import Method
from swapmeet.microdata import Microdata
from swapmeet.release import AuditRecord, ColumnChange, Release
from swapmeet.schema import Role, Schema
from swapmeet.seeds import Seed

if TYPE_CHECKING:
    import numpy.typing as npt

UNCHANGED = 0.01
"""A column is called effectively unchanged when fewer of its values differ."""
EXPECTED = 0.1
"""... although at least this share of its values was moved."""


class Engine(Protocol):
    """Where donors are found."""

    def donors(self, method: Method, data: Microdata, seed: Seed) -> DonorMap: ...


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
    _require_method(method)
    table = Table(data)
    schema = Schema.infer(table) if schema is None else _require_schema(schema)
    schema.check(table)
    schema = schema.in_order(table.names)
    _require_something_to_mask(table, schema)
    root = Seed.fresh() if seed is None else Seed.chosen_by_user(seed)
    microdata = Microdata.of(table, schema)
    found = (engine or Local()).donors(method, microdata, root)
    changes = _changes(microdata, found)
    notes = _notes(changes, len(table))
    for note in notes:
        warnings.warn(note, SwapmeetWarning, stacklevel=2)
    masked = dict(zip(microdata.names, found.matrix.T, strict=True))
    return Release(
        data=table.take(masked, schema.published),
        method=method.name,
        settings=method.settings(),
        changes=changes,
        notes=notes,
        reproducible=root.chosen,
        audit=AuditRecord(
            root,
            schema.published,
            _over_all_columns(found, microdata.names, schema.published),
            root.stream("order").permutation(len(table)),
        ),
    )


def _require_method(method: object) -> None:
    if not isinstance(method, Method):
        raise UsageError(
            "mask: `method` must be a method such as RWN(k=10); "
            f"got {getattr(method, '__name__', type(method).__name__)}."
        )


def _require_schema(schema: object) -> Schema:
    if not isinstance(schema, Schema):
        raise UsageError(
            f"mask: `schema` must be a Schema; got a {type(schema).__name__}. "
            "Make one with Schema.infer(data).assign(...)."
        )
    return schema


def _require_something_to_mask(table: Table, schema: Schema) -> None:
    if len(table) == 0:
        raise TableError("the table has no rows; there is nothing to mask.")
    if not schema.masked:
        counts = ", ".join(f"{len(schema.having(role))} {role}" for role in Role)
        raise TableError(
            f"no column to mask ({counts}). Give at least one the role key or sensitive."
        )


def _changes(data: Microdata, found: DonorMap) -> tuple[ColumnChange, ...]:
    own = np.arange(data.n)
    return tuple(
        _change(variable.name, donors, own, variable.differs(donors))
        for variable, donors in zip(data.variables, found.matrix.T, strict=True)
    )


def _change(
    name: str,
    donors: npt.NDArray[np.int64],
    own: npt.NDArray[np.int64],
    differs: npt.NDArray[np.bool_],
) -> ColumnChange:
    suppressed = donors < 0
    return ColumnChange(
        name=name,
        moved=float(((donors != own) & ~suppressed).mean()),
        changed=float(differs.mean()),
        suppressed=float(suppressed.mean()),
    )


def _notes(changes: tuple[ColumnChange, ...], rows: int) -> tuple[str, ...]:
    still = [c.name for c in changes if c.changed < UNCHANGED and c.moved >= EXPECTED]
    notes = []
    if still:
        columns = "column" if len(still) == 1 else "columns"
        notes.append(
            f"{columns} {', '.join(still)}: effectively unchanged (fewer than {UNCHANGED:.0%} of "
            "the values differ), because neighbours mostly have the same value. "
            "A smaller weight in the distance lets a column change more."
        )
    lost = max(change.suppressed for change in changes)
    if lost > 0:
        notes.append(
            f"{round(lost * rows)} of {rows} records have no neighbour and were suppressed: "
            "their masked values are missing."
        )
    return tuple(notes)


def _over_all_columns(
    found: DonorMap, masked: tuple[str, ...], published: tuple[str, ...]
) -> DonorMap:
    """The donor map of the release: columns that were not masked stay with their row."""
    if masked == published:
        return found
    whole = DonorMap.identity(len(found.matrix), len(published)).matrix
    whole[:, [published.index(name) for name in masked]] = found.matrix
    return DonorMap(whole)
