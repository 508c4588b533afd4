"""Tables of any dataframe library, seen the same way.

pandas (numpy- and arrow-backed), polars and pyarrow tables come in; the same type goes out. What
else streams its rows as Arrow does becomes a pyarrow table first. Reading
a column goes through Arrow, so there is one way for all; values are moved by each library itself
(`backends.py`).

DuckDB's relations, Arrow's readers and record batches and others have `__arrow_c_stream__`, the
way of Arrow's PyCapsule interface. What comes of them is a pyarrow table; polars' lazy frames
become polars frames.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Final

import numpy as np

from swapmeet.base.arrays import Floats
from swapmeet.errors import TableError
from swapmeet.tables.arrow import (
    CellType,
    Codes,
    codes_of,
    decode_runs,
    family_of,
    holds_whole_numbers,
    is_floating,
    name_type,
    numbers_of,
    to_type_of,
)
from swapmeet.tables.backends import Backend, Positions, choose_backend, find_backend, list_types
from swapmeet.tables.backends import Frame as Frame
from swapmeet.tables.column import ColumnNames
from swapmeet.tables.identifiers import find_identifier


class Table:
    """A table of any supported library, seen the same way."""

    def __init__(self, native: Frame) -> None:
        native = gather(native)
        self._library = _find_library(native)
        self.native, self.decoded = decode_runs(native)
        self._arrow: dict[str, Any] = {}
        self._codes: dict[str, Codes] = {}

    @classmethod
    def of(cls, data: Frame) -> Table:
        """`data` itself if it is a Table already."""
        return data if isinstance(data, Table) else cls(data)

    @cached_property
    def names(self) -> ColumnNames:
        """Column names, in order."""
        return ColumnNames(self._library.names(self.native))

    def __len__(self) -> int:
        return len(self.native)

    def family(self, name: str) -> CellType:
        """Return the sort of values that the column holds."""
        return family_of(self._column(name), ordered=self.is_ordered(name))

    def numbers(self, name: str) -> Floats:
        """The column as doubles, missing as NaN; ordered categories as their rank."""
        column = self._usable(name)
        if self.is_ordered(name):
            codes = self.codes(name).codes
            return np.where(codes < 0, np.nan, codes).astype(np.float64)
        return numbers_of(column)

    def codes(self, name: str) -> Codes:
        """The column as level codes."""
        if name not in self._codes:
            self._codes[name] = codes_of(self._usable(name))
        return self._codes[name]

    def missing(self, name: str) -> int:
        """Count the missing values; NaN counts as missing."""
        column = self._column(name)
        if column is None:
            return int(np.count_nonzero(self._library.find_missing(self.native, name)))
        count = int(column.null_count)
        if is_floating(column):
            import pyarrow.compute as pc

            count += int(pc.sum(pc.is_nan(column), min_count=0).as_py() or 0)
        return count

    def storage_type(self, name: str) -> str:
        """The type in which the column is stored, by one name for all libraries.

        >>> import pandas as pd
        >>> people = Table(pd.DataFrame({"age": [31, 45], "sex": ["f", "m"]}))
        >>> people.storage_type("age"), people.storage_type("sex")
        ('int64', 'string')
        """
        if self._library.is_object(self.native, name):
            return "string" if self.family(name) in {CellType.TEXT, CellType.EMPTY} else "object"
        if self._library.is_enum(self.native, name):
            return "enum"
        column = self._column(name)
        return "unknown" if column is None else name_type(column.type)

    def types(self, name: str) -> str:
        """The types met in a column of mixed types, most frequent first, with their counts."""
        cells = self._library.list_cells(self.native, name)
        counts = Counter(type(value).__name__ for value in cells)
        return ", ".join(f"{count} {kind}" for kind, count in counts.most_common())

    def take(self, donors: Mapping[str, Positions], names: Sequence[str]) -> Frame:
        """The columns `names`; cell i of a column in `donors` comes from row donors[i], -1 missing.

        Other columns are handed over as they are. The rows keep their index.
        """
        return self._library.take(self.native, donors, list(names))

    def put(
        self,
        values: Mapping[str, Floats],
        cells: Mapping[str, Any],
        grains: Mapping[str, int] | None = None,
    ) -> Frame:
        """The table with numbers in the `cells` (flags) of some columns, in the column's type.

        `grains` has what moments are multiples of, where this table is not all there is.
        """
        grains = grains or {}
        made = {
            name: to_type_of(self._column(name), numbers[cells[name]], name, grains.get(name))
            for name, numbers in values.items()
        }
        return self._library.put(self.native, made, cells)

    def set_columns(self, columns: Mapping[str, Any]) -> Frame:
        """The table with the values of some columns, Arrow arrays, in the type of each column."""
        return self._library.set_columns(self.native, columns)

    def holds_whole_numbers_only(self, name: str) -> bool:
        """Return whether the column's type has no fractions."""
        return holds_whole_numbers(self._column(name))

    def has_numbers(self, name: str) -> bool:
        """Return whether the column's values are numbers, or can stand for some."""
        return self.family(name) in {
            CellType.INTEGER, CellType.FLOAT, CellType.DECIMAL, CellType.TIME, CellType.BOOLEAN,
            CellType.EMPTY,
        }  # fmt: skip

    def levels(self, name: str) -> Any:
        """The levels of a column of categories, in order."""
        return self._column(name).dictionary

    def find_identifier(self, name: str) -> str | None:
        """Say why the column looks like a direct identifier of people; None if it does not."""
        return find_identifier(name, self._column(name))

    def plain(self, name: str) -> Any:
        """The column as one Arrow array, categories as the values they stand for."""
        import pyarrow.types as pt

        column = self._usable(name)
        return column.cast(column.type.value_type) if pt.is_dictionary(column.type) else column

    def recodable(self, name: str) -> Any:
        """The column as one Arrow array of values that can be compared; others are refused."""
        return self._usable(name)

    def cells(self, name: str) -> Any:
        """The column as one Arrow array of whatever type; mixed types as text."""
        column = self._column(name)
        return self._to_text(name) if column is None else column

    def _column(self, name: str) -> Any:
        if name not in self._arrow:
            self._arrow[name] = self._to_arrow(name)
        return self._arrow[name]

    def _usable(self, name: str) -> Any:
        column = self._column(name)
        family = family_of(column, ordered=False)
        if family is CellType.MIXED:
            raise TableError(
                f"column {name!r} holds mixed types ({self.types(name)}). "
                "Convert it to one type, or give it the role keep or drop."
            )
        if family is CellType.NESTED:
            raise TableError(
                f"column {name!r} holds nested or binary values, which cannot be compared. "
                "Give it the role drop; mask also takes keep, but what such a column tells an "
                "intruder cannot be measured."
            )
        return column

    def is_ordered(self, name: str) -> bool:
        """Return whether the column holds categories with an order."""
        import pyarrow.types as pt

        column = self._column(name)
        if column is None or not pt.is_dictionary(column.type):
            return False
        return bool(column.type.ordered) or self._library.is_enum(self.native, name)

    def _to_arrow(self, name: str) -> Any:
        """The column as one Arrow array; None where a pandas object column mixes types."""
        import pyarrow as pa

        try:
            column = self._library.to_arrow(self.native, name)
        except UnicodeEncodeError:
            raise TableError(_refuse_half_characters(name)) from None
        except (pa.ArrowException, OverflowError, TypeError):
            return None
        return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column

    def _to_text(self, name: str) -> Any:
        """A column of mixed types as one of text."""
        import pyarrow as pa

        missing = self._library.find_missing(self.native, name)
        cells = self._library.list_cells(self.native, name)
        shown = [None if gone else str(cell) for gone, cell in zip(missing, cells, strict=True)]
        try:
            return pa.array(shown, pa.large_string())
        except UnicodeEncodeError:
            raise TableError(_refuse_half_characters(name)) from None


def shared_codes(tables: Sequence[Table], name: str) -> list[Codes]:
    """The level codes of a column in several tables, the same for the same value."""
    import pyarrow as pa

    columns = [table.plain(name) for table in tables]
    if any(column.type != columns[0].type for column in columns):
        columns = [column.cast(pa.large_string()) for column in columns]
    every = codes_of(pa.concat_arrays(columns))
    ends = np.cumsum([len(table) for table in tables])[:-1]
    return [Codes(codes, every.levels, every.dictionary) for codes in np.split(every.codes, ends)]


def shared_numbers(one: Table, other: Table, name: str) -> tuple[Floats, Floats]:
    """A column of two tables as doubles, in the unit or the order of levels of the first."""
    import pyarrow as pa

    numbers = one.numbers(name)
    try:
        if one.is_ordered(name):
            return numbers, _ranks_among(one.levels(name), other.plain(name), name)
        if one.family(name) is CellType.TIME and one.plain(name).type != other.plain(name).type:
            return numbers, numbers_of(other.plain(name).cast(one.plain(name).type, safe=False))
        return numbers, other.numbers(name)
    except pa.ArrowException:
        raise TableError(
            f"column {name!r} holds {one.family(name)} in the original and {other.family(name)} in "
            "the release. Read both files in the same way."
        ) from None


def _ranks_among(levels: Any, column: Any, name: str) -> Floats:
    import pyarrow.compute as pc

    ranks = pc.index_in(column.cast(levels.type), value_set=levels)
    unknown = ranks.null_count - column.null_count
    if unknown:
        raise TableError(
            f"column {name!r}: {unknown} released values are not among the ordered levels of the "
            "original. Compare a release with the table it was made of."
        )
    return np.asarray(ranks.cast("float64").to_numpy(zero_copy_only=False))


def reorder(native: Frame, order: Positions) -> Frame:
    """The rows in another order; a fresh pandas index, for the old one would tell the order."""
    return choose_backend(native).reorder(native, order)


def _find_library(native: Frame) -> Backend:
    """The library of a table; what is no table or has odd names is refused."""
    library = choose_backend(native)
    _check_names(library.names(native))
    return library


def _check_names(names: list[Any]) -> None:
    nameless = sum(not isinstance(name, str) for name in names)
    if nameless:
        raise TableError(
            f"{nameless} of {len(names)} column names are not text. "
            "Rename them, e.g. df.columns = df.columns.map(str)."
        )
    broken = sum(not _is_unicode(name) for name in names)
    if broken:
        raise TableError(
            f"{broken} of {len(names)} column names hold half a character (a lone surrogate), "
            "which no file can hold. Rename them."
        )
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        listed = ", ".join(map(repr, twice))
        raise TableError(
            f"column names must be unique; {listed} occur more than once. Rename them."
        )


def _is_unicode(text: str) -> bool:
    """Return whether a text can be written; half of a surrogate pair cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _refuse_half_characters(name: str) -> str:
    return (
        f"column {name!r} holds text with half a character (a lone surrogate), which no file can "
        "hold. Read the file with its true encoding, or replace such characters."
    )


_COLUMNS: Final = {"Series", "Index", "ChunkedArray", "Array"}
"""Protocols that stream a column, and no table."""


def gather(data: Any) -> Any:
    """`data` as a table in memory; whatever is one already, or no table at all, as it is."""
    names = list_types(data)
    if find_backend(data) is not None or any(name in _COLUMNS for _, name in names):
        return data
    if ("polars", "LazyFrame") in names:
        return data.collect(engine="streaming")
    return _read_stream(data) if hasattr(type(data), "__arrow_c_stream__") else data


def _read_stream(data: Any) -> Any:
    import pyarrow as pa

    try:
        table = pa.RecordBatchReader.from_stream(data).read_all()
    except Exception:  # noqa: BLE001  whatever a library raises may quote a value
        raise TableError(
            f"a {type(data).__name__} could not be read as a table: its stream failed. Make a "
            "pyarrow table of it first."
        ) from None
    if isinstance(data, pa.RecordBatchReader) and not len(table):
        raise TableError(
            "a RecordBatchReader gives its rows only once, and this one has none left. Make a "
            "table of it first: reader.read_all()."
        )
    return table
