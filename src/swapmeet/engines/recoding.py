"""Steps of all engines for tables that are recoded before they are masked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from swapmeet.errors import SchemaError, UsageError
from swapmeet.release.audit import AuditRecord, read_texts
from swapmeet.tables.recoding.recoded import Recoded

if TYPE_CHECKING:
    from swapmeet.engines.protocol import Engine
    from swapmeet.tables.frame import Table
    from swapmeet.tables.schema import Schema

OTHER_STEPS = (
    "assess: the release was recoded by other steps than those given. Leave `recode` out: the "
    "release, or its audit record, tells the steps."
)


def recode_data(engine: Engine[Any, Any], data: Any, schema: Schema) -> Recoded[Any]:
    """The table after the steps of the schema, as the engine takes it."""
    if not schema.recodes:
        return Recoded(data)
    from swapmeet.tables.recoding.recode import read_recodes as recodes_of

    recodes = recodes_of(schema)
    units = [r.column for r in recodes if schema[r.column].role.is_unit]
    if units:
        raise SchemaError(
            f"recode: column {name!r} tells which rows belong together, and cannot be recoded."
            for name in dict.fromkeys(units)
        )
    _refuse_parents(schema, {recode.column for recode in recodes})
    return engine.recode(data, recodes)


def _refuse_parents(schema: Schema, recoded: set[str]) -> None:
    """Refuse to recode what another column is computed from, which would not follow any more."""
    if not schema.ties.derive:
        return
    from swapmeet.tables.derivations import order_derivations

    problems = [
        f"recode: {one.name!r} is computed from {parent!r}, and would not follow from its recoded "
        f"values. Leave out the step or the derivation of {one.name!r}."
        for one in order_derivations(schema.ties.derive)
        for parent in one.parents
        if parent in recoded and one.looked_up is None and not one.has_rest
    ]
    if problems:
        raise SchemaError(problems)


def examine_recoded(schema: Schema, head: Table) -> Schema:
    """The schema, with what looks like an identifier after the steps; judged by these rows."""
    if not schema.recodes:
        return schema
    from swapmeet.tables.recoding.plan import RecodePlan
    from swapmeet.tables.recoding.recode import read_recodes as recodes_of

    recodes = recodes_of(schema)
    RecodePlan(recodes).require_columns(head.names)
    plan = RecodePlan.settle(recodes, lambda so_far, recode: so_far.count_levels(head, recode))
    return schema.examine_again(plan.apply(head)[0], plan.columns)


def find_recodes(release: Any, audit: Any, given: tuple[str, ...]) -> tuple[str, ...]:
    """The steps that a release was recoded by: as it or its audit record tells, or as given."""
    own = _find_own(release, audit)
    if own and given and own != given:
        raise UsageError(OTHER_STEPS)
    return own or given


def _find_own(release: Any, audit: Any) -> tuple[str, ...]:
    record = getattr(release, "audit", audit)
    if isinstance(record, AuditRecord):
        return record.recodes
    recodes: tuple[str, ...] | None = getattr(getattr(release, "schema", None), "recodes", None)
    if recodes is not None:
        return recodes
    return () if audit is None else read_texts(audit, "recode")
