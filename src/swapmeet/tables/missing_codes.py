"""Codes that stand for a missing value, such as -9 for "refused": they move, and count as missing.

A code never becomes another value: cells move as they are, so that the release has the codes of the
original. Only what methods and measures see of a table has a gap in their place.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from swapmeet.errors import SchemaError, did_you_mean, warn
from swapmeet.tables.arrow import CellType, family_of, numbers_of

if TYPE_CHECKING:
    import numpy.typing as npt

    from swapmeet.base.arrays import Flags, Floats
    from swapmeet.tables.frame import Table
    from swapmeet.tables.roles import Code, MissingCodes
    from swapmeet.tables.schema import Schema

_NUMBERS = {CellType.INTEGER, CellType.FLOAT, CellType.DECIMAL}


def list_codes(codes: object) -> tuple[Code, ...]:
    """The codes, each once; whole numbers as such.

    >>> list_codes([-9, -9.0, "refused"]), list_codes(99.5)
    ((-9, 'refused'), (99.5,))
    """
    listed = codes if isinstance(codes, Iterable) and not isinstance(codes, str) else [codes]
    return tuple(dict.fromkeys(map(_settle, listed)))


def assign_codes(given: MissingCodes, names: tuple[str, ...]) -> dict[str, tuple[Code, ...]]:
    """The codes of each column; those for all are the same for all `names`.

    >>> assign_codes({"income": [-9, -8]}, ("age", "income"))
    {'income': (-9, -8)}
    """
    if not isinstance(given, Mapping):
        codes = list_codes(given)
        _refuse_names(codes, names)
        return dict.fromkeys(names, codes)
    unknown = [name for name in given if name not in names]
    if unknown:
        raise SchemaError(
            f"missing: no column {name!r}{did_you_mean(str(name), names)}" for name in unknown
        )
    return {name: list_codes(codes) for name, codes in given.items()}


def _refuse_names(codes: tuple[Code, ...], names: tuple[str, ...]) -> None:
    """Refuse what looks like a code of one column among those for all columns."""
    pairs = [code.partition("=") for code in codes if isinstance(code, str)]
    problems = [
        f"missing: '{name}={code}' would be a text that stands for a missing value in any column. "
        f"For a code of column {name.strip()!r} write {name.strip()}:{code.strip()}."
        for name, equals, code in pairs
        if equals and name.strip() in names
    ]
    if problems:
        raise SchemaError(problems)


def warn_of_absent_codes(schema: Schema, pieces: Iterable[Table]) -> None:
    """Warn of codes of the schema that occur in no row; a code of all columns may occur in any."""
    everywhere = set.intersection(*(set(column.missing) for column in schema))
    absent: dict[tuple[str, Code], tuple[str, ...]] = {
        ("any column", code): schema.names for code in sorted(everywhere, key=str)
    }
    absent |= {
        (f"column {column.name!r}", code): (column.name,)
        for column in schema
        for code in column.missing
        if code not in everywhere
    }
    for table in pieces:
        for where, code in tuple(absent):
            if any(_occurs(table, name, code) for name in absent[where, code]):
                del absent[where, code]
        if not absent:
            return
    for where, code in absent:
        warn(f"missing: the code {code} occurs in no row of {where}. Check it, or leave it out.")


def _occurs(table: Table, name: str, code: Code) -> bool:
    """Return whether some row holds the code; a word among numbers was read as missing already."""
    family = table.family(name) if name in table.names else CellType.NESTED
    if family in {CellType.MIXED, CellType.NESTED} or (
        family in _NUMBERS and isinstance(code, str)
    ):
        return True
    levels = table.codes(name).dictionary
    return levels is not None and bool(flag_codes(levels, (code,)).any())


def assign_words(given: MissingCodes, names: Iterable[str]) -> dict[str, frozenset[str]]:
    """The texts among the codes of each column: they may stand among numbers.

    >>> sorted(assign_words({"age": ["n/a", -9]}, ("age", "sex")).items())
    [('age', frozenset({'n/a'})), ('sex', frozenset())]
    """
    by_column = given if isinstance(given, Mapping) else dict.fromkeys(names, given)
    return {
        name: frozenset(
            code for code in list_codes(by_column.get(name, ())) if isinstance(code, str)
        )
        for name in names
    }


def flag_codes(cells: Any, codes: tuple[Code, ...]) -> Flags:
    """Flag the cells of an Arrow array that hold one of the codes.

    >>> import pyarrow as pa
    >>> flag_codes(pa.array([31, -9, None, 99]), (-9, 99)).tolist()
    [False, True, False, True]
    """
    import pyarrow.types as pt

    if cells is None or not codes:
        return np.zeros(0 if cells is None else len(cells), bool)
    if pt.is_dictionary(cells.type):
        levels = np.append(flag_codes(cells.dictionary, codes), False)
        places = cells.indices.fill_null(len(levels) - 1).to_numpy(zero_copy_only=False)
        return np.asarray(levels[places])
    family = family_of(cells, ordered=False)
    if family in _NUMBERS:
        return _flag_numbers(numbers_of(cells), codes)
    return _flag_texts(cells, codes) if family in {CellType.TEXT, CellType.TIME} else _none(cells)


def blank_values(values: npt.NDArray[Any], flags: Flags) -> npt.NDArray[Any]:
    """Numbers or level codes, with a gap where a cell holds a code."""
    if not flags.any():
        return values
    gap = np.nan if values.dtype.kind == "f" else -1
    return np.where(flags, np.asarray(gap, values.dtype), values)


def _flag_numbers(numbers: Floats, codes: tuple[Code, ...]) -> Flags:
    flags = np.zeros(len(numbers), bool)
    for code in codes:
        if not isinstance(code, str):
            flags |= numbers == code
    return flags


def _flag_texts(cells: Any, codes: tuple[Code, ...]) -> Flags:
    """Flag codes as they are written; among moments, codes that are no moments do not count."""
    import pyarrow as pa
    import pyarrow.compute as pc

    flags = _none(cells)
    for code in codes:
        with suppress(pa.ArrowException):
            known = pa.scalar(str(code)).cast(cells.type)
            flags |= np.asarray(pc.fill_null(pc.equal(cells, known), False))  # noqa: FBT003
    return flags


def _none(cells: Any) -> Flags:
    return np.zeros(len(cells), bool)


def _settle(code: object) -> Code:
    if isinstance(code, np.generic):
        code = code.item()
    if isinstance(code, bool) or not isinstance(code, (int, float, str)) or code != code:
        raise SchemaError(["missing: a code must be a number or a text, such as -9 or 'refused'."])
    return int(code) if isinstance(code, float) and code.is_integer() else code
