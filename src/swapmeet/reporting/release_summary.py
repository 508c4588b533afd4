"""How a release was made, as far as a report may know it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Mapping

    from swapmeet.core.release.changes import ColumnChange
    from swapmeet.core.release.release import Release


@dataclass(frozen=True)
class ReleaseSummary:
    """The method of a release, its settings, and what became of each column.

    A `Release` has all of it; of a release that is a file, the run file beside it tells the method
    and the settings.
    """

    method: str
    settings: Mapping[str, Any]
    changes: tuple[ColumnChange, ...] = ()
    notes: tuple[str, ...] = ()
    reproducible: bool = False

    @classmethod
    def of(cls, release: Release | ReleaseSummary) -> Self | ReleaseSummary:
        """The facts of a release; neither its data nor its audit record are kept."""
        if isinstance(release, ReleaseSummary):
            return release
        return cls(
            release.method, release.settings, release.changes, release.notes, release.reproducible
        )

    def is_untouched(self, name: str) -> bool:
        """Whether it is known that no value of the column was moved, made or suppressed."""
        change = next((c for c in self.changes if c.name == name), None)
        return change is not None and not change.moved + change.suppressed + change.made
