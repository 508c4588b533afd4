"""A summary of how a release was made, as far as a report may know it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from swapmeet.measures.side_by_side.facts import ColumnFacts, ReleaseFacts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from swapmeet.release.changes import ColumnChange
    from swapmeet.release.release import Release


@dataclass(frozen=True)
class ReleaseSummary:
    """The method of a release, its settings, and what became of each column.

    A `Release` has all of it; of a release that is a file, the run file beside it tells the method
    and the settings. `recodes` are the steps before masking, as they were written. `protects` tells
    whether protection was raised for single people afterwards.
    """

    method: str
    settings: Mapping[str, Any]
    changes: tuple[ColumnChange, ...] = ()
    notes: tuple[str, ...] = ()
    reproducible: bool = False
    recodes: tuple[str, ...] = ()
    protects: bool = False

    @classmethod
    def of(cls, release: Release | ReleaseSummary) -> Self | ReleaseSummary:
        """The facts of a release; neither its data nor its audit record are kept."""
        if isinstance(release, ReleaseSummary):
            return release
        return cls(
            release.method, release.settings, release.changes, release.notes,
            release.reproducible, release.schema.recodes, release.protection is not None,
        )  # fmt: skip

    @property
    def facts(self) -> ReleaseFacts | None:
        """Facts on the masked columns, as masking itself counted; None where it did not."""
        columns = tuple(_describe_change(change) for change in self.changes)
        return ReleaseFacts(columns=columns) if columns else None

    def is_untouched(self, name: str) -> bool:
        """Return whether it is known that no value of the column was moved, made or suppressed."""
        change = next((c for c in self.changes if c.name == name), None)
        return change is not None and not change.moved + change.suppressed + change.made


def _describe_change(change: ColumnChange) -> ColumnFacts:
    known = not np.isnan(change.changed)
    return ColumnFacts(
        name=change.name,
        kind="",
        masked=True,
        changed=change.changed if known else None,
        clearly_changed=change.changed if known else None,
        suppressed=change.suppressed if known else None,
    )
