"""Original and release in memory, and which released row stands for which original one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from swapmeet.core.release.release import Release
from swapmeet.core.tables.frame import Table
from swapmeet.engines.protocol import is_spark
from swapmeet.errors import UsageError
from swapmeet.measures.matching import attribute_rows, find_owners

if TYPE_CHECKING:
    import numpy.typing as npt

    from swapmeet.core.release.audit import AuditRecord


class Pair(NamedTuple):
    """A table and its release; `places[i]` is the released row of the person of original row i.

    `places` is None where rows are in the same order, or where nothing is known of their order.
    """

    original: Table
    released: Table
    places: npt.NDArray[np.int64] | None
    audit: AuditRecord | None


def pair_tables(original: Table, release: Any, audit: AuditRecord | None, match: str) -> Pair:
    """Match a table with its release, which may have been made elsewhere."""
    released = table_of(release)
    if isinstance(release, Release):
        own = attribute_rows(release.audit, np.arange(len(original)))
        return Pair(original, released, own, release.audit)
    places = find_owners(len(original), len(released), audit, match, lambda: (original, released))
    return Pair(original, released, places, audit)


def table_of(data: Any) -> Table:
    """A frame in memory, or that of a release."""
    if isinstance(data, Release):
        return Table(data.data)
    if is_spark(data):
        raise UsageError("assess: original and release must both be Spark frames, or neither.")
    return Table.of(data)
