"""swapmeet inspect --crowding, --widths: what a method would meet in this table."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from swapmeet.cli.figures import figure
from swapmeet.cli.output import Output, count
from swapmeet.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from swapmeet.core.tables.frame import Frame
    from swapmeet.core.tables.schema import Schema
    from swapmeet.inspecting.crowding import Crowding
    from swapmeet.inspecting.widths import WidthProposals
    from swapmeet.methods import Method

LINES = 8
"""At most so many lines are shown of a distribution."""
WIDEST = 8
"""At most so many proposals of widths are shown, narrowest first."""


@dataclass(frozen=True, kw_only=True)
class CloserLook:
    """A closer look, if ordered: how crowded the table is, and which widths leave nobody alone."""

    crowding: Crowding | None = None
    widths: WidthProposals | None = None

    def to_dict(self) -> dict[str, Any]:
        """For machines; what was not asked for is not there."""
        told: dict[str, Any] = {}
        if self.crowding is not None:
            told["crowding"] = self.crowding.to_dict()
        if self.widths is not None:
            told["widths"] = asdict(self.widths)
        return told

    def show(self, output: Output) -> None:
        """For people."""
        if self.crowding is not None:
            _show_crowding(output, self.crowding)
        if self.widths is not None:
            _show_widths(output, self.widths)


def look_closer(
    frame: Frame, schema: Schema, setting: str | None, columns: Sequence[str]
) -> CloserLook:
    """Look at what was ordered: neighbourhoods of rwn or nbrs, widths of columns for mews."""
    from swapmeet.inspecting.crowding import crowding
    from swapmeet.inspecting.widths import propose_widths

    method = None if setting is None else _parse_setting(setting)
    return CloserLook(
        crowding=None if method is None else crowding(frame, method, schema=schema),
        widths=propose_widths(frame, columns, schema=schema) if columns else None,
    )


def _parse_setting(setting: str) -> Method:
    """The method of a text such as k=5:eps=0.2, for rwn, or nbrs:eps=0.5."""
    from swapmeet.methods import METHODS, RWN, make

    parts = [part.strip() for part in setting.split(":") if part.strip()]
    name = parts.pop(0) if parts and parts[0] in METHODS else RWN.name
    pairs = [part.partition("=") for part in parts]
    if not all(sign and value.strip() for _, sign, value in pairs):
        raise ParameterError("--crowding: write NAME=VALUE, such as k=5:eps=0.2 or nbrs:eps=0.5.")
    return make(name, {key.strip(): value.strip() for key, _, value in pairs})


def _show_crowding(output: Output, found: Crowding) -> None:
    smallest = f"k = {found.k}, " if found.k else ""
    output.heading(f"Neighbourhoods with {smallest}eps = {found.eps:g}")
    by_size = [sum(row) for row in found.counts]
    by_distance = [sum(column) for column in zip(*found.counts, strict=True)]
    output.table(["rows in the neighbourhood", "people"], _list_bins(found.size_edges, by_size))
    output.line()
    output.table(
        ["distance to the closest row", "people"], _list_bins(found.distance_edges, by_distance)
    )
    if found.farthest_counts:
        output.line()
        by_radius = _list_bins(found.farthest_edges, found.farthest_counts)
        output.table(["distance to the farthest neighbour", "people"], by_radius)
    if found.left_out:
        output.prose(
            f"{count(found.left_out)} of {count(found.rows)} people are in groups of fewer than "
            f"{found.least} with the same size and distance, and not shown."
        )


def _list_bins(edges: Sequence[float], counts: Sequence[int]) -> list[list[str]]:
    """Neighbouring bins together, where there are many; bins without people are left out.

    >>> _list_bins([2.0, 4.0], [5, 0, 7])
    [['below 2', '5'], ['4 and more', '7']]
    """
    step = max(-(-len(counts) // LINES), 1)
    rows = []
    for first in range(0, len(counts), step):
        people = sum(counts[first : first + step])
        if people:
            rows.append([_say_bin(edges, first, min(first + step, len(counts))), count(people)])
    return rows


def _say_bin(edges: Sequence[float], first: int, last: int) -> str:
    """From which to below which figure; the outermost bins are open."""
    if not edges:
        return "the same for all"
    if first == 0:
        return f"below {figure(edges[last - 1])}"
    low = figure(edges[first - 1])
    return f"{low} and more" if last > len(edges) else f"{low} to {figure(edges[last - 1])}"


def _show_widths(output: Output, found: WidthProposals) -> None:
    output.heading("Widths for mews at which no row is alone in its cell")
    if not found.proposals:
        output.prose("There are none up to half of each column's range. Name fewer columns.")
        return
    names = list(found.proposals[0].width)
    output.table(
        [*names, "share of the range", "cells", "smallest cell"],
        [
            [*(figure(p.width[name]) for name in names), figure(p.share), count(p.degree),
             count(p.minimal_depth)]
            for p in found.proposals[:WIDEST]
        ],
    )  # fmt: skip
    if len(found.proposals) > WIDEST:
        output.prose(f"The narrowest {WIDEST} of {len(found.proposals)}; --json has all.")
