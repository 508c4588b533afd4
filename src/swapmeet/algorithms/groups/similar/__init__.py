"""Groups of similar rows on mixed columns, and blocks of groups near in space."""

from swapmeet.algorithms.groups.similar.blocks import gather_groups
from swapmeet.algorithms.groups.similar.groups import group_rows

__all__ = ["gather_groups", "group_rows"]
