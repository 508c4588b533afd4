"""Refusals before a table is masked or compared, whichever engine does it."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from swapmeet.base.seeds import Seed
from swapmeet.comparison.weights import refuse_flaws, refuse_several, say_no_numbers
from swapmeet.engines.recoding import examine_recoded
from swapmeet.errors import SchemaError, TableError, UsageError
from swapmeet.methods import CLASSES, Method
from swapmeet.tables.arrow import Family
from swapmeet.tables.microdata import Microdata
from swapmeet.tables.missing_codes import warn_of_absent_codes
from swapmeet.tables.schema import Role, Schema, require_schema
from swapmeet.tables.schema_guess import reconsider_kinds

if TYPE_CHECKING:
    from swapmeet.engines.protocol import Engine
    from swapmeet.tables.frame import Table
    from swapmeet.tables.roles import Roles

WEIGHTS = {Family.INTEGER, Family.FLOAT, Family.DECIMAL, Family.EMPTY}
"""Contents of a column of weights."""


def settle_schema(
    engine: Engine[Any, Any],
    data: Any,
    schema: Schema | None,
    asked_by: str,
    roles: Roles | None = None,
) -> tuple[Schema, tuple[str, ...]]:
    """The schema given, or else inferred, if it fits; with remarks on how it was inferred.

    Its columns are in the order of the table, and have the `roles` that were given besides.
    """
    remarks: tuple[str, ...] = ()
    if schema is None:
        guessed, remarks = engine.infer(data)
        schema = guessed.assign(**(roles or {}))
        if engine.in_memory:
            schema = reconsider_kinds(schema, engine.head(data))
            if roles and "missing" in roles:
                warn_of_absent_codes(schema, [engine.head(data)])
        schema = examine_recoded(schema, engine.head(data))
        schema.warn_of_concerns()
        remarks += list_published(schema)
    schema = engine.complete(require_schema(schema, asked_by), data)
    head = engine.head(data)
    schema = settle_weights(schema, head)
    schema.check(head)
    return schema.in_order(head.names), remarks


def settle_weights(schema: Schema, head: Table) -> Schema:
    """The schema, in which a weight is numeric; refuse two of them, and what is no weight."""
    names = schema.having(Role.WEIGHT)
    refuse_several(names)
    for name in names:
        if name in head.names:
            if head.family(name) not in WEIGHTS:
                raise SchemaError([say_no_numbers(name)])
            refuse_flaws(name, head.numbers(name))
            schema = schema.assign(numeric=[name])
    return schema


def check_identifiers(
    engine: Engine[Any, Any], data: Any, schema: Schema
) -> tuple[Schema, tuple[str, ...]]:
    """The schema, with what looks like an identifier in this table.

    What is neither dropped nor knowingly published is warned of, what is published remarked on.
    """
    schema = examine_recoded(schema.find_identifiers(engine.head(data)), engine.head(data))
    schema.warn_of_concerns()
    return schema, list_published(schema)


def list_published(schema: Schema) -> tuple[str, ...]:
    """Remarks on the columns that look like identifiers and are knowingly published."""
    return tuple(
        f"column {column.name!r} looks like a direct identifier ({column.identifier}), and is "
        "published as asked."
        for column in schema
        if column.identifier and column.publish and column.role is not Role.DROP
    )


def choose_seed(seed: int | None) -> Seed:
    """A seed from the operating system, unless the user chose one."""
    return Seed.fresh() if seed is None else Seed.chosen_by_user(seed)


def require_method(method: object) -> None:
    """Refuse what is no method, such as the class or the name of one."""
    if isinstance(method, Method):
        return
    shown = getattr(method, "__name__", type(method).__name__)
    if isinstance(method, str) and method in CLASSES:
        shown = f"the name {method!r}. Give sm.{CLASSES[method]}(...) with its parameters"
    raise UsageError(f"mask: `method` must be a method such as RWN(k=10); got {shown}.")


def require_something_to_mask(rows: int, schema: Schema) -> None:
    """Refuse a table without rows that could trade, or without a column to mask."""
    if rows == 0:
        raise TableError("the table has no rows; there is nothing to mask.")
    if rows == 1:
        raise TableError("the table has only 1 row; there is no other to trade values with.")
    if not schema.masked:
        counts = ", ".join(f"{n} {role}" for role in Role if (n := len(schema.having(role))))
        raise TableError(
            f"no column to mask ({counts}). Give at least one the role key or sensitive."
        )


def require_all_rows_at_once(method: Method) -> None:
    """Refuse a method that must see the whole table, where it is masked in pieces."""
    if method.needs_all_rows:
        raise UsageError(
            f"{method.name} looks at all rows at once, and cannot mask a table block by block. "
            "Mask it in memory: without `block_rows` or --memory, and not as a Spark frame."
        )


def refuse_context(method: Method, schema: Schema, where: str) -> None:
    """Refuse a method that looks at columns it does not mask, where it is not shown any."""
    names = method.find_context(schema)
    if names:
        raise UsageError(
            f"{method.name}: looks at {', '.join(names)} without masking, which {where} does not "
            "support. Mask the table in memory, or give the columns the role key."
        )


def check_first_rows(method: Method, head: Table, schema: Schema) -> None:
    """Refuse at once what some rows show that the method cannot mask.

    Whether there are enough rows is not for some of them to tell.
    """
    first = Microdata.of(head, schema)
    with suppress(TableError):
        method.check(first)
