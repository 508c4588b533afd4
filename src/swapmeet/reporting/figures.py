"""Figures for people, as reports show them, and in coarse words for the public."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import Any

from swapmeet.base import sentences
from swapmeet.base.sentences import LEAST, join_names

NOTHING = "–"
TINY = 1e-12
"""Less than this is what rounding leaves of nothing."""


def figure(value: Any) -> str:
    """A number in few digits; a dash for none.

    >>> figure(0.123456), figure(1234567.0), figure(None), figure(float("nan"))
    ('0.123', '1.23e+06', '–', '–')
    """
    return NOTHING if _is_none(value) else f"{0.0 if abs(value) < TINY else value:.3g}"


def coarse(value: Any) -> str:
    """The figure of a measure; what is very small is only said to be so.

    >>> coarse(0.123456), coarse(9.4e-31), coarse(0.0), coarse(-2e-6), coarse(None)
    ('0.123', 'less than 0.0001', '0', 'less than 0.0001', '–')
    """
    if _is_none(value) or value == 0.0 or abs(value) >= LEAST:
        return figure(value)
    return sentences.figure(value)


def span(ends: Any) -> str:
    """An interval; nothing where there is none. What is very small is rounded outwards.

    >>> span([0.1, 0.25]), span([3e-9, 4e-8]), span(None)
    ('[0.1, 0.25]', '[0, 0.0001]', '')
    """
    if ends is None:
        return ""
    low, high = ends
    return f"[{figure(_coarsen(low, math.floor))}, {figure(_coarsen(high, math.ceil))}]"


def percent(share: Any) -> str:
    """A share; neither all nor nothing unless it is.

    >>> percent(0.1234), percent(0.0), percent(0.9999), percent(0.0001), percent(None)
    ('12.3 %', '0 %', '>99.9 %', '<0.1 %', '–')
    """
    if _is_none(share):
        return NOTHING
    if 0.0 < share < 0.001:
        return "<0.1 %"
    if 0.999 < share < 1.0:
        return ">99.9 %"
    return f"{100.0 * share:.3g} %"


def count(number: Any) -> str:
    """A count.

    >>> count(1234567)
    '1,234,567'
    """
    return NOTHING if _is_none(number) else f"{number:,}"


def bounds(ends: Any) -> str:
    """A range in words; its upper end may be open.

    >>> bounds([0.0, 1.0]), bounds([1.0, None])
    ('from 0 to 1', 'from 1 up')
    """
    low, high = ends
    return f"from {low:g} up" if _is_none(high) else f"from {low:g} to {high:g}"


def setting(value: Any) -> str:
    """The value of a parameter.

    >>> setting({"age": 0.5, "sex": 1.0}), setting(["a", "b"]), setting(True), setting(1_500_000)
    ('age: 0.5, sex: 1', 'a, b', 'yes', '1,500,000')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return count(value)
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, dict):
        return ", ".join(f"{name}: {setting(one)}" for name, one in value.items())
    return ", ".join(map(setting, value)) if isinstance(value, (list, tuple)) else str(value)


def _is_none(value: Any) -> bool:
    return value is None or (isinstance(value, float) and not math.isfinite(value))


def _coarsen(value: Any, whole: Callable[[float], int]) -> Any:
    """Round what is very small to whole units of the least figure."""
    if _is_none(value) or not TINY <= abs(value) < LEAST:
        return value
    return LEAST * whole(value / LEAST)


FEW = (
    (0.01, "fewer than 1 in 100"),
    (0.05, "fewer than 1 in 20"),
    (0.1, "fewer than 1 in 10"),
)
NEARLY_ALL = 0.95
NOBODY = "nobody"
WITHIN = "the same within 1 %"
MOST_REPEATED = 3
MOST_NAMES = 25
"""More columns are counted rather than named: the table of columns names them."""


def describe_part(share: float) -> str:
    """Describe how many of them, in words for the middle of a sentence.

    >>> [describe_part(share) for share in (0.0, 0.004, 0.07, 0.31, 0.949, 0.97, 1.0)]
    ['none', 'fewer than 1 in 100', 'fewer than 1 in 10', 'about 3 in 10', 'about 9 in 10', \
'nearly all', 'all']
    """
    if share in {0.0, 1.0}:
        return "all" if share else "none"
    if share >= NEARLY_ALL:
        return "nearly all"
    few = next((words for most, words in FEW if share < most), None)
    return few or f"about {min(round(10.0 * share), 9)} in 10"


def describe_people(share: float) -> str:
    """Describe the number of people.

    >>> describe_people(0.0), describe_people(0.5), describe_people(1.0)
    ('nobody', 'about 5 in 10 people', 'all people')
    """
    return NOBODY if share == 0.0 else f"{describe_part(share)} people"


def describe_change(ratio: float) -> str:
    """A ratio as a change for the better or the worse, in whole percents.

    >>> describe_change(0.87), describe_change(1.2), describe_change(0.9999), describe_change(25.0)
    ('13 % smaller', '20 % larger', 'the same within 1 %', '25 times as large')
    """
    if ratio >= 2.0:
        return f"{ratio:.0f} times as large"
    percents = round(100.0 * (ratio - 1.0))
    if not percents:
        return WITHIN
    return f"{abs(percents)} % {'smaller' if percents < 0 else 'larger'}"


def name_columns(names: Sequence[str], total: int | None = None) -> str:
    """Columns in a sentence; of very many only how many they are, if not all of `total`.

    >>> name_columns(["age", "sex"]), name_columns([f"x{i}" for i in range(40)])
    ('age and sex', '40 columns (see the table of columns)')
    >>> name_columns(["age", "sex", "region", "wage"], 4)
    'all columns'
    """
    if total == len(names) > MOST_REPEATED:
        return "all columns"
    if len(names) > MOST_NAMES:
        return f"{len(names)} columns (see the table of columns)"
    return join_names(map(quote, names))


def quote(name: str) -> str:
    """A column's name in a sentence; between quotation marks where it does not read as one word.

    >>> quote("age"), quote("town & region")
    ('age', '‘town & region’')
    """
    return name if re.fullmatch(r"[\w.-]+", name) else f"‘{name}’"
