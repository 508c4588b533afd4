"""The story of record 7997: a woman with a doctorate, younger than 31, who is the only one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import swapmeet as sm
from kit.claim import Claim
from kit.estimate import Estimate, repeat
from kit.section import Claims, Section, Table, split_paragraphs
from parts.nbrs.records import (
    EPS,
    FIRST,
    HER,
    SECOND,
    choose_method,
    describe_columns,
    find_neighbors,
    find_place,
    read_records,
    release_records,
)

if TYPE_CHECKING:
    from kit.study import Run

RARE = "sex = 2 and phd = 1 and age < 31"
OTHERS = {
    "women with a doctorate under 31": RARE,
    "women with a doctorate over 55": "sex = 2 and phd = 1 and age > 55",
    "women with a doctorate above $150,000": "sex = 2 and phd = 1 and wageinc > 150000",
    "people over 75": "age > 75",
    "people above $300,000": "wageinc > 300000",
}
PRINTED_EPS = 0.3
HER_DONOR = 7271
"""Whose age stands in her row of the paper's release."""


def make_rare_record(run: Run) -> Section:
    """Her neighbours, and what becomes of her over many releases."""
    records, seeds = read_records(), run.seeds(200, 40)
    place = find_place(HER)
    her, near = records.iloc[place], records.iloc[find_neighbors(HER, FIRST)]
    stories = {
        weight: repeat(lambda s, w=weight: _follow(s, w), seeds) for weight in (FIRST, SECOND)
    }
    first, second = stories[FIRST], stories[SECOND]
    same_wage = int((near["wageinc"] == her["wageinc"]).sum())
    return Section(
        title="The story of record 7997",
        finding="She is there, becomes a man in the first release and is suppressed in the "
        "second, as the paper says. But the income in her row of the paper's first release is her "
        "own.",
        words=split_paragraphs(
            f"""
            With weights of 0.2 her ball holds {len(near)} people. All are men with a doctorate who
            worked 52 weeks, aged {near["age"].min():.1f} to {near["age"].max():.1f}, with incomes
            from ${near["wageinc"].min():,} to ${near["wageinc"].max():,}. So she becomes a man in
            every release: someone who knows the method also knows that. Her income is
            ${her["wageinc"]:,.0f}, and so is that of {same_wage} of her neighbours. In
            {first["own income"].mean:.0%} of our releases her row shows it, and in all of them a
            figure within {_find_reach(her, near):.0%} of it.

            With a radius of {PRINTED_EPS}, which the paper prints for the first call, her ball
            would hold {len(find_neighbors(HER, FIRST, PRINTED_EPS))} people, and the man whose age
            she receives is {_measure_distance(HER_DONOR):.2f} away. The radius was {EPS} in both
            calls.

            'Quite well hidden' is what one release shows. Over many releases the table below
            follows her and other rare people: 'stayed' are released rows in the place of a person
            who meets the condition, and which still meet it.
            """
        ),
        claims=[
            Claims(
                "In the original",
                [
                    Claim.of("people like her", "1", _count_like_her(records)),
                    Claim.of("her age", "30.79517", float(her["age"])),
                    Claim.of("her income", "100000", float(her["wageinc"])),
                    Claim.of("her place in the sample", "3236", place + 1),
                ],
            ),
            Claims(
                "In the first release (weight 0.2), mean over releases",
                [
                    _pair("rows like hers", "1", first["like her"]),
                    _pair("she became a man", "1", first["man"]),
                    _pair("her row shows her income", "1", first["own income"]),
                    _pair("her row has a doctorate and 52 weeks", "1", first["same rest"]),
                    Claim.of("people in her ball", "", len(near)),
                ],
            ),
            Claims(
                "In the second release (weight 0.3), mean over releases",
                [
                    _pair("rows like hers", "0", second["like her"]),
                    _pair("she is suppressed", "1", second["suppressed"]),
                    Claim.of("people in her ball", "0", len(find_neighbors(HER, SECOND))),
                ],
            ),
        ],
        tables=[_follow_others(run)],
    )


def _pair(what: str, printed: str, ours: Estimate) -> Claim:
    """The paper tells of one release."""
    return Claim.of(what, printed, ours, paper_error=ours.spread)


def _count_like_her(table: object) -> int:
    card = sm.assess(
        table, table, schema=describe_columns(), match="rows", measures=[], limits={}, rare=[RARE]
    )
    return card.rare[0].original


def _follow(seed: int, weight: float) -> dict[str, float]:
    """What one release makes of her."""
    records = read_records()
    release = release_records(seed, choose_method(weight))
    card = sm.assess(
        records, release, schema=describe_columns(), measures=[], limits={}, rare=[RARE]
    )
    place = find_place(HER)
    after, before = release.data.iloc[place], records.iloc[place]
    gone, rest = bool(after.isna().all()), ["phd", "wkswrkd"]
    return {
        "like her": card.rare[0].released,
        "suppressed": gone,
        "man": not gone and after["sex"] == 1,
        "own income": not gone and after["wageinc"] == before["wageinc"],
        "same rest": not gone and bool((after[rest] == before[rest]).all()),
    }


def _find_reach(her: object, near: object) -> float:
    return float(np.abs(near["wageinc"] / her["wageinc"] - 1.0).max())


def _measure_distance(other: int) -> float:
    """How far a record is from hers by the distance of the first call."""
    values = read_records().to_numpy(float)
    scaled = (values - values.mean(axis=0)) / values.std(axis=0, ddof=1)
    scaled[:, [1, 3, 4]] *= FIRST
    return float(np.linalg.norm(scaled[find_place(HER)] - scaled[find_place(other)]))


def _follow_others(run: Run) -> Table:
    """Rare people of other kinds, by the product's own analysis."""
    records, rows = read_records(), []
    counts: dict[tuple[str, float], list[tuple[float, ...]]] = {}
    for weight in (FIRST, SECOND):
        for seed in run.seeds(50, 10):
            release = release_records(seed, choose_method(weight))
            card = sm.assess(
                records, release, schema=describe_columns(), measures=[], limits={},
                rare=list(OTHERS.values()),
            )  # fmt: skip
            for name, found in zip(OTHERS, card.rare, strict=True):
                told = (found.original, found.released, found.stayed, found.strangers)
                counts.setdefault((name, weight), []).append(told)
    for (name, weight), found in counts.items():
        rows.append([name, f"{weight:g}", *map(float, np.mean(found, axis=0))])
    rows.sort(key=lambda row: list(OTHERS).index(row[0]))
    return Table(
        "Rare people before and after, mean over releases",
        ["", "weight", "people", "released rows", "of these, stayed", "strangers"],
        rows,
    )
