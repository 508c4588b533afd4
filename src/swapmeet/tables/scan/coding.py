"""Levels of a column as numbers, while it comes piece by piece."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from swapmeet.tables.arrow import codes_of, to_dictionary

if TYPE_CHECKING:
    from swapmeet.base.arrays import ShortInts


class Coding:
    """The levels met so far, numbered by first appearance (categories: by their own order).

    >>> import pyarrow as pa
    >>> coding = Coding()
    >>> coding.learn(pa.array(["b", "a", "b"])).tolist()
    [0, 1, 0]
    >>> coding.learn(pa.array(["c", None, "a"])).tolist()
    [2, -1, 1]
    """

    def __init__(self) -> None:
        self.levels: Any = None

    def __repr__(self) -> str:
        return f"<Coding of {len(self)} levels>"

    def __len__(self) -> int:
        return 0 if self.levels is None else len(self.levels)

    @property
    def bytes(self) -> int:
        """Return the bytes that the levels take."""
        return 0 if self.levels is None else int(self.levels.nbytes)

    def learn(self, column: Any) -> ShortInts:
        """The codes of some rows; levels not met before get the next numbers."""
        return self._codes(column, learning=True)

    def codes(self, column: Any) -> ShortInts:
        """The codes of some rows whose levels have been met."""
        return self._codes(column, learning=False)

    def _codes(self, column: Any, *, learning: bool) -> ShortInts:
        import pyarrow.types as pt

        if pt.is_null(column.type):
            return np.full(len(column), -1, np.int32)
        column = to_dictionary(column)
        if learning:
            self._add(column.dictionary)
        return self._places(column.dictionary)[codes_of(column).codes]

    def _add(self, words: Any) -> None:
        import pyarrow as pa
        import pyarrow.compute as pc

        if self.levels is None:
            self.levels = words
            return
        fresh = words.filter(pc.is_null(pc.index_in(words, value_set=self.levels)))
        if len(fresh):
            self.levels = pa.concat_arrays([self.levels, fresh])

    def _places(self, words: Any) -> ShortInts:
        """The number of each word; the last is for what is missing."""
        import pyarrow.compute as pc

        places = np.full(len(words) + 1, -1, np.int32)
        places[:-1] = pc.index_in(words, value_set=self.levels).to_numpy(zero_copy_only=False)
        return places
