"""The risk of shuffled rows: by sorting files, and in truth."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import swapmeet as sm
from kit.claim import Claim
from kit.estimate import Estimate
from kit.panels import Panel, draw_panels
from kit.section import Claims, Picture, Section, Table
from parts.sjppds.settings import RISK, THRESHOLD, Tried, group_by_method
from parts.sjppds.tables import REAL, SIMULATED, describe, read
from parts.sjppds.trials import search_real, search_simulated

if TYPE_CHECKING:
    from kit.study import Run

SHOWN = (300, 200, 100, 30, 10)
FEWER = (6, 4, 3)
"""Bins below the paper's grid."""


def run(run: Run) -> Section:
    """Compare the paper's worst-case sorting with the true owners of rows."""
    real = {name: group_by_method(x)["sjppds"] for name, x in search_real(run).items()}
    lowest = _find_lowest(run)
    return Section(
        title="Who is found: sorting against the true owners",
        finding=_tell(real["census"]),
        words=[
            (
                "SJPPDS shuffles rows at the end, so the paper says that nobody knows whose row "
                "is whose, sorts both files by one column, pairs rows by position, and takes the "
                "worst column (Algorithm 4). But no intruder needs positions. Each value stays "
                "in its bin, so a row keeps its vector of bins, and someone who knows a person's "
                "values looks for the nearest row. Swapmeet knows the owners from the audit "
                "record, in whatever order rows are published."
            ),
            (
                "Figures A2 to A4 show that sorted risk is above the “naive” one, which compares "
                "rows at the same position after they were shuffled: chance finds one of n there."
            ),
            "“Linkage” is the worst of Swapmeet's intruders, among them one who knows the method.",
        ],
        claims=[
            Claims("Share of settings of the grid", _count_settings(real)),
            Claims(
                "Smallest true DBRL of all settings of the grid, simulated tables",
                [
                    Claim.of(f"{kind}: smallest over the tables", "", min(found))
                    for kind, found in lowest.items()
                ],
            ),
        ],
        tables=[_compare(run, name, real[name]) for name in REAL] + [_try_fewer(run)],
        pictures=[_draw(real)],
    )


def _tell(own: list[Tried]) -> str:
    """What sorting and the truth say of the settings that stand for many, some and few bins."""
    by_sorting, in_truth = (
        " / ".join(f"{100 * one.median('dbrl', view):.0f}" for one in reversed(own)
                  if one.value in SHOWN[2:])
        for view in ("paper", "owners")
    )  # fmt: skip
    return (
        "The paper's “worst case” is far from the worst. By its sorting, an intruder who looks for "
        f"the nearest record finds {by_sorting} of 100 people of census with 100 / 30 / 10 bins. "
        f"In truth the same intruder finds {in_truth}."
    )


def _compare(run: Run, name: str, own: list[Tried]) -> Table:
    found = [one for one in reversed(own) if one.value in SHOWN]
    rows = [
        [
            f"{one.value:.0f} bins",
            *(
                one.median(measure, view)
                for measure in RISK
                for view in ("paper", "owners")
            ),
            _link(run, name, sm.SJPPDS(bins=int(one.value))),
        ]
        for one in found
    ]  # fmt: skip
    heads = [f"{name.upper()}, {how}" for name in RISK for how in ("sorted", "true")]
    return Table(f"{name}: medians over the repeats", ["setting", *heads, "linkage, true"], rows)


def _link(run: Run, name: str, method: sm.SJPPDS) -> float:
    """What the worst intruder finds in one release."""
    table = read(name)
    release = sm.mask(table, method, schema=describe(table), seed=run.seed)
    card = sm.assess(table, release, schema=describe(table), measures=["linkage"], limits={})
    return float(card["linkage"].value)


def _count_settings(real: dict[str, list[Tried]]) -> list[Claim]:
    claims = []
    for name, own in real.items():
        above = [one.median("dbrl", "paper") >= one.median("dbrl", "owners") for one in own]
        claims.append(
            Claim.of(
                f"{name}: sorted DBRL is at least the DBRL of rows and their owners", "1",
                float(np.mean(above)),
                note="The paper says that sorting is the more conservative way. Its direct DBRL "
                "pairs rows by position after they were shuffled, not with their owners.",
            )
        )  # fmt: skip
    for view, told in (("paper", "sorted"), ("owners", "true")):
        claims += [
            Claim.of(
                f"{name}: {told} DBRL is below {THRESHOLD}", "",
                float(np.mean([one.median("dbrl", view) < THRESHOLD for one in own])),
            )
            for name, own in real.items()
        ]  # fmt: skip
    return claims


def _find_lowest(run: Run) -> dict[str, list[float]]:
    """The smallest true DBRL of SJPPDS on each simulated table."""
    found = search_simulated(run)
    return {
        kind: [
            min(one.median("dbrl", "owners") for one in group_by_method(trials)["sjppds"])
            for trials in found[kind]
        ]
        for kind in SIMULATED
    }


def _try_fewer(run: Run) -> Table:
    """With fewer bins than the paper tries, risk falls, and relations are lost."""
    rows = []
    for name in REAL:
        for bins in FEWER:
            table = read(name)
            schema = describe(table)
            cards = [
                sm.assess(
                    table, sm.mask(table, sm.SJPPDS(bins=bins), schema=schema, seed=seed),
                    schema=schema, measures=["dbrl", "linkage", "correlations"], limits={},
                )
                for seed in run.seeds(5, 1)
            ]  # fmt: skip
            means = [
                Estimate.from_runs(card[measure].value for card in cards).mean
                for measure in ("dbrl", "linkage", "correlations")
            ]
            rows.append([f"{name}, {bins} bins", *means])
    return Table(
        "Fewer bins than the paper tries, true owners",
        ["setting", "DBRL", "linkage", "mean change of correlations"], rows,
    )  # fmt: skip


def _draw(real: dict[str, list[Tried]]) -> Picture:
    panels = [
        Panel(
            title=name,
            across="bins",
            up="people found, DBRL" if name == "census" else "",
            curves={
                told: ([one.value for one in own], [one.median("dbrl", view) for one in own])
                for told, view in (("true owners", "owners"), ("worst-case sorting", "paper"))
            },
            levels={"the paper's limit": THRESHOLD},
        )
        for name, own in real.items()
    ]
    return Picture.of(
        draw_panels(panels),
        title="People found after SJPPDS, by sorting and in truth",
        description="DBRL over the number of bins for census and tarragona. By worst-case sorting "
        "it rises from 0.01 to about 0.3 and 0.1; with true owners it is between 0.7 and 1 on "
        "census and rises from 0.1 to 1 on tarragona.",
        caption="Medians of ten releases per setting; 10 to 300 bins are the paper's grid.",
        name="sjppds-owners",
    )
