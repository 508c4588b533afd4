"""Names for arrays by what they hold, declared once."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Singles = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]
ShortInts = npt.NDArray[np.int32]
Bits = npt.NDArray[np.uint64]
Flags = npt.NDArray[np.bool_]
Values = npt.NDArray[Any]

Rows = Ints
"""Numbers of rows."""
Counts = Ints
Labels = Ints
"""A number for each group, stratum or cluster."""
Groups = ShortInts
Hashes = Bits
