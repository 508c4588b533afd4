"""What the public may be told of a method's parameters, and how coarsely. All else stays inside.

An exact window, width or number of bins tells an intruder how far a value can have travelled; an
analyst only needs to know about how far.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def crowd(count: int) -> str:
    """About how many.

    >>> crowd(5), crowd(40), crowd(250)
    ('a few', 'some tens', 'a hundred or more')
    """
    if count < 10:
        return "a few"
    return "some tens" if count < 100 else "a hundred or more"


def chance(q: float) -> str:
    """How often, in tenths.

    >>> chance(0.87), chance(1.0), chance(0.02), chance(0.99)
    ('in about 9 of 10 cases', 'always', 'in fewer than 1 of 10 cases', 'nearly always')
    """
    tenths = round(10.0 * q)
    if q == 1.0:
        return "always"
    if q == 0.0:
        return "never"
    if tenths == 10:
        return "nearly always"
    return f"in about {tenths} of 10 cases" if tenths else "in fewer than 1 of 10 cases"


def rounded_up(share: float) -> str:
    """A bound, rounded up to a tenth.

    >>> rounded_up(0.31), rounded_up(0.3)
    ('about 0.4', 'about 0.3')
    """
    tenths = -int(-10.0 * share // 1)
    return f"about {tenths / 10:g}"


def tenth(share: float) -> str:
    """A share, rounded to a tenth.

    >>> tenth(0.234), tenth(0.01)
    ('about 0.2', 'less than 0.1')
    """
    return f"about {share:.1f}" if share >= 0.1 else "less than 0.1"


def yes_or_no(value: Any) -> str:
    """Whether something was done at all.

    >>> yes_or_no(0.05), yes_or_no(False)
    ('yes', 'no')
    """
    return "yes" if value else "no"


def _bins(value: Any) -> str:
    return crowd(max(value.values()) if isinstance(value, dict) else value)


Teller = tuple[str, "Callable[[Any], str]"]
"""What a parameter is called in public, and how its value is put."""

TOLD: dict[str, dict[str, Teller]] = {
    "rwn": {
        "q": ("a value was replaced", chance),
        "k": ("people in a neighbourhood", crowd),
    },
    "nbrs": {"q": ("a record was redrawn", chance)},
    "sjppds": {"bins": ("bins of a column", crowd)},
    "mews": {"bins": ("intervals of a column", _bins)},
    "meds": {"k": ("people in a group", crowd)},
    "microaggregation": {
        "k": ("people in a group", crowd),
        "permute": ("values trade places instead of becoming a mean", yes_or_no),
    },
    "kl-theta": {
        "k": ("people in a cluster", crowd),
        "theta": ("largest share of one value in a cluster", rounded_up),
    },
    "rank-swap": {
        "top": ("the highest values became their mean", yes_or_no),
        "bottom": ("the lowest values became their mean", yes_or_no),
    },
    "noise": {
        "level": ("size of the noise, in standard deviations of the column", tenth),
        "correlated": ("the noise follows the correlations", yes_or_no),
    },
    "cart": {"min_leaf": ("people in a leaf", crowd)},
    "data-shuffle": {},
    "per-column": {},
}


def told(method: str, settings: Mapping[str, Any]) -> list[dict[str, str]]:
    """What may be told of these settings.

    >>> told("rwn", {"k": 17, "q": 0.88, "weights": 0.1})
    [{'what': 'a value was replaced', 'value': 'in about 9 of 10 cases'}, \
{'what': 'people in a neighbourhood', 'value': 'some tens'}]
    """
    return [
        {"what": what, "value": teller(settings[name])}
        for name, (what, teller) in TOLD.get(method, {}).items()
        if settings.get(name) is not None
    ]
