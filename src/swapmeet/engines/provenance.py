"""The origin of released cells, and the method, from the audit record."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from swapmeet.errors import ParameterError, UsageError
from swapmeet.measures.matching import UNKNOWN
from swapmeet.methods import METHODS, make
from swapmeet.release.audit_files import StoredMethod
from swapmeet.release.provenance import Provenance

if TYPE_CHECKING:
    from collections.abc import Collection

    from swapmeet.release.audit import AuditRecord
    from swapmeet.release.protection import Protection


def find_provenance(
    audit: AuditRecord | None, match: str, n: int = 0, without: Collection[str | None] = ()
) -> Provenance | None:
    """For rows in the order of their people; None where nobody knows whose they are.

    `n` is the number of rows in memory, 0 where they are elsewhere. Columns that it is to be
    `without` are numbers of units, which are nobody's values.
    """
    if audit is not None:
        method = restore_method(audit.method)
        gone = {*without, *audit.derived}
        return Provenance.of(
            audit.map, audit.columns, method, owned=audit.owned, derived=gone,
            protection=restore_protection(audit.protection),
        )  # fmt: skip
    return None if match == UNKNOWN else Provenance.claim(n)


def restore_protection(protection: Protection | None) -> Protection | None:
    """The protection that a record tells of, its steps as methods."""
    if protection is None:
        return None
    return replace(protection, steps=tuple(restore_method(step) for step in protection.steps))


def restore_method(method: Any) -> Any:
    """The method that a record tells of; None where it tells of none that is known here."""
    if not isinstance(method, StoredMethod):
        return method
    try:
        return make(method.name, method.settings)
    except ParameterError:
        _refuse_lost_function(method)
        return None


def _refuse_lost_function(method: StoredMethod) -> None:
    """Refuse to measure as if nobody knew the method, because a record cannot hold a function."""
    known = METHODS.get(method.name)
    lost = [p.name for p in known.parameters() if p.in_python_only] if known is not None else []
    for name in (name for name in lost if name in method.settings):
        raise UsageError(
            f"the release was masked by {method.name} with `{name}`, a function of yours "
            f"({method.settings[name]}), which an audit record cannot hold. Without it intruders "
            "who know the method would seem weaker than they are: assess in Python, and give the "
            "same method with the function, sm.assess(..., method=...)."
        )
    for part in method.settings.get("parts", ()):
        _refuse_lost_function(StoredMethod(part["name"], part))
