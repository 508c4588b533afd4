"""Protocol of files that are read and written piece by piece."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path


class Source(Protocol):
    """A file that is read in pieces; `schema` has the types of its columns as Arrow knows them."""

    @property
    def path(self) -> Path: ...
    @property
    def rows(self) -> int: ...
    @property
    def schema(self) -> Any: ...
    @property
    def names(self) -> list[str]:
        """The columns, in order."""

    @property
    def head(self) -> Any:
        """The first rows."""

    def pieces(self, columns: Iterable[str], rows: int) -> Iterator[tuple[int, Any]]:
        """Tables of at most `rows` rows until the end, each with the number of its first row."""


class Outlet(Protocol):
    """Function that writes a release.

    `cells` names, for columns whose cells are to stand as in the original, the column of tables
    that has them; it is null where a value was made.
    """

    @property
    def cells(self) -> Mapping[str, str]: ...
    def write(self, aside: Path, schema: Any, tables: Iterable[Any]) -> None:
        """Write tables, which have at least the columns of `schema`."""
