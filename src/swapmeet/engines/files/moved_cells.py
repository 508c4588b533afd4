"""Cells that move with the values of a release, as they stand in the file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from swapmeet.core.release.donors import MADE, SUPPRESSED
from swapmeet.core.tables.arrow import cells_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from swapmeet.core.tables.microdata import Microdata
    from swapmeet.engines.ties import TiedRelease


def move_cells(
    released: Any, table: Any, cells: Mapping[str, str], data: Microdata, tied: TiedRelease
) -> Any:
    """Released rows with the cells that moved along: empty if suppressed, null if made."""
    donors = dict(zip(data.names, tied.outcome.donors.matrix.T, strict=True))
    donors |= dict.fromkeys(tied.derived, np.full(data.own, MADE))
    for name, column in cells.items():
        moved = table[column].slice(0, data.own)
        if name in donors:
            given = donors[name]
            moved = cells_of(table[column], pa.array(given, mask=given < 0))
            moved = pc.if_else(pa.array(given == SUPPRESSED), "", moved)
        released = released.append_column(column, moved)
    return released
