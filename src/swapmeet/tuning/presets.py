"""The grids of the papers, by the name the command line knows them by."""

from __future__ import annotations

from swapmeet.errors import ParameterError, did_you_mean
from swapmeet.tuning.grid import Grid

GROUPS = range(2, 32)
NOISES = [percent / 100 for percent in range(1, 118, 4)]
WINDOWS = [percent / 100 for percent in range(2, 61, 2)]
BINS = range(10, 301, 10)
RADII = [twentieth / 20 for twentieth in range(25)]

GRIDS: dict[str, tuple[Grid, ...]] = {
    "sjppds-paper": (
        Grid("sjppds", {"bins": BINS}),
        Grid("microaggregation", {"k": GROUPS, "by": ["mdav", "pca", "pppca"]}),
        Grid("noise", {"level": NOISES, "correlated": [False, True]}),
        Grid("rank-swap", {"window": WINDOWS, "top": [0.05], "bottom": [0.05]}),
        Grid("data-shuffle"),
    ),
    "rwn-paper": (Grid("rwn", {"k": range(5, 76, 5), "q": [0.25, 0.5, 0.75, 1.0]}),),
    "rwn-paper-radii": (Grid("rwn", {"k": [5], "eps": RADII}),),
    "rwn-paper-comparison": (
        Grid("rwn", {"k": [5], "eps": RADII[5:20]}),
        Grid("rank-swap", {"window": [hundredth / 100 for hundredth in range(12, 55, 3)]}),
        Grid("microaggregation", {"k": range(2, 17)}),
    ),
}
"""SJPPDS, section 3; RWN, Figures 2 to 4, sections 9.3.2 and 9.4 (Table 3)."""


def find_preset(name: str) -> tuple[Grid, ...]:
    """The grids of this name."""
    if name not in GRIDS:
        raise ParameterError(
            f"grid: no {name!r}{did_you_mean(name, GRIDS)} There are {', '.join(GRIDS)}."
        )
    return GRIDS[name]
