"""Figure 1: how large neighbourhoods are, and how far the closest record is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import swapmeet as sm
from kit.section import Picture, Section, Table, split_paragraphs
from parts.rwn.tables import describe, read_men
from swapmeet.plots.style import FAINT, ORIGINAL, RELEASED, look, sheet

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from kit.study import Run

K = 5
RADII = (0.25, 0.5, 0.75, 1.0)
LARGE_MAN = 36
"""Observation 37 of the paper, counted from 0."""


def run(run: Run) -> Section:  # noqa: ARG001
    """Figure 1."""
    men = read_men()
    found = {eps: _look(eps) for eps in RADII}
    rows = [
        [eps, float((one.sizes == K).mean()), float(np.median(one.sizes)), int(one.sizes.max()),
         int(one.sizes[LARGE_MAN])]
        for eps, one in found.items()
    ]  # fmt: skip
    lonely = found[RADII[0]].nearest
    assert lonely.argmax() == LARGE_MAN
    return Section(
        title="Figure 1: neighbourhoods of the body fat data",
        finding="It comes out: a wider radius gives typical men up to "
        f"{max(row[3] for row in rows)} of 240 possible neighbours, and the large man keeps the "
        f"same {K} at every radius.",
        words=split_paragraphs(f"""
            k = {K} and q = 1. The closest record of observation 37 is {lonely[LARGE_MAN]:.2f} away,
            the next lonely man's {np.sort(lonely)[-2]:.2f}, the median {np.median(lonely):.2f}
            (columns scaled to [0, 1]). The paper prints no number here.
        """),
        tables=[
            Table(
                "Sizes of neighbourhoods",
                ["eps", f"share of men with {K}", "median", "largest", "observation 37"],
                rows,
            )
        ],
        pictures=[
            Picture.of(
                _draw(found),
                title="Figure 1: distance to the closest record and size of the neighbourhood",
                description="Four scatter plots for eps of 0.25, 0.5, 0.75 and 1. Points leave the "
                "line of five neighbours as eps grows; one point stays on it, far above.",
                caption=f"{len(men)} men. The horizontal line is eps, the vertical one k = {K}; "
                "the square is observation 37.",
            )
        ],
    )


def _look(eps: float) -> sm.Neighborhoods:
    men = read_men()
    return sm.neighborhoods(men, sm.RWN(k=K, eps=eps), schema=describe(men))


def _draw(found: dict[float, sm.Neighborhoods]) -> Figure:
    with look():
        figure = sheet(4.6)
        places = figure.subplots(2, 2, sharex=True, sharey=True).ravel()
        for axes, (eps, one) in zip(places, found.items(), strict=True):
            style = {**ORIGINAL.points(), "markersize": 3.0, "markeredgewidth": 0.2}
            axes.plot(one.sizes, one.nearest, linestyle="", alpha=0.6, **style)
            axes.plot(
                one.sizes[LARGE_MAN], one.nearest[LARGE_MAN], linestyle="", **RELEASED.points()
            )
            axes.axhline(eps, color=RELEASED.colour, linewidth=1.0)
            axes.axvline(K, color=FAINT, linewidth=1.0)
            axes.set_title(f"eps = {eps:g}")
        figure.supxlabel("size of the neighbourhood (records)", size=9.0)
        figure.supylabel("distance to the closest record", size=9.0)
    return figure
