"""What the papers' measures say of a release, and whom the worst intruder finds in it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from kit.section import Picture, Section, Table
from parts.beyond.collect import collect_all
from parts.beyond.map import LEAST_RISK, add_legend, name_ticks
from swapmeet.plots.style import FAINT, assign, look, sheet

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from matplotlib.figure import Figure

    from kit.study import Run
    from parts.beyond.candidates import Candidate

SAID = ("dbrl-sorted", "pscr")
LIMIT = 0.2
TICKS = (LEAST_RISK, 0.01, 0.05, 0.2, 1.0)


def compare_measures(run: Run) -> Section:
    """Every release at what is said of it and what is found in it."""
    here = [one for found in collect_all(run).values() for one in found]
    quiet = [one for one in here if (one.risk("dbrl-sorted") or 0.0) < LIMIT]
    found = [one for one in quiet if one.linkage > LIMIT]
    return Section(
        title="What the papers' measures say, and whom the worst intruder finds",
        finding=f"Of {len(here)} settings on all tables, {len(quiet)} pass the SJPPDS paper's "
        f"condition, dbrl-sorted below {LIMIT:g}; in {len(found)} of these the worst intruder "
        f"may find more than {LIMIT:.0%} of the people.",
        tables=[
            Table(
                "Settings that pass at .2 by each measure, and how many of them the worst intruder "
                "breaks",
                ["method", "settings", *(f"{name} {what}" for name in SAID
                                         for what in ("passes", "of these broken"))],
                [*count_by_method(here)],
            )
        ],
        pictures=[
            Picture.of(
                draw_measures(here),
                title="What measures say and what the worst intruder finds",
                description="Two panels, each with all settings of all methods on all tables: "
                "across dbrl-sorted or pscr, upwards worst-case linkage. Most points lie far "
                "above the diagonal; those of disjoint groups lie near it.",
                caption="A point is a setting on a table. Above the diagonal the worst intruder "
                "finds more people than the measure says; the upper left square holds what passes "
                "at .2 and is broken.",
                name="beyond-said-and-found",
            )
        ],
    )  # fmt: skip


def count_by_method(here: Sequence[Candidate]) -> Iterator[list[object]]:
    for method in dict.fromkeys(one.method for one in here):
        own = [one for one in here if one.method == method]
        row: list[object] = [method, len(own)]
        for name in SAID:
            passed = [one for one in own if (one.risk(name) or 0.0) < LIMIT]
            row += [len(passed), sum(one.linkage > LIMIT for one in passed)]
        yield row


def round_to_dot(share: float) -> float:
    """As exact as a dot is drawn, so that dots in the same place are drawn once."""
    return 10.0 ** (round(12 * math.log10(max(share, LEAST_RISK))) / 12)


def draw_measures(here: Sequence[Candidate]) -> Figure:
    with look():
        figure = sheet(3.5)
        panels = figure.subplots(1, len(SAID), sharex=True, sharey=True)
        for axes, name in zip(panels, SAID, strict=True):
            for method in dict.fromkeys(one.method for one in here):
                own = [one for one in here if one.method == method and one.risk(name) is not None]
                stroke = assign([method])[method]
                places = {
                    (round_to_dot(one.risk(name) or 0.0), round_to_dot(one.linkage)) for one in own
                }
                axes.plot(
                    [place[0] for place in places],
                    [place[1] for place in places],
                    linestyle="", marker=stroke.marker, color=stroke.colour, markersize=3.5,
                    alpha=0.7, label=method,
                )  # fmt: skip
            axes.plot([LEAST_RISK, 1.0], [LEAST_RISK, 1.0], color=FAINT, linewidth=0.8)
            axes.axvline(LIMIT, color=FAINT, linewidth=0.8, linestyle=":")
            axes.axhline(LIMIT, color=FAINT, linewidth=0.8, linestyle=":")
            axes.set(xscale="log", yscale="log", xlabel=f"{name} says")
            name_ticks(axes.xaxis, TICKS)
            name_ticks(axes.yaxis, TICKS)
            axes.tick_params(labelsize=7)
        panels[0].set_ylabel("the worst intruder finds")
        add_legend(figure)
    return figure
