"""Content to write: a table, the document it came from, and the donors of its cells."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from swapmeet.base.parallel import Progress, silent
from swapmeet.errors import UsageError
from swapmeet.io.formats import format_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from swapmeet.base.arrays import Flags
    from swapmeet.io.document import Document
    from swapmeet.tables.traces import Trace


@dataclass(frozen=True, kw_only=True, repr=False)
class Publication:
    """A request to `write`, checked.

    When the format stays the same, a column with donors is made of the cells of `like`, as they
    stand in its file; other columns, and cells whose donor is -2, are made of the values of
    `frame`. With `guards_formulas`, a text has an
    apostrophe before cells that a spreadsheet would run. `left_out` collects what the document says
    and the release does not.
    """

    target: Path
    frame: Any
    like: Document | None
    donors: Mapping[str, NDArray[np.integer[Any]]]
    progress: Progress = silent
    guards_formulas: bool = False
    left_out: set[Trace] = field(default_factory=set)

    def __post_init__(self) -> None:
        if not self.names:
            raise UsageError(f"{self.target}: no column to publish. Keep at least one.")
        if self.donors and self.like is None:
            raise UsageError(f"{self.target}: `donors` need `like`, the document they refer to.")
        there = set() if self.like is None else set(name_columns(self.like.frame))
        for name in self.donors:
            self._check(name, there)

    @property
    def format(self) -> str:
        """The format that is written."""
        return format_of(self.target)

    @property
    def names(self) -> list[str]:
        """The published columns, in order."""
        return name_columns(self.frame)

    @property
    def original(self) -> Document | None:
        """The document whose format is reproduced, if it is the same format."""
        return self.like if self.like is not None and self.like.format == self.format else None

    def cell_donors(self, name: str) -> NDArray[np.integer[Any]] | None:
        """Donors of a column whose cells are taken from the original, but for those made."""
        return None if self.original is None else self.donors.get(name)

    def made_cells(self, name: str) -> Flags | None:
        """Cells of a column with donors whose values are those of `frame`, if there are any."""
        from swapmeet.release.donors import MADE

        donors = self.cell_donors(name)
        if donors is None or not (donors == MADE).any():
            return None
        return donors == MADE

    def leave_out(self, *traces: Trace) -> None:
        """Remember what is not published."""
        self.left_out.update(traces)

    def _check(self, name: str, there: set[str]) -> None:
        from swapmeet.release.donors import MADE

        assert self.like is not None
        if name not in there:
            raise UsageError(
                f"{self.target}: `donors` name {name!r}, which {self.like.path} lacks."
            )
        donors, rows, published = self.donors[name], len(self.like.frame), len(self.frame)
        if len(donors) != published:
            raise UsageError(
                f"{self.target}: `donors` of {name!r} must have one entry per published row, "
                f"{published}; got {len(donors)}."
            )
        if len(donors) and not MADE <= int(donors.min()) <= int(donors.max()) < rows:
            raise UsageError(
                f"{self.target}: `donors` of {name!r} must be rows of {self.like.path}, from 0 to "
                f"{rows - 1}, -1 for a suppressed cell or -2 for one that was made."
            )


def name_columns(frame: Any) -> list[str]:
    """The names of the columns of a table of any library."""
    if hasattr(frame, "column_names"):
        return list(frame.column_names)
    return [str(name) for name in frame.columns]
