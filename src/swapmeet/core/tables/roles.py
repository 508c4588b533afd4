"""Roles of columns as arguments: `mask(df, method, drop=["id"], sensitive=["income"])`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from swapmeet.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from swapmeet.core.tables.frame import Frame
    from swapmeet.core.tables.schema import Schema

    Names = Iterable[str] | str


def collect_roles(asked_by: str, schema: object, **roles: Any) -> dict[str, Any]:
    """The roles that were given; refused beside a schema, which has its own.

    >>> collect_roles("mask", None, key=(), drop=["id"])
    {'drop': ['id']}
    """
    given = {name: names for name, names in roles.items() if not _is_empty(names)}
    if given and schema is not None:
        words = ", ".join(f"{name}=..." for name in given)
        raise UsageError(
            f"{asked_by}: give roles by `schema` or by {', '.join(given)}, not by both. "
            f"To add to a schema: schema.assign({words})."
        )
    return given


def infer_with_roles(data: Frame, roles: Mapping[str, Any]) -> Schema:
    """The schema that a table suggests, with these roles; what is left to decide is warned of."""
    from swapmeet.core.tables.schema import Schema

    schema = Schema.guess(data, {}).assign(**roles)
    schema.warn_of_concerns(stacklevel=4)
    return schema


def _is_empty(names: Any) -> bool:
    return names is None or (isinstance(names, (str, list, tuple, set, frozenset)) and not names)
