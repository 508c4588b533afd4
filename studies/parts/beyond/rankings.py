"""Methods ranked as the papers rank them, and by what the worst intruder leaves them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kit.section import Picture, Section, Table
from parts.beyond.candidates import keep_linkage, list_methods, rank_methods
from parts.beyond.collect import collect_all
from parts.beyond.criteria import CRITERIA
from swapmeet.plots.style import FAINT, INK, assign, look, sheet

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from kit.study import Run
    from parts.beyond.candidates import Candidate

LIMIT = 0.2
BY = "A"
"""The loss that ranks: that of the SJPPDS paper."""
OWN_TABLES = (("dbrl-sorted", "census"), ("dbrl-sorted", "tarragona"), ("dcr", "bodyfat"),
              ("pscr", "svcensus"), ("k = 5", "adult"))  # fmt: skip
"""Each paper's criterion on its own data."""
Tables = dict[str, "list[Candidate]"]


def compare_rankings(run: Run) -> Section:
    """Which method leads by each paper's criterion, and which by worst-case linkage."""
    found = collect_all(run)
    own = [(name, table) for name, table in OWN_TABLES if table in found]
    broken, judged = count_broken(found)
    return Section(
        title="Where the papers' rankings change",
        finding=f"The papers' conditions choose {judged} settings, one for each table, condition "
        f"and method that can keep it; in {broken} of these the worst intruder may find more "
        f"than {LIMIT:.0%} of the people, by the upper end of the interval.",
        words=[
            ("Each paper has a condition of its own for a release to be safe enough, and compares "
            "what is lost under it. For each table and condition, every method takes the setting "
            "with the least loss A among those that keep the condition; this is the paper's "
            "ranking. Then the condition is replaced by linkage ≤ .2 at the upper end of its "
            "interval, and every method chooses again. Found there is the share of people whom the "
            "worst intruder finds in the release that the paper's condition chose."),
        ],
        tables=[
            Table(
                "Who leads by the paper's condition, whom the worst intruder finds there, and who "
                "leads if the worst intruder may find a fifth; how many methods keep the "
                "condition, and in how many of these more than a fifth are found",
                ["table", "condition", "first", "found there", "first by linkage", "keep it",
                 "of these broken"],
                [*list_leaders(found)],
            ),
            *(show_ranking(found[table], table, name) for name, table in own),
        ],
        pictures=[
            Picture.of(
                draw_ranks(found, own),
                title="The papers' rankings, and those by the worst intruder",
                description="One panel for each paper's criterion on its own data. On the left, "
                "methods in the order of their loss under the criterion; lines lead to their "
                "places on the right under a limit on worst-case linkage. Lines that end at the "
                "bottom are methods that have no setting within the limit.",
                caption=f"Left: least loss A under the paper's condition. Right: under linkage ≤ "
                f"{LIMIT:g}. Methods at the bottom, grey, have no setting there that was tried.",
                name="beyond-ranks",
            )
        ],
    )  # fmt: skip


def list_leaders(found: Tables) -> Iterator[list[object]]:
    for table, here in found.items():
        able = rank_methods(here, keep_linkage(LIMIT), BY)
        for criterion in CRITERIA.values():
            kept = rank_methods(here, criterion.make(here), BY)
            if kept:
                first = able[0].words if able else "none"
                beyond = sum(one.linkage > LIMIT for one in kept)
                yield [table, f"{criterion.words} ({criterion.paper})", kept[0].words,
                       kept[0].risk("linkage"), first, len(kept), beyond]  # fmt: skip


def count_broken(found: Tables) -> tuple[int, int]:
    """Methods whose chosen setting breaks the limit, and all that were chosen."""
    chosen = [
        one
        for here in found.values()
        for criterion in CRITERIA.values()
        for one in rank_methods(here, criterion.make(here), BY)
    ]
    return sum(one.linkage > LIMIT for one in chosen), len(chosen)


def show_ranking(here: Sequence[Candidate], table: str, name: str) -> Table:
    """All methods of a table with both ranks."""
    criterion = CRITERIA[name]
    kept = rank_methods(here, criterion.make(here), BY)
    able = rank_methods(here, keep_linkage(LIMIT), BY)
    return Table(
        f"{table}: by {criterion.words} ({criterion.paper}), and by linkage ≤ {LIMIT:g}",
        ["method", "rank", "setting", "loss A", "found there", "rank by linkage", "setting there",
         "loss A there", "inference there"],
        [*list_ranks(list_methods(here), kept, able)],
    )  # fmt: skip


def list_ranks(
    methods: Sequence[str], kept: Sequence[Candidate], able: Sequence[Candidate]
) -> Iterator[list[object]]:
    """A row for each method, in the paper's order."""
    before = {one.method: (rank, one) for rank, one in enumerate(kept, 1)}
    after = {one.method: (rank, one) for rank, one in enumerate(able, 1)}
    for method in sorted(methods, key=lambda one: before.get(one, (99,))[0]):
        row: list[object] = [method]
        if method in before:
            rank, one = before[method]
            row += [rank, one.setting, one.loss(BY), one.risk("linkage")]
        else:
            row += ["none", "", None, None]
        if method in after:
            rank, one = after[method]
            row += [rank, one.setting, one.loss(BY), one.risk("inference")]
        else:
            row += ["none", "", None, None]
        yield row


def draw_ranks(found: Tables, own: Sequence[tuple[str, str]]) -> Figure:
    """Lines from the papers' ranks to those by linkage."""
    rows = -(-len(own) // 2)
    with look():
        figure = sheet(3.1 * rows)
        places = figure.subplots(rows, 2, squeeze=False).ravel()
        for axes in places[len(own) :]:
            axes.remove()
        for axes, (name, table) in zip(places, own, strict=False):
            draw_slopes(axes, found[table], name)
            criterion = CRITERIA[name]
            axes.set_title(f"{table}: {criterion.words}", size=8.5)
    return figure


def draw_slopes(axes: Axes, here: Sequence[Candidate], name: str) -> None:
    """One panel; only methods that keep the paper's condition."""
    kept = [one.method for one in rank_methods(here, CRITERIA[name].make(here), BY)]
    able = [one.method for one in rank_methods(here, keep_linkage(LIMIT), BY)]
    after = [one for one in able if one in kept]
    lost = [one for one in kept if one not in able]
    right = {one: rank for rank, one in enumerate([*after, *lost])}
    for rank, method in enumerate(kept):
        stroke = assign([method])[method]
        colour = FAINT if method in lost else stroke.colour
        axes.plot([0, 1], [rank, right[method]], color=colour, marker=stroke.marker, linewidth=1.6,
                  linestyle=":" if method in lost else "-", alpha=0.9)  # fmt: skip
        axes.text(-0.06, rank, method, ha="right", va="center", size=7.5, color=INK)
        words = f"{method}, none" if method in lost else method
        axes.text(1.06, right[method], words, ha="left", va="center", size=7.5, color=colour)
    axes.set(xlim=(-0.9, 1.95), ylim=(len(kept) - 0.5, -0.5), xticks=[], yticks=[])
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
