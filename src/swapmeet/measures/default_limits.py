"""Limits and measures that count where nobody names others; light, since help shows them."""

from __future__ import annotations

from collections.abc import Collection, Mapping

ALL = "all"
"""Name that stands for all measures."""
DEFAULT_LIMITS: Mapping[str, float] = {"linkage": 0.2, "copies": 0.01, "inference": 0.1}
"""Limits that judge a release where nobody names any.

The worst intruder finds at most 20 of 100 people; at most 1 of 100 has a record that is in the
release; and at most 10 of 100 more sensitive values are guessed right than for people who are not
in the file.
"""
UNIT_LIMITS: Mapping[str, float] = {
    "household-linkage": DEFAULT_LIMITS["linkage"],
    "person-linkage": DEFAULT_LIMITS["linkage"],
}
"""Limits of releases whose rows are tied together as households or persons."""
SYNTHETIC_LIMITS: Mapping[str, float] = {"copies": 0.01, "inference": 0.1, "membership": 0.1}
"""Limits of synthetic rows, which are nobody's; `linkage` too, where it is defined."""
LOSSES = ("margins", "correlations", "relations", "screened-propensity", "spread", "ties")
"""Losses to look at first: what a search minimises, correlations, variances, ties of columns."""
DEFAULT_MEASURES = (*dict.fromkeys((*DEFAULT_LIMITS, *UNIT_LIMITS, *SYNTHETIC_LIMITS, *LOSSES)),)
"""Measures of a card where nobody names any, as far as they apply: the verdict's, and losses."""


def list_default_limits(
    roles: Collection[str] = (), *, owned: bool = True, linked: bool = True
) -> dict[str, float]:
    """The limits where nobody names any, for whatever judges or recommends a release.

    Columns in the `roles` of household and person tie rows together. Rows that are not `owned` are
    synthetic; `linked` says whether `linkage` is defined for them.

    >>> list(list_default_limits({"key", "household"}))
    ['linkage', 'copies', 'inference', 'household-linkage']
    """
    if owned:
        units = {n: v for n, v in UNIT_LIMITS.items() if n.removesuffix("-linkage") in roles}
        return {**DEFAULT_LIMITS, **units}
    linkage = {"linkage": DEFAULT_LIMITS["linkage"]} if linked else {}
    return {**linkage, **SYNTHETIC_LIMITS}


def are_default(limits: Mapping[str, float]) -> bool:
    """Return whether limits are the default ones of people's rows, tied together or not."""
    return {n: v for n, v in limits.items() if UNIT_LIMITS.get(n) != v} == dict(DEFAULT_LIMITS)


def say_limits(limits: Mapping[str, float]) -> str:
    """The limits as they would be written.

    >>> say_limits(DEFAULT_LIMITS)
    'linkage=0.2, copies=0.01, inference=0.1'
    """
    return ", ".join(f"{name}={limit:g}" for name, limit in limits.items())
