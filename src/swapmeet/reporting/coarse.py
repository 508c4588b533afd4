"""Figures for the public, in coarse words: an exact one would let intruders test their guesses."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from swapmeet.base.sentences import join_names

if TYPE_CHECKING:
    from collections.abc import Sequence

BRACKETS = (
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
    few = next((words for most, words in BRACKETS if share < most), None)
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
