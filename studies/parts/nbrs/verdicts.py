"""What the verdict says of the paper's settings, and of a share q of modified records."""

from __future__ import annotations

from typing import TYPE_CHECKING

import swapmeet as sm
from kit.estimate import Estimate
from kit.panels import Panel, draw_panels
from kit.section import Picture, Section, Table, split_paragraphs
from parts.nbrs.records import (
    FIRST,
    MODEL,
    SECOND,
    choose_method,
    describe_columns,
    read_records,
)

if TYPE_CHECKING:
    from kit.study import Run
    from swapmeet.methods.base import Method

RISKS = ("linkage", "copies", "inference", "membership", "pscr")
LOSSES = ("correlations", "propensity")


def make_verdicts(run: Run) -> Section:
    """Risk and loss of the paper's calls, smaller shares, and matched swapping."""
    shares = run.choose((0.25, 0.5, 0.75, 1.0), (0.5, 1.0))
    methods: dict[str, Method] = {
        "first call": choose_method(FIRST),
        "second call": choose_method(SECOND),
        **{f"first call, q = {q:g}": choose_method(FIRST, q=q) for q in shares if q < 1.0},
        "matched-swap, k = 10": sm.MatchedSwap(k=10),
        **run.choose({"matched-swap, k = 20": sm.MatchedSwap(k=20)}, {}),
    }
    cards = {name: _assess(method, run) for name, method in methods.items()}
    found = {name: _average(some) for name, some in cards.items()}
    safe = {name: sum(card.verdict.safe is True for card in some) for name, some in cards.items()}
    by_share = {q: found["first call" if q == 1.0 else f"first call, q = {q:g}"] for q in shares}
    reasons = [
        f"{name.capitalize()}: {_say_why(cards[name][0])}" for name in ("first call", "second call")
    ]
    return Section(
        title="The verdict on the paper's settings",
        finding=f"Neither call is safe to publish under the default limits "
        f"({safe['first call'] + safe['second call']} of "
        f"{len(cards['first call']) + len(cards['second call'])} releases are): few people are "
        "found, but whole records of unique people are in the release.",
        words=[
            *reasons,
            *split_paragraphs(
                """
                'A little bit of privacy can go a long way', says the paper of q below 1. It does
                not go far with an intruder who looks: a record that was not chosen is in the
                release as it was, and of these people almost all are found.

                Matched swapping on the same records is shown for comparison. It keeps the
                regression and hides people about as well; as relations are kept, values can be
                guessed from others and whole records recur, and it is not safe here either.
                """
            ),
        ],
        tables=[_lay_out(found, safe, len(run.seeds(2, 1)))],
        pictures=[_draw(by_share)],
    )


def _assess(method: Method, run: Run) -> list[sm.Scorecard]:
    records, schema = read_records(), describe_columns()
    return [
        sm.assess(
            records, sm.mask(records, method, schema=schema, seed=seed), schema=schema,
            measures=[*RISKS, *LOSSES], models=[MODEL],
        )
        for seed in run.seeds(2, 1)
    ]  # fmt: skip


def _average(cards: list[sm.Scorecard]) -> dict[str, float]:
    found = {
        name: Estimate.from_runs(card[name].value for card in cards).mean
        for name in (*RISKS, *LOSSES)
    }
    shifts = [max(abs(one.shift) for one in card.models[0].coefficients[1:]) for card in cards]
    return {**found, "shift": Estimate.from_runs(shifts).mean}


def _say_why(card: sm.Scorecard) -> str:
    return card.verdict.sentence.partition(" But the seed")[0]


def _lay_out(found: dict[str, dict[str, float]], safe: dict[str, int], runs: int) -> Table:
    rows = [[name, *one.values(), f"{safe[name]} of {runs}"] for name, one in found.items()]
    return Table(
        "Risk and loss, mean over releases; safe: how many the verdict calls safe",
        ["", *RISKS, *LOSSES, "largest change, errors", "safe"],
        rows,
    )


def _draw(by_share: dict[float, dict[str, float]]) -> Picture:
    shares = sorted(by_share)
    panels = [
        Panel(
            title="Risk",
            across="share q of records modified",
            up="share of people",
            curves={
                name: (shares, [by_share[q][name] for q in shares])
                for name in ("linkage", "copies", "pscr")
            },
        ),
        Panel(
            title="Largest change of a coefficient",
            across="share q of records modified",
            up="standard errors",
            curves={"change": (shares, [by_share[q]["shift"] for q in shares])},
        ),
    ]
    return Picture.of(
        draw_panels(panels),
        title="A share of the records modified",
        description="Two panels against the share of modified records: people found fall "
        "steeply as it grows, the change of coefficients grows.",
        caption="Weight 0.2, radius 0.6. Someone who knows the method finds about as many people "
        "as were left as they were.",
        name="nbrs-share",
    )
