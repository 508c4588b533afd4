"""Records that agree in all the columns an intruder knows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from swapmeet.base.arrays import Labels


def frequencies(labels: Labels, among: Labels) -> Labels:
    """Count how often each label occurs `among` others."""
    count = int(max(labels.max(initial=-1), among.max(initial=-1))) + 1
    return np.bincount(among, minlength=count)[labels]
