"""How pages write figures, times and names."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Any

from swapmeet.app.words import explain_options, say_on_page
from swapmeet.core.base import sentences
from swapmeet.core.base.sentences import figure, join_names
from swapmeet.reporting import figures

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

MINUTE, HOUR = 60.0, 3600.0


def duration(seconds: float) -> str:
    """A time for people.

    >>> duration(0.4), duration(42.2), duration(160), duration(8000)
    ('a second', '42 seconds', '3 minutes', '2.2 hours')
    """
    if seconds < 1.5:
        return "a second"
    if seconds < 1.5 * MINUTE:
        return f"{seconds:.0f} seconds"
    return f"{seconds / MINUTE:.0f} minutes" if seconds < HOUR else f"{seconds / HOUR:.1f} hours"


def clock(moment: float) -> str:
    """A time of the day, here."""
    return time.strftime("%H:%M", time.localtime(moment))


def in_100(share: float | None) -> str:
    """A share as so many of 100 people.

    >>> in_100(0.034), in_100(1.0), in_100(0.998), in_100(None)
    ('3.4 of 100', '100 of 100', 'more than 99 of 100', '–')
    """
    if share is None:
        return figures.NOTHING
    many = 100.0 * share
    return f"{'more than 99' if 99.5 <= many < 100.0 else figure(many, 2)} of 100"


def range_in_100(interval: Sequence[float]) -> str:
    """An interval of a share, in people of 100.

    >>> range_in_100([0.0743, 0.1675])
    '7.4 to 17'
    """
    return " to ".join(figure(100.0 * end, 2) for end in interval)


def number(value: float | None) -> str:
    """A number of any size, without powers of ten.

    >>> number(16343.2), number(-0.0321), number(None)
    ('16,343', '-0.0321', '–')
    """
    return figures.NOTHING if value is None or not math.isfinite(value) else figure(value)


def label_setting(facts: Mapping[str, Any]) -> str:
    """A method with its settings, in short.

    >>> label_setting({"method": "rwn", "chosen": {"k": 7}, "protect": True})
    'rwn k=7, then exposed people more'
    """
    told = [f"{name}={figures.setting(value)}" for name, value in facts.get("chosen", {}).items()]
    more = ", then exposed people more" if facts.get("protect") else ""
    return " ".join([facts.get("method", ""), *told]) + more


FILTERS: dict[str, Callable[..., Any]] = {
    "figure": figures.figure,
    "coarse": figures.coarse,
    "number": number,
    "span": figures.span,
    "percent": figures.percent,
    "count": figures.count,
    "counted": sentences.count,
    "bounds": figures.bounds,
    "setting": figures.setting,
    "join_names": join_names,
    "duration": duration,
    "clock": clock,
    "in_100": in_100,
    "range_in_100": range_in_100,
    "label_setting": label_setting,
    "say_on_page": say_on_page,
    "explain_options": explain_options,
}
