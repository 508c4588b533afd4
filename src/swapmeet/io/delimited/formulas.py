"""Text that a spreadsheet would take for a formula and run: =cmd…, +…, -…, @…

Spreadsheets run such cells of a delimited text when it is opened. Numbers are none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from swapmeet.errors import warn

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_STARTS: Final = r'^"?[=+\-@\t\r]'
_NUMBER: Final = r'^"?[+-]?(?:[0-9][0-9 .,]*|[.,][0-9]+)(?:[eE][+-]?[0-9]+)?%?"?$'


def count_formulas(cells: Any, values: Any) -> int:
    """Count the cells of a column that a spreadsheet would run, as they are written."""
    if not is_text(values.type):
        return 0
    return pc.sum(find_formulas(cells), min_count=0).as_py() or 0


def find_formulas(cells: Any) -> Any:
    """Flag the cells that a spreadsheet would run.

    >>> import pyarrow as pa
    >>> find_formulas(pa.array(["=1+1", "-5", '"@sum"', "-", "+49 30", "a=b"])).to_pylist()
    [True, False, True, True, False, False]
    """
    starts = pc.match_substring_regex(cells, _STARTS)
    return pc.and_(starts, pc.invert(pc.match_substring_regex(cells, _NUMBER)))


def guard_formulas(cells: Any) -> Any:
    """Cells with an apostrophe before those that a spreadsheet would run.

    >>> import pyarrow as pa
    >>> guard_formulas(pa.array(["=1+1", "-5", "a=b"])).to_pylist()
    ["'=1+1", '-5', 'a=b']
    """
    guarded = pc.replace_substring_regex(cells, r'^("?)', r"\1'", max_replacements=1)
    return pc.if_else(find_formulas(cells), guarded, cells)


def unguard_text(values: Any) -> Any:
    """Text without the apostrophe that `guard_formulas` puts before it."""
    bare = pc.utf8_slice_codeunits(values, 1)
    guarded = pc.and_(pc.starts_with(values, "'"), find_formulas(bare))
    return pc.if_else(guarded, bare, values)


def has_guards(values: Any) -> bool:
    """Return whether a column has such apostrophes.

    >>> import pyarrow as pa
    >>> has_guards(pa.array(["'=1", "a"])), has_guards(pa.array(["'tis", None]))
    (True, False)
    """
    if not is_text(values.type) or not pc.any(pc.starts_with(values, "'")).as_py():
        return False
    return not unguard_text(values).equals(values)


def is_text(kind: Any) -> bool:
    """Return whether a type holds text, perhaps as categories."""
    text = pt.is_string(kind) or pt.is_large_string(kind) or pt.is_string_view(kind)
    return bool(text or pt.is_dictionary(kind))


def warn_of_formulas(target: Path, counts: Mapping[str, int]) -> None:
    """Tell how many such cells a file got, by column, and which columns have such names.

    Names are never guarded: programs that read the release look for them.
    """
    found = [f"{name!r} ({count})" for name, count in counts.items() if count]
    if found:
        warn(
            f"{target.name}: text that spreadsheets take for formulas and run stands in "
            f"{', '.join(found)}. Open the file as text, write .xlsx, where it is never "
            "one, or put an apostrophe before it: --guard-formulas."
        )
    names = pa.array(counts, pa.large_string())
    named = names.filter(find_formulas(names)).to_pylist()
    if named:
        warn(
            f"{target.name}: spreadsheets take names of columns for formulas and run them: "
            f"{', '.join(map(repr, named))}. Rename them in the original, or write .xlsx."
        )
