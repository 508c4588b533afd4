"""Text that a spreadsheet would take for a formula and run: =cmd…, +…, -…, @…

Spreadsheets run such cells of a delimited text when it is opened. Numbers are none.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Final

import pyarrow.compute as pc
import pyarrow.types as pt

from swapmeet.errors import SwapmeetWarning

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_STARTS: Final = r'^"?[=+\-@\t\r]'
_NUMBER: Final = r'^"?[+-]?(?:[0-9][0-9 .,]*|[.,][0-9]+)(?:[eE][+-]?[0-9]+)?%?"?$'


def count_formulas(cells: Any, values: Any) -> int:
    """How many cells of a column, as they are written, a spreadsheet would run."""
    kind = values.type
    text = pt.is_string(kind) or pt.is_large_string(kind) or pt.is_string_view(kind)
    if not text and not pt.is_dictionary(kind):
        return 0
    return pc.sum(find_formulas(cells), min_count=0).as_py() or 0


def find_formulas(cells: Any) -> Any:
    """Which cells a spreadsheet would run.

    >>> import pyarrow as pa
    >>> find_formulas(pa.array(["=1+1", "-5", '"@sum"', "-", "+49 30", "a=b"])).to_pylist()
    [True, False, True, True, False, False]
    """
    starts = pc.match_substring_regex(cells, _STARTS)
    return pc.and_(starts, pc.invert(pc.match_substring_regex(cells, _NUMBER)))


def warn_of_formulas(target: Path, counts: Mapping[str, int]) -> None:
    """Tell how many such cells a file got, by column."""
    found = [f"{name!r} ({count})" for name, count in counts.items() if count]
    if found:
        warnings.warn(
            f"{target.name}: text that spreadsheets take for formulas and run stands in "
            f"{', '.join(found)}. Open the file as text, or write .xlsx, where it is never one.",
            SwapmeetWarning,
            stacklevel=2,
        )
