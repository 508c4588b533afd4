"""One table: its map, and the best setting of each method."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kit.section import Picture, Section, Table
from parts.beyond.candidates import keep_linkage, list_methods, rank_methods
from parts.beyond.collect import collect, load_table
from parts.beyond.map import draw_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kit.study import Part, Run
    from parts.beyond.candidates import Candidate

LIMIT = 0.2
HEADS = ["method", "setting", "loss A", "loss B", "linkage", "inference", "copies", "dbrl",
         "dbrl-sorted", "pscr", "dcr"]  # fmt: skip


def make_part(table: str) -> Part:
    """The part of a study that shows a table."""

    def show_table(run: Run) -> Section:
        survey, here = load_table(run, table), collect(run, table)
        able = rank_methods(here, keep_linkage(LIMIT), "A")
        return Section(
            title=table,
            finding=say_finding(able, here),
            words=[survey.words],
            tables=[
                Table(
                    f"{table}: the setting of each method with the least loss A and linkage ≤ "
                    f"{LIMIT:g}; below, the least linkage of those that have none",
                    HEADS,
                    [*list_rows(able, here)],
                )
            ],
            pictures=[
                Picture.of(
                    draw_table(here),
                    title=f"{table}: all methods",
                    description="Loss A and loss B over worst-case linkage, a line per method.",
                    caption="Towards the lower left is better.",
                )
            ],
        )

    return show_table


def say_finding(able: Sequence[Candidate], here: Sequence[Candidate]) -> str:
    count = len(list_methods(here))
    if not able:
        return f"None of {count} methods keeps linkage ≤ {LIMIT:g} at a setting that was tried."
    first = able[0]
    return (
        f"{len(able)} of {count} methods have a setting at which the worst intruder finds at most "
        f"a fifth; the least loss A is that of {first.words}, {first.loss('A'):.3f}, with an "
        f"inference of {first.risk('inference') or 0.0:.2f}."
    )


def list_rows(able: Sequence[Candidate], here: Sequence[Candidate]) -> Iterator[list[object]]:
    kept = {one.method for one in able}
    others = [
        min((one for one in here if one.method == method), key=lambda one: one.linkage)
        for method in list_methods(here)
        if method not in kept
    ]
    for one in [*able, *sorted(others, key=lambda one: one.linkage)]:
        yield [one.method, one.setting, one.loss("A"), one.loss("B"),
               *(one.risk(name) for name in HEADS[4:])]  # fmt: skip
