"""What intruders find at the paper's own settings, also one who knows the method."""

from __future__ import annotations

from typing import TYPE_CHECKING

import swapmeet as sm
from kit.section import Section, Table, split_paragraphs
from parts.rwn.tables import describe, read_census, read_men

if TYPE_CHECKING:
    import pandas as pd

    from kit.study import Run

NOMINAL = ("educ", "occ", "gender")
MEASURES = ["pscr", "dbrl", "linkage"]


def run(run: Run) -> Section:
    """The verdict on the paper's settings."""
    men, people = read_men(), read_census()
    rows = [
        [f"body fat, k = 5, q = 1, eps = {eps:g}", *_look(men, sm.RWN(k=5, eps=eps), run)]
        for eps in run.choose((0.0, 0.25, 0.4, 0.55, 0.8, 0.95), (0.25, 0.55, 0.95))
    ]
    rows += [
        [f"svcensus, k = {k}, q = {q:g}", *_look(people, sm.RWN(k=k, q=q), run)]
        for k, q in run.choose(((5, 1.0), (75, 1.0)), ())
    ]
    worst = max(rows, key=lambda row: row[4] - max(row[1], row[2]))
    return Section(
        title="What intruders find at the paper's settings",
        finding=f"Neighbourhoods can be intersected. With {worst[0]}, PSCR is {worst[1]:.2f} and "
        f"DBRL {worst[2]:.2f}; an intruder who knows everybody's values and the method links "
        f"{worst[4]:.0%} of the people.",
        words=split_paragraphs("""
            PSCR and DBRL are those of an intruder who takes the nearest record. `linkage` is that
            of the best intruder of the stated knowledge: the target's values alone, or the values
            of everybody. The latter can work out each neighbourhood, and a released value excludes
            all people of whom no neighbour has it; a few columns leave one person. Only
            neighbourhoods so wide that relations are lost (eps of 0.8 and more on the body fat
            data) hold against this intruder. On svcensus 300 random people are sought among all
            rows. One release each.
        """),
        tables=[
            Table(
                "Share of people who are found",
                ["setting", "PSCR", "DBRL", "linkage, target known", "linkage, everybody known",
                 "linkage below 0.2"],
                rows,
            )
        ],
    )  # fmt: skip


def _look(frame: pd.DataFrame, method: sm.Method, run: Run) -> list[float | str]:
    nominal = NOMINAL if "occ" in frame else ()
    release = sm.mask(frame, method, schema=describe(frame, nominal), seed=run.seed)
    target, everybody = (
        sm.assess(frame, release, measures=MEASURES, intruder=who, at_most=300, limits=limits)
        for who, limits in (("target", {}), ("everything", {"linkage": 0.2}))
    )
    return [
        target["pscr"].value,
        target["dbrl"].value,
        target["linkage"].value,
        everybody["linkage"].value,
        "yes" if everybody["linkage"].keeps(0.2) else "no",
    ]
