"""Summary of neighbourhoods whose members have been drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from swapmeet.base.arrays import ShortInts


class DrawSummary(NamedTuple):
    """The size of each row's neighbourhood, and how many rows may have nearer ones elsewhere."""

    sizes: ShortInts
    beyond: int = 0
