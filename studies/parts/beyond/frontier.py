"""Which method loses least at the same worst-case linkage, on all tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kit.section import Picture, Section, Table
from parts.beyond.candidates import LIMITS, LOSSES, find_best, keep_linkage
from parts.beyond.collect import collect_all
from parts.beyond.map import NAMES, draw_all
from parts.beyond.settings import OURS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kit.study import Run
    from parts.beyond.candidates import Candidate


def draw_frontier(run: Run) -> Section:
    """All tables on one sheet for each loss, and ours against the best other method."""
    found = collect_all(run)
    ratios = {(which, limit): [*list_ratios(found.values(), which, limit)]
              for which in LOSSES for limit in LIMITS}  # fmt: skip
    ahead = {which: [one for limit in LIMITS for one in ratios[which, limit]] for which in LOSSES}
    lines = [line for here in found.values() for one in here for line in one.runs]
    return Section(
        title="All methods on one map",
        finding="Matched swapping has less loss than the best other method in "
        + " and in ".join(
            f"{sum(one < 1.0 for one in own)} of {len(own)} comparisons by loss {which}"
            for which, own in ahead.items()
        )
        + ", a table and a limit on linkage being one comparison; what it gives away instead is "
        "inference.",
        words=[
            " ".join(f"Loss {which} is the mean of {names}." for which, names in NAMES.items()),
            (
                f"{len(lines):,} releases were made and measured, the last on "
                f"{max(one['date'] for one in lines)}: {sum(map(len, found.values()))} settings, "
                f"{sum(len(one.runs) > 1 for here in found.values() for one in here)} of them with "
                "two seeds, whose means are shown."
            ),
        ],
        tables=[
            Table(
                "Loss of matched swapping as a share of the best other method's at the same limit "
                "on linkage; in brackets also with at most its inference",
                ["table", *(f"{which}, linkage ≤ {limit:g}" for which in LOSSES
                            for limit in LIMITS)],
                [[table, *(say_ratios(here, limit, which) for which in LOSSES for limit in LIMITS)]
                 for table, here in found.items()],
            )
        ],
        pictures=[
            Picture.of(
                draw_all(found, which),
                title=f"All methods on all tables, loss {which}",
                description=f"A panel for each table: loss {which} over worst-case linkage, both "
                "logarithmic, a line for each method along its best settings. The line of matched "
                "swapping is the thick one.",
                caption="Towards the lower left is better. Points are settings that no other of "
                "the same method beats; dotted lines are the limits .05, .1 and .2. What is less "
                "than the first tick is drawn there.",
                name=f"beyond-map-{which.lower()}",
            )
            for which in LOSSES
        ],
    )  # fmt: skip


def list_ratios(tables: Sequence[Sequence[Candidate]], which: str, limit: float) -> Iterator[float]:
    for here in tables:
        mine, other, _ = find_rivals(here, limit, which)
        if mine and other:
            yield mine.loss(which) / max(other.loss(which), 1e-12)


def say_ratios(here: Sequence[Candidate], limit: float, which: str) -> str:
    """The ratio at equal linkage, and at equal inference."""
    mine, other, careful = find_rivals(here, limit, which)
    if other is None:
        return "no other" if mine else "nobody"
    return f"{say_ratio(mine, other, which)} ({say_ratio(careful, other, which)})"


def find_rivals(
    here: Sequence[Candidate], limit: float, which: str
) -> tuple[Candidate | None, Candidate | None, Candidate | None]:
    """Our best, the best other, and our best with at most the other's inference."""
    ours = [one for one in here if one.method == OURS]
    keeps = keep_linkage(limit)
    other = find_best((one for one in here if one.method != OURS), keeps, which)
    shown = 1.0 if other is None else other.risk("inference") or 0.0
    careful = [one for one in ours if (one.risk("inference") or 0.0) <= shown]
    return find_best(ours, keeps, which), other, find_best(careful, keeps, which)


def say_ratio(mine: Candidate | None, other: Candidate, which: str) -> str:
    return "–" if mine is None else f"{mine.loss(which) / max(other.loss(which), 1e-12):.2f}"
