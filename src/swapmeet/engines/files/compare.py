"""A comparison of two tables that lie on the disk, column by column, an array of numbers each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import add
from pathlib import Path
from typing import Any

import numpy as np

from swapmeet.base.arrays import Floats, Rows, Values
from swapmeet.base.parallel import ranges
from swapmeet.comparison.comparison import Comparison, EquivalenceClasses
from swapmeet.comparison.values import alone, buckets_of, present_in, same_values, shares_below
from swapmeet.engines.files.spill import Spill
from swapmeet.engines.remote import RemoteComparison
from swapmeet.tables.microdata import Microdata, Variable
from swapmeet.tables.schema import Role


class ColumnStore:
    """Arrays in files of a folder, by name; each grows at its end."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self._folder = folder
        self._kinds: dict[str, np.dtype[Any]] = {}
        self._numbers: dict[str, int] = {}

    def __repr__(self) -> str:
        return f"<ColumnStore of {len(self._kinds)} columns>"

    def __contains__(self, name: str) -> bool:
        return name in self._kinds

    def append(self, name: str, values: Values) -> None:
        """Add values at the end of an array, which begins with the first."""
        self._kinds.setdefault(name, values.dtype)
        with self._path(name).open("ab") as file:
            np.ascontiguousarray(values, self._kinds[name]).tofile(file)

    def read(self, name: str, begin: int, end: int) -> Values:
        """Values of a range of rows."""
        kind = self._kinds[name]
        return np.fromfile(self._path(name), kind, end - begin, offset=begin * kind.itemsize)

    def whole(self, name: str) -> Values:
        """All values."""
        return np.fromfile(self._path(name), self._kinds[name])

    def pick_rows(self, name: str, rows: Rows, n: int, piece: int) -> Values:
        """The values of some rows, in their order; `n` are there, and `piece` are read at once."""
        order = np.argsort(rows, kind="stable")
        ordered, cells = rows[order], np.empty(len(rows), self._kinds[name])
        for begin, end in ranges(n, piece):
            first, last = np.searchsorted(ordered, (begin, end))
            if first < last:
                values = self.read(name, begin, end)
                cells[order[first:last]] = values[ordered[first:last] - begin]
        return cells

    def _path(self, name: str) -> Path:
        """Files are numbered, since a name may be no name of a file."""
        return self._folder / str(self._numbers.setdefault(name, len(self._numbers)))


ORIGINAL, RELEASED, ORDERED = "original ", "released ", "ordered "
"""Prefix of the names of columns on the store."""
SAME, PERSON = "same", "person"
PER_ROW = 150
"""Bytes of memory for each row, and for each cell of it, while combinations are counted."""
PER_CELL = 40
PER_SAMPLED = 200
"""Bytes of memory for each cell of a sample that is linked, person by person."""


@dataclass(frozen=True, repr=False, eq=False)
class FileComparison(RemoteComparison):
    """Tables whose rows lie on a store, in the order of the people they stand for."""

    store: ColumnStore = field(kw_only=True)
    folder: Path = field(kw_only=True)
    piece_rows: int = field(kw_only=True)
    room: int = field(kw_only=True)
    """Bytes of memory for what is held besides a piece."""

    @property
    def most_sampled(self) -> int:
        return self.room // (PER_SAMPLED * max(len(self.original.names), 1))

    def gather(self, look: Callable[[Comparison], Any], names: Iterable[str] | None = None) -> Any:
        pieces = self._pieces(self.add_weight(names))
        return reduce(add, map(look, pieces))

    def in_order(self, name: str) -> tuple[Floats, Floats]:
        return self._ordered(ORIGINAL, name), self._ordered(RELEASED, name)

    def pick_rows(self, rows: Rows) -> Comparison:
        return self._small(lambda side, name: self._of_rows(side, name, rows), self.original.names)

    def gather_classes(
        self,
        look: Callable[[EquivalenceClasses], Any],
        names: Iterable[str],
        also: Iterable[str] = (),
    ) -> Any:
        return reduce(add, map(look, self._split_classes(tuple(names), tuple(also))))

    def _split_classes(
        self, names: tuple[str, ...], also: tuple[str, ...]
    ) -> Iterator[EquivalenceClasses]:
        cost = PER_ROW + PER_CELL * (len(names) + len(also))
        count = max(-(-2 * self.size * cost // self.room), 1)
        weight = self._find_weight(also)
        folder = self.folder / "crowds"
        folder.mkdir()
        originals, released = (Spill(folder / side, count, 1) for side in (SAME, PERSON))
        for piece in self._pieces(dict.fromkeys((*names, *also))):
            owned = piece if self.owners_known else None
            _deal(originals, piece.original, (*names, *weight), count, owned, len(names))
            _deal(released, piece.released, (*names, *also), count, None, len(names))
        for number in range(count):
            yield self._read_classes(originals.bucket(number), released.bucket(number), names, also)
        originals.discard()
        released.discard()
        for part in (folder / SAME, folder / PERSON, folder):
            part.rmdir()

    def _find_weight(self, names: Iterable[str]) -> list[str]:
        return [name for name in names if self.original[name].role is Role.WEIGHT]

    def to_ranks(self, names: Iterable[str]) -> Comparison:
        names = tuple(names)
        return self.once(_Ranked(names))

    def on(self, store: ColumnStore, names: tuple[str, ...]) -> FileComparison:
        """The same rows, with other values in some columns, which are all there are."""
        return replace(
            self,
            store=store,
            original=alone(self.original.select(names)),
            released=alone(self.released.select(names)),
        )  # fmt: skip

    def _pieces(self, names: Iterable[str]) -> Iterator[Comparison]:
        for begin, end in ranges(self.size, self.piece_rows):
            piece = self._small(
                lambda side, name, a=begin, b=end: self.store.read(side + name, a, b),  # type: ignore[misc]
                names,
            )
            yield replace(piece, first=begin)

    def _small(self, read: Callable[[str, str], Any], names: Iterable[str]) -> Comparison:
        """Some rows of some columns; the facts of the columns stay those of all."""
        names = tuple(names)
        one, other = (
            _filled(data.select(names), [read(side, name) for name in names])
            for side, data in ((ORIGINAL, self.original), (RELEASED, self.released))
        )
        return Comparison(
            one, other, self.masked, self.known, self.ownership, self.at_most, self.workers,
            self.streams,
        )  # fmt: skip

    def _of_rows(self, side: str, name: str, rows: Rows) -> Any:
        return self.store.pick_rows(side + name, rows, self.size, self.piece_rows)

    def _ordered(self, side: str, name: str) -> Floats:
        """A column in order, which is kept for the next who asks."""
        kept = ORDERED + side + name
        if kept in self.store:
            return self.store.whole(kept)
        values = self.store.whole(side + name)
        values.sort()
        self.store.append(kept, values)
        return values

    def _read_classes(
        self, originals: Any, released: Any, names: tuple[str, ...], also: tuple[str, ...]
    ) -> EquivalenceClasses:
        weight = self._find_weight(also)
        one = _from_table(originals, self.original.select((*names, *weight)))
        other = _from_table(released, self.released.select((*names, *also)))
        pair = Comparison(one, other.select(names), self.masked, self.known)
        same = _array(originals, SAME).astype(bool) if self.owners_known else None
        return EquivalenceClasses(*pair.combinations(names), same, other, pair.weights)


@dataclass(frozen=True)
class _Ranked:
    """The shares of rows up to each value, on a store of their own."""

    names: tuple[str, ...]

    def __call__(self, whole: Comparison) -> FileComparison:
        assert isinstance(whole, FileComparison)
        store = ColumnStore(whole.folder / f"ranks {len(list(whole.folder.iterdir()))}")
        for name in self.names:
            in_order = whole.in_order(name) if name in whole.numeric else (None, None)
            for side, ordered in zip((ORIGINAL, RELEASED), in_order, strict=True):
                present = None if ordered is None else present_in(ordered)
                for begin, end in ranges(whole.size, whole.piece_rows):
                    values = whole.store.read(side + name, begin, end)
                    shares = values if present is None else shares_below(values, present)
                    store.append(side + name, shares)
        return whole.on(store, self.names)


def _filled(data: Microdata, arrays: list[Any]) -> Microdata:
    pairs = zip(data.variables, arrays, strict=True)
    variables = tuple(replace(variable, values=values) for variable, values in pairs)
    return Microdata(variables, np.zeros(len(arrays[0]) if arrays else 0, np.int32))


def _deal(
    spill: Spill, data: Microdata, names: tuple[str, ...], count: int,
    piece: Comparison | None, known: int | None = None,
) -> None:  # fmt: skip
    """Put rows aside with those that have the same values in the first `known` columns."""
    import pyarrow as pa

    arrays = {str(place): data[name].values for place, name in enumerate(names)}
    if piece is not None:
        same = same_values(piece.original, piece.released, names[:known])
        arrays[SAME] = same.astype(np.int8)
    buckets = buckets_of([data[name].values for name in names[:known]], data.n, count)
    spill.add(pa.table({name: pa.array(values) for name, values in arrays.items()}), buckets)


def _from_table(table: Any, data: Microdata) -> Microdata:
    return _filled(data, [_array(table, str(place)) for place in range(len(data.variables))])


def _array(table: Any, name: str) -> Any:
    return table[name].combine_chunks().to_numpy(zero_copy_only=False)


def head(variables: Iterable[Variable]) -> Microdata:
    """Columns without rows, of which the facts are known."""
    return Microdata(tuple(variables), np.zeros(0, np.int32))
