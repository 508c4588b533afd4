"""Everything that a report says, as a plain dict that JSON can hold."""

from __future__ import annotations

import math
import platform
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from swapmeet import __version__
from swapmeet.errors import ParameterError, UsageError, did_you_mean
from swapmeet.reporting.internal import build_internal
from swapmeet.reporting.public import build_public

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from swapmeet.reporting.pictures import Picture
    from swapmeet.reporting.sources import Sources

FORMAT = "swapmeet report 1"
AUDIENCES: dict[str, Callable[[Sources], dict[str, Any]]] = {
    "internal": build_internal,
    "public": build_public,
}
TITLES = {"internal": "Decision record of a data release", "public": "About this data release"}
INSIDE = {
    "labels": "names categories, which are for insiders",
    "reason": "is the decision in the curator's words, which are for insiders",
}
"""What only the decision record may hold, and why."""
LIBRARIES = ("numpy", "scipy", "numba", "pyarrow", "narwhals", "randomgen", "pandas")


def build_contents(
    sources: Sources, audience: str, pictures: Sequence[Picture] = ()
) -> dict[str, Any]:
    """All that the page says; pictures by their titles and descriptions."""
    return to_plain(
        {
            "format": FORMAT,
            "audience": audience,
            "title": sources.title or TITLES[require_audience(audience)],
            **AUDIENCES[audience](sources),
            "pictures": [picture.to_dict() for picture in pictures],
            "provenance": _provenance(sources, audience),
        }
    )


def require_audience(
    audience: str, spell: Callable[[str], str] = "`{}`".format, **given: object
) -> str:
    """The audience, if there is such a one, and if what is `given` is for it."""
    if audience not in AUDIENCES:
        raise ParameterError(
            f"report: no audience {audience!r}{did_you_mean(str(audience), AUDIENCES)} "
            f"There are {' and '.join(AUDIENCES)}."
        )
    for name, why in INSIDE.items():
        if audience == "public" and given.get(name):
            raise UsageError(
                f"report: {spell(name)} {why}. Leave it out of a report for the public."
            )
    return audience


def _provenance(sources: Sources, audience: str) -> dict[str, Any]:
    found = {
        "date": datetime.now(UTC).date().isoformat(),
        "swapmeet": __version__,
        "checksum": sources.checksum,
    }
    return found if audience == "public" else {**found, "versions": _versions()}


def _versions() -> dict[str, str]:
    from importlib.metadata import PackageNotFoundError, version

    found = {"python": platform.python_version()}
    for name in LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def to_plain(value: Any) -> Any:
    """The value as JSON holds it; a number that is none is null.

    >>> to_plain({"a": (1.0, float("nan")), "b": {"c": True}})
    {'a': [1.0, None], 'b': {'c': True}}
    """
    if isinstance(value, dict):
        return {str(name): to_plain(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_plain(one) for one in value]
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
