"""Roles of columns as arguments: `mask(df, method, drop=["id"], sensitive=["income"])`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from inspect import signature
from typing import TYPE_CHECKING, Any, ParamSpec, TypedDict, TypeVar

from swapmeet.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Mapping

    from swapmeet.tables.frame import Frame
    from swapmeet.tables.missing_codes import MissingCodes
    from swapmeet.tables.schema import Schema

Names = Iterable[str] | str
Given = ParamSpec("Given")
Result = TypeVar("Result")


class Roles(TypedDict, total=False):
    """Options about columns: their roles, and what ties them to each other.

    `publish` are columns that look like direct identifiers and are to be published all the same.
    `missing` are codes that stand for a missing value, such as -9: of all columns, or by column.
    `together` are sets of columns that move as one, `derive` texts such as "total = a + b", `rule`
    conditions that every row obeys; values of rows that break one and cannot be repaired are
    `unrepaired`: "suppress" (the default) or "leave". `recode` are steps such as
    "age: top 80", which run first. With `whole_households`, all members of a household have
    the values of one other household.
    """

    key: Names
    sensitive: Names
    place: Names
    keep: Names
    weight: Names
    strata: Names
    position: Names
    household: Names
    person: Names
    drop: Names
    publish: Names
    together: Iterable[Names]
    derive: Names
    rule: Names
    whole_households: bool
    unrepaired: str
    missing: MissingCodes
    recode: Names


KINDS = "Say the kinds of columns by schema=sm.Schema.infer(data).assign({name}=[...])."


class Settings(Roles, total=False):
    """Roles, and kinds."""

    numeric: Names
    ordinal: Names
    nominal: Names


def collect_roles(asked_by: str, schema: object, roles: Roles) -> Roles:
    """The roles that were given; refused beside a schema, which has its own.

    >>> collect_roles("mask", None, {"key": (), "drop": ["id"]})
    {'drop': ['id']}
    """
    given = {name: names for name, names in roles.items() if not _is_empty(names)}
    if given and schema is not None:
        words = ", ".join(f"{name}=..." for name in given)
        raise UsageError(
            f"{asked_by}: give roles by `schema` or by {', '.join(given)}, not by both. "
            f"To add to a schema: schema.assign({words})."
        )
    return given  # type: ignore[return-value]


def check_arguments(function: Callable[Given, Result]) -> Callable[Given, Result]:
    """Refuse an argument that a function does not have, with what was probably meant."""
    parameters = signature(function).parameters.values()
    known = [one.name for one in parameters if one.kind is not one.VAR_KEYWORD]
    if len(known) < len(parameters):
        known += Roles.__annotations__

    @wraps(function)
    def check_and_call(*args: Given.args, **given: Given.kwargs) -> Result:
        require_known(function.__name__, given, known)
        return function(*args, **given)

    return check_and_call


def require_known(asked_by: str, given: Iterable[str], known: Iterable[str]) -> None:
    """Refuse arguments that are none of the `known`."""
    known = list(known)
    for name in given:
        if name not in known:
            kind = name in Settings.__annotations__ and name not in Roles.__annotations__
            hint = f". {KINDS.format(name=name)}" if kind else did_you_mean(name, known)
            more = "" if hint != "." else f" It has {', '.join(known)}."
            raise UsageError(f"{asked_by}: there is no argument `{name}`{hint}{more}")


def list_names(names: Iterable[Any]) -> tuple[Any, ...]:
    """List names; a text is one of them, not a row of letters.

    >>> list_names("age"), list_names(["age", "sex"])
    (('age',), ('age', 'sex'))
    """
    return (names,) if isinstance(names, str) else tuple(names)


def infer_with_roles(data: Frame, roles: Roles, kinds: Mapping[str, str] | None = None) -> Schema:
    """The schema that a table suggests, with these roles; what is left to decide is warned of.

    `kinds` are those that a file itself declares.
    """
    schema = guess_with_roles(data, roles, kinds)
    schema.warn_of_concerns()
    return schema


def guess_with_roles(data: Frame, roles: Roles, kinds: Mapping[str, str] | None = None) -> Schema:
    """The same for callers that look for more before they warn."""
    from swapmeet.tables.frame import Table
    from swapmeet.tables.missing_codes import warn_of_absent_codes
    from swapmeet.tables.schema import Schema
    from swapmeet.tables.schema_guess import reconsider_kinds

    table = Table.of(data)
    schema = reconsider_kinds(Schema.guess(table, kinds or {}).assign(**roles), table)
    if "missing" in roles:
        warn_of_absent_codes(schema, [table])
    return schema


def list_missing(schema: Schema | None, roles: Roles | None = None) -> MissingCodes:
    """The codes for missing values: those of a schema by column, or as they were given."""
    if schema is None:
        return (roles or {}).get("missing", ())
    return {c.name: c.missing for c in getattr(schema, "columns", ()) if c.missing}


def _is_empty(names: Any) -> bool:
    return (
        names is None
        or names is False
        or (isinstance(names, (str, list, tuple, set, frozenset, dict)) and not names)
    )
