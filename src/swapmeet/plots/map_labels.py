"""Labels beside markers, where they cover least."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.plots.style import INK, PAPER

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from matplotlib.axes import Axes
    from matplotlib.transforms import Bbox

    from swapmeet.base.arrays import Floats

    Place = tuple[float, float]

FONT = 8.5
SAMPLES = 10
"""Points that stand for a line."""
NEAR = 6.0
"""Pixels."""


def place_labels(axes: Axes, labels: Iterable[tuple[Place, str]], inked: Sequence[Place]) -> None:
    """Write each label near its place, away from what is `inked` and from the others."""
    ink: Floats = axes.transData.transform(inked)
    taken: list[Bbox] = []
    for place, text in labels:
        spots = _spots(axes, text, place)
        spot = min(spots, key=lambda one: _cost(axes, one, ink, taken))
        ink, taken = np.concatenate([ink, spot.leader]), [*taken, spot.box]
        _annotate(axes, text, place, spot.offset)


@dataclass(frozen=True)
class _Spot:
    """A possible place for a label: its offset from the marker in points, its box, its leader."""

    offset: tuple[float, float]
    box: Bbox
    leader: Floats


def _spots(axes: Axes, text: str, place: tuple[float, float]) -> list[_Spot]:
    """Places for a label, those near the marker first."""
    from matplotlib.transforms import Bbox

    trial = axes.text(0, 0, text, fontsize=FONT)
    width, height = trial.get_window_extent().size
    trial.remove()
    marker, found = axes.transData.transform(place), []
    for offset in _offsets():
        end = marker + np.array(offset) * _pixels(axes)
        left = end[0] - (width if offset[0] < 0 else 0.0)
        leader = np.linspace(marker, end, SAMPLES + 2)[2:]
        found.append(_Spot(offset, Bbox.from_bounds(left, end[1] - height / 2, width, height),
                           leader))  # fmt: skip
    return found


def _pixels(axes: Axes) -> float:
    """Pixels of a point."""
    return float(axes.get_figure(root=True).dpi / 72.0)  # type: ignore[union-attr]


def _offsets() -> Iterator[tuple[float, float]]:
    for reach in (14.0, 24.0, 36.0, 50.0, 70.0, 95.0, 130.0):
        for across, up in product((0.6, -0.6, 1.0, -1.0), (-1.0, 1.0, -0.4, 0.4)):
            yield across * reach, up * reach


def _cost(axes: Axes, spot: _Spot, inked: Floats, taken: list[Bbox]) -> float:
    """Leaving the picture and covering a label are worst, then covering other ink, then length."""
    box, frame = spot.box, axes.get_window_extent()
    outside = box.x0 < frame.x0 or box.x1 > frame.x1 or box.y0 < frame.y0 or box.y1 > frame.y1
    worst = outside + sum(box.overlaps(other) for other in taken)
    worst += sum(other.count_contains(spot.leader) > 0 for other in taken)
    covered = box.padded(4.0).count_contains(inked)
    gaps = np.hypot(*(spot.leader[:, np.newaxis] - inked).T)
    return (
        1000.0 * worst + 10.0 * covered + (gaps < NEAR).sum() + 0.05 * float(np.hypot(*spot.offset))
    )


def _annotate(
    axes: Axes, text: str, place: tuple[float, float], offset: tuple[float, float]
) -> None:
    axes.annotate(
        text,
        place,
        xytext=offset,
        textcoords="offset points",
        ha="left" if offset[0] > 0 else "right",
        va="center",
        fontsize=FONT,
        arrowprops={
            "arrowstyle": "-",
            "color": INK,
            "linewidth": 0.7,
            "shrinkB": 6,
            "relpos": (0.0 if offset[0] > 0 else 1.0, 0.5),
        },
        bbox={"facecolor": PAPER, "alpha": 0.85, "edgecolor": "none", "pad": 1.5},
        zorder=5,
    )
