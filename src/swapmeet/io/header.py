"""The first line of a table: names of columns that can be told apart, or somebody's record.

A record that is taken for names would be published as the header of the release. Names are judged
by the values below them: a number above numbers, a date above dates, text that occurs again below
and names that occur twice speak for a record; text above numbers or dates speaks for names.
Series such as 2019, 2020, 2021 are names.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from swapmeet.errors import FileError, warn
from swapmeet.io.delimited.values import TypeGuess, strip_words

JUDGED_ROWS: Final = 1000
JUDGED_COLUMNS: Final = 500
"""Extent of a table that is looked at."""
_VALUES_PER_NAME: Final = 3
"""So many cells that look like values outweigh one that looks like a name."""
_LONGEST: Final = 200
_NUMBER: Final = re.compile(r"[+-]?(?:\d+[.,]?\d*|[.,]\d+)(?:[eE][+-]?\d+)?")
_YEARS: Final = range(1800, 2101)


def number_columns(count: int) -> list[str]:
    """Names for the columns of a table that has none.

    >>> number_columns(2)
    ['column_1', 'column_2']
    """
    return [f"column_{place}" for place in range(1, count + 1)]


def require_header(
    path: Path, first: Sequence[str], columns: Sequence[Any], *, decimal_comma: bool = False
) -> None:
    """Refuse a table whose first line seems to be a record; `columns` has the cells below it."""
    values, names = _weigh(first, columns, decimal_comma=decimal_comma)
    if values >= max(1, _VALUES_PER_NAME * names):
        raise FileError(
            f"{path}: does the first line name the columns? {values} of its {len(first)} "
            "cells look like values: numbers, dates, text that occurs again. If the file has no "
            "line of names, say --no-header (in Python header=False, in a run file header = false "
            "under [input]): columns are then called column_1, column_2 and so on. If the first "
            "line does name the columns, say --header (header=True)."
        )


def _weigh(first: Sequence[str], columns: Sequence[Any], *, decimal_comma: bool) -> tuple[int, int]:
    """Count the cells of the first line that look like values, and those like names."""
    words = strip_words(pa.array(first, pa.large_string())).to_pylist()
    series = _find_series(words)
    counts = Counter(word for word in words if word is not None)
    values = names = 0
    for place, (word, cells) in enumerate(zip(words, columns, strict=False)):
        if word is None:
            continue
        column = _Column(cells, decimal_comma=decimal_comma)
        if column.contradicts(word):
            names += 1
        elif counts[word] > 1 or (
            column.is_full_of_years(word) if place in series else column.might_hold(word)
        ):
            values += 1
    return values, names


class _Column:
    """The cells below a name, and what they say of it."""

    def __init__(self, tokens: Any, *, decimal_comma: bool) -> None:
        self._distinct = tokens.unique()
        self._guess = TypeGuess(decimal_comma=decimal_comma)
        self._guess.narrow(self._distinct)
        self._words = strip_words(self._distinct).drop_null()

    def contradicts(self, word: str) -> bool:
        """Return whether the column has a type that such a word does not fit."""
        return not self._is_text and not self._fits(word)

    def might_hold(self, word: str) -> bool:
        """Return whether a word is like the values of the column."""
        if len(self._words) == 0:
            return _NUMBER.fullmatch(word) is not None
        return self._fits(word) if not self._is_text else self._repeats(word) or self._shapes(word)

    def is_full_of_years(self, word: str) -> bool:
        """Return whether a year stands above years, among which it is found again."""
        return self._repeats(word) and all(map(_is_year, self._words.to_pylist()))

    @property
    def _is_text(self) -> bool:
        return pt.is_large_string(self._guess.type)

    def _fits(self, word: str) -> bool:
        before = self._guess.type
        both = TypeGuess(decimal_comma=True)
        both.narrow(pa.chunked_array([self._distinct, pa.array([word], pa.large_string())])
                    .combine_chunks())  # fmt: skip
        return both.type == before or {both.type, before} == {pa.int64(), pa.float64()}

    def _repeats(self, word: str) -> bool:
        """Return whether it occurs below; a column of one value may be called after it."""
        return len(self._words) > 1 and bool(pc.is_in(pa.scalar(word, self._words.type),
                                                      value_set=self._words).as_py())  # fmt: skip

    def _shapes(self, word: str) -> bool:
        """Return whether it has digits, and no letters, or letters and digits as in every value."""
        if not re.search(r"\d", word) or len(word) > _LONGEST:
            return False
        if not re.search(r"[^\W\d_]", word):
            return True
        return set(_shape_words(self._words)) == set(_shape_words(pa.array([word])))


def _shape_words(words: Any) -> Iterator[str]:
    digits = pc.replace_substring_regex(words, r"\d", "9")
    yield from pc.replace_substring_regex(digits, r"\pL+", "a").unique().to_pylist()


def _is_year(word: str) -> bool:
    return word.isdecimal() and len(word) == 4 and int(word) in _YEARS


def _find_series(words: Sequence[str | None]) -> set[int]:
    """The places of numbers that count on: years in order, or three or more at one distance."""
    places = [j for j, word in enumerate(words) if word is not None and _NUMBER.fullmatch(word)]
    numbers = [float(str(words[j]).replace(",", ".")) for j in places]
    steps = [after - before for before, after in pairwise(numbers)]
    if all(_is_year(str(words[j])) for j in places) and (
        all(step > 0 for step in steps) or all(step < 0 for step in steps)
    ):
        return set(places)
    even = len(steps) > 1 and steps[0] != 0 and all(
        abs(step - steps[0]) <= 1e-6 * abs(steps[0]) for step in steps
    )  # fmt: skip
    return set(places) if even else set()


def name_blanks(path: Path, names: Sequence[str]) -> list[str]:
    """The names of columns; one that has none is called by its place, with a note."""
    places = [str(place) for place, name in enumerate(names, 1) if not name.strip()]
    if places:
        warn(
            f"{path}: column {', '.join(places)} has no name in the file, and is called by its "
            f"place: column_{places[0]}."
        )
    return [name if name.strip() else f"column_{place}" for place, name in enumerate(names, 1)]


def check_names(path: Path, names: Iterable[str]) -> None:
    """Refuse a file in which two columns have the same name."""
    twice = [repr(name) for name, count in Counter(names).items() if count > 1]
    if twice:
        raise FileError(
            f"{path}: column names must differ; {', '.join(twice)} appears more than once. "
            "Rename the columns."
        )
