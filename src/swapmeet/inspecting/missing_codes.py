"""Codes that look as if they stood for a missing value: -9, 99, 8888, "refused".

Only well-known codes are looked for, and only where they stand apart from all other values; any
other value may be somebody's.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from swapmeet.base.sentences import count
from swapmeet.tables.arrow import CellType, numbers_of
from swapmeet.tables.identifiers import have_separators
from swapmeet.ties.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from swapmeet.base.arrays import Flags, Floats, Ints
    from swapmeet.inspecting.columns import Columns
    from swapmeet.tables.roles import Code

FEWEST = 3
"""A code stands in at least so many rows."""
MOST = 8
"""A column has no more codes than these."""
GAP = 5
"""Negative codes stand so far below values that are never negative."""
ONE_DIGIT, LONG = 10, 777
"""Codes below the one are as common as values; those from the other up are not."""
SPIKE, SHARE = 5, 0.01
"""A code amid the values is so many times as frequent as any of them, and in this share of rows."""
CODES = sorted(
    {
        sign * int(digit * length) - down
        for digit, downs in (("9", (0, 1, 2)), ("8", (0,)), ("7", (0,)))
        for length in range(1, 10)
        for sign in (1, -1)
        for down in downs
        if not (sign == -1 and down)
    }
    | {-98, -97, -998, -997, -9998, -9997, -6}
)
_CODES = np.array([*CODES, np.inf])
WORDS = re.compile(
    r"\?+|unknown|unbekannt|inconnu"
    r"|refused|refusal|don'?t know|do not know|dk|missing|no answer|not answered|not stated"
    r"|not available|n/?a|n\.a\.|na|keine angabe|k\.? ?a\.?|wei(ß|ss) nicht|verweigert|fehlt"
    r"|ne sait pas|nsp|refus|non r[ée]ponse|no sabe|no contesta|ns/nc|non risponde|-?9+|-?8{3,}",
    re.IGNORECASE,
)
TEXTS = 2_000
"""Texts with more levels than these are not read."""


AMONG_NUMBERS = re.compile(
    rf"({WORDS.pattern})|[-.*x]+|none|null|nil|nan|#?n/a!?|#null!|#value!|#div/0!|#ref!",
    re.IGNORECASE,
)
"""Words that stand for a missing value where all others are numbers."""
_NUMBER = r"^\s*[+-]?(?:(?:0|[1-9][0-9]*)(?:[.,][0-9]*)?|[.,][0-9]+)(?:[eE][+-]?[0-9]+)?\s*$"
NUMBERS = 0.9
"""A column of text holds numbers, and other words among them, if this share of its rows do."""
LOOKED_AT = 1_000


def find_missing_codes(columns: Columns) -> Iterator[Finding]:
    """Columns with well-known codes that stand apart from the rest."""
    for name in columns.names:
        if columns.schema[name].role.is_unit or columns.is_identifier(name):
            continue
        codes = find_codes_of(columns, name)
        if codes:
            rows = sum(codes.values())
            yield Finding(
                about=_tell(codes),
                columns=(name,),
                reason=f"in {count(rows, 'row')}, {_tell_why(columns, name)}",
                rows=rows,
                options=("--missing", f"{name}:{','.join(map(str, codes))}"),
                codes=tuple(codes),
            )


def find_codes_of(columns: Columns, name: str) -> dict[Code, int]:
    """The codes of a column, and how many rows have each."""
    if columns.has_numbers(name):
        return {**_find_numbers(columns, name), **_find_labelled(columns, name)}
    family = columns.table.family(name)
    if family not in {CellType.TEXT, CellType.CATEGORY}:
        return {}
    if words := list_words_among_numbers(columns, name):
        return words if all(map(_can_be_given, words)) and _mean_missing(words) else {}
    return _find_words(columns, name) if columns.distinct(name) <= TEXTS else {}


def list_words_among_numbers(columns: Columns, name: str) -> dict[Code, int]:
    """The few words in a column of text that otherwise holds numbers, and the rows of each.

    Numbers with thousands separators stay text whatever becomes of the words.
    """
    levels = columns.table.codes(name).dictionary
    if columns.table.family(name) is not CellType.TEXT or levels is None:
        return {}
    if have_separators(columns.texts(name)):
        return {}
    if not _are_numbers(levels[:LOOKED_AT]).any():
        return {}
    others = np.flatnonzero(~_are_numbers(levels))
    counts = np.bincount(columns.codes(name), minlength=len(levels) + 1)[1:]
    rows = counts[others]
    if not 0 < len(others) <= MOST or rows.sum() > (1 - NUMBERS) * counts.sum():
        return {}
    words = levels.take(others).to_pylist()
    return {word: int(rows) for word, rows in zip(words, rows, strict=True) if rows}


def _are_numbers(texts: Any) -> Flags:
    import pyarrow as pa
    import pyarrow.compute as pc

    return np.asarray(pc.match_substring_regex(texts.cast(pa.large_string()), _NUMBER))


def _mean_missing(words: Iterable[Code]) -> bool:
    return all(AMONG_NUMBERS.fullmatch(str(word).strip()) for word in words)


def _tell_why(columns: Columns, name: str) -> str:
    if columns.table.family(name) is CellType.TEXT and list_words_among_numbers(columns, name):
        return "and all others hold numbers, which are read as categories because of it"
    if not columns.has_numbers(name):
        return "judging by the word"
    return "judging by labels in the file, or far from all other values" if _find_labelled(
        columns, name
    ) else "far from all other values"  # fmt: skip


def _find_labelled(columns: Columns, name: str) -> dict[Code, int]:
    """Numbers whose label in the file says that they stand for a missing value."""
    labels = columns.labels.get(name, {})
    codes = [code for code, label in labels.items() if WORDS.fullmatch(str(label).strip())]
    if not codes:
        return {}
    values, counts = _count_values(columns, name)
    rows = dict(zip(values.tolist(), counts.tolist(), strict=True))
    candidates = {code: rows.get(code, 0) for code in codes if isinstance(code, (int, float))}
    return {
        (int(code) if float(code).is_integer() else code): number
        for code, number in candidates.items()
        if number >= FEWEST
    }


def _tell(codes: dict[Code, int]) -> str:
    listed = ", ".join(map(str, codes))
    if len(codes) == 1:
        return f"{listed} looks like a code for a missing value"
    return f"{listed} look like codes for missing values"


def _find_numbers(columns: Columns, name: str) -> dict[Code, int]:
    values, counts = _count_values(columns, name)
    known = _CODES[np.searchsorted(_CODES[:-1], values)] == values
    known &= (counts >= FEWEST) & np.isfinite(values)
    if not known.any():
        return {}
    order = np.argsort(values)
    values, counts, known = values[order], counts[order], known[order]
    above = _take_above(values, known)
    if above and values[above[-1]] < ONE_DIGIT and not _stand_beside_a_scale(values, counts, above):
        above = []
    apart = {*_take_below(values, known), *above}
    places = sorted(apart | set(_take_spikes(values, counts, known)))
    if not places or len(places) > MOST or len(values) - len(places) < 2:
        return {}
    return {int(values[at]): int(counts[at]) for at in places}


def _count_values(columns: Columns, name: str) -> tuple[Floats, Ints]:
    """The distinct numbers, and how many rows have each."""
    counts = np.bincount(columns.codes(name), minlength=columns.room(name))[1:]
    there = counts > 0
    return numbers_of(columns.table.codes(name).dictionary)[there], counts[there]


def _take_below(values: Floats, known: Flags) -> list[int]:
    """All negative values, if they are codes far below the rest, which has none."""
    negative = np.flatnonzero(values < 0.0)
    rest = values[values >= 0.0]
    if not len(negative) or not len(rest) or not known[negative].all():
        return []
    return negative.tolist() if rest[0] - values[negative[-1]] >= GAP else []


def _take_above(values: Floats, known: Flags) -> list[int]:
    """The codes at the top, if the gap below them is wide beside all that lies below it."""
    places: list[int] = []
    for at in range(len(values) - 1, 0, -1):
        if not known[at] or len(places) >= MOST:
            break
        places.append(at)
        if _is_apart(values, at, len(places)):
            return places
    return []


def _is_apart(values: Floats, at: int, codes: int) -> bool:
    rest = values[:at]
    rest = rest[rest >= 0.0]
    if len(rest) < 2:
        return False
    gap, width = values[at] - rest[-1], rest[-1] - rest[0]
    if values[at] > ONE_DIGIT:
        return bool(gap >= max(width / 2, 2.0))
    return bool(gap >= max(width, 2.0) or (codes > 1 and gap >= max(width / 2, 2.0)))


def _stand_beside_a_scale(values: Floats, counts: Ints, codes: list[int]) -> bool:
    """Return whether one-digit codes are rarer than each value of a gapless scale from 0 or 1.

    Otherwise 9 is probably a category, such as «other» beside 2 and 3.
    """
    rest, most = codes[-1], counts[codes].max()
    whole = np.array_equal(values[:rest], values[0] + np.arange(rest))
    return bool(whole and values[0] in {0.0, 1.0} and most < counts[:rest].min())


def _take_spikes(values: Floats, counts: Ints, known: Flags) -> list[int]:
    """Codes of three digits or more that are far more frequent than any value but 0."""
    others = counts[~known & (values != 0.0)]
    most = int(others.max(initial=0))
    spike = known & (np.abs(values) >= LONG) & (counts >= max(SPIKE * most, SHARE * counts.sum()))
    return np.flatnonzero(spike).tolist()


def _find_words(columns: Columns, name: str) -> dict[Code, int]:
    """Words for missing; a 9 is none among texts that are numbers with thousands separators."""
    levels = columns.table.codes(name).dictionary
    counts = np.bincount(columns.codes(name), minlength=len(levels) + 1)[1:]
    written = have_separators(columns.texts(name))
    words: dict[Code, int] = {
        str(level): int(rows)
        for level, rows in zip(levels.to_pylist(), counts.tolist(), strict=True)
        if isinstance(level, str) and rows >= FEWEST and WORDS.fullmatch(level.strip())
        and not (written and level.strip().lstrip("-").isdecimal())
    }  # fmt: skip
    told_apart = len(words) <= MOST and len(words) < columns.distinct(name)
    return {code: rows for code, rows in words.items() if _can_be_given(code)} if told_apart else {}


def _can_be_given(code: Code) -> bool:
    """Return whether the option can name it."""
    return "," not in str(code) and str(code) == str(code).strip()
