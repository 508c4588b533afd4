"""Groups of similar rows on mixed columns, and blocks of groups near in space."""

from swapmeet.methods.matched_swap.similar.blocks import gather_groups
from swapmeet.methods.matched_swap.similar.groups import group_rows

__all__ = ["gather_groups", "group_rows"]
