"""Summary of neighbourhoods whose members have been drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


class DrawSummary(NamedTuple):
    """The size of each row's neighbourhood, and how many rows may have nearer ones elsewhere."""

    sizes: npt.NDArray[np.int32]
    beyond: int = 0
