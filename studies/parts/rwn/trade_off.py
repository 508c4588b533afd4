"""Figures 2-4: risk and a regression coefficient of svcensus, over k and q."""

from __future__ import annotations

from typing import TYPE_CHECKING

import swapmeet as sm
from kit.claim import Claim
from kit.estimate import Estimate, repeat
from kit.panels import Panel, draw_panels
from kit.section import Claims, Picture, Section, Table, split_paragraphs
from parts.rwn.tables import describe, read_census

if TYPE_CHECKING:
    from kit.study import Run

KS = (5, 15, 25, 50, 75)
QS = (0.25, 0.5, 0.75, 1.0)
NOMINAL = ("educ", "occ", "gender")
FORMULA = "wageinc ~ age + C(educ) + C(occ) + wkswrkd + C(gender)"
TRUTH = "-8595.6"
EARLIER = {
    (5, 1.0): ("0.112", "-8923"),
    (25, 1.0): ("0.043", "-9243"),
    (50, 0.5): ("0.329", "-8643"),
    (75, 0.25): ("0.603", "-8585"),
}
"""Points that lie on the curves of the figures: PSCR and the coefficient of women."""


def run(run: Run) -> Section:
    """Figures 2 to 4."""
    ks, qs = run.choose((KS, QS), ((5, 25, 75), (0.25, 1.0)))
    found = {q: {k: _measure(k, q, run) for k in ks} for q in qs}
    women = _women(read_census(), read_census())
    fall_by_k = found[1.0][5]["PSCR"].mean - found[1.0][75]["PSCR"].mean
    fall_by_q = found[0.25][5]["PSCR"].mean - found[1.0][5]["PSCR"].mean
    spread = max(one["women"].spread for points in found.values() for one in points.values())
    below, above = (found[1.0][k]["women"].mean - women for k in (25, 75))
    return Section(
        title="Figures 2 to 4: svcensus, risk and use over k and q",
        finding="The original coefficient comes out to the digit, and so does the message that q "
        f"matters more than k: at k = 5, PSCR falls by {fall_by_q:.2f} from q = 0.25 to 1; at q = "
        f"1, by {fall_by_k:.2f} from k = 5 to 75.",
        words=split_paragraphs(f"""
            The wage is explained by all other columns, and the coefficient of women is what an
            analyst wants to know. Means over {run.choose(10, 3)} releases (the paper: 10, smoothed
            by loess). Single releases stray by up to {spread:,.0f} dollars, so that a mean of ten
            has an error of up to {spread / 10**0.5:,.0f}.

            The curves of Figure 4 meet at k of about 50, as the paper says. They cross there: at q
            = 1 the coefficient is {below:+,.0f} dollars off the original at k = 25, and
            {above:+,.0f} at k = 75. That an error passes through zero is luck, no reason to choose
            that k.
        """),
        claims=[
            Claims(
                "The original, and points of the figures",
                [
                    Claim.of("coefficient of women, original", TRUTH, women),
                    *(
                        claim
                        for (k, q), printed in EARLIER.items()
                        if k in ks and q in qs
                        for claim in _compare(k, q, printed, found[q][k])
                    ),
                ],
            )
        ],
        tables=[
            Table(
                "PSCR / coefficient of women, thousands of dollars",
                ["k", *(f"q = {q:g}" for q in qs)],
                [[k, *(_show(found[q][k]) for q in qs)] for k in ks],
            )
        ],
        pictures=[_picture(found, women)],
    )


def _compare(k: int, q: float, printed: tuple[str, str], found: dict[str, Estimate]) -> list[Claim]:
    """Two points of the figures, each a mean over ten releases in the paper."""
    told = "a point of the printed curve, to plot accuracy"
    return [
        Claim.of(
            f"{what}, k = {k}, q = {q:g}", value, found[name],
            paper_error=found[name].spread / 10**0.5, margin=margin, note=told,
        )
        for what, name, value, margin in (
            ("PSCR", "PSCR", printed[0], 0.01), ("coefficient", "women", printed[1], 100.0),
        )
    ]  # fmt: skip


def _measure(k: int, q: float, run: Run) -> dict[str, Estimate]:
    people = read_census()
    schema = describe(people, NOMINAL)

    def look(seed: int) -> dict[str, float]:
        release = sm.mask(people, sm.RWN(k=k, q=q), schema=schema, seed=seed)
        card = sm.assess(
            people, release, measures=["pscr"], models=[FORMULA], limits={},
            at_most=run.choose(20_000, 2_000),
        )  # fmt: skip
        return {"PSCR": card["pscr"].value, "women": _find_women(card)}

    return repeat(look, run.seeds(10, 3))


def _women(people, released) -> float:
    card = sm.assess(
        people, released, schema=describe(people, NOMINAL), match="rows", measures=["margins"],
        models=[FORMULA], limits={},
    )  # fmt: skip
    return _find_women(card)


def _find_women(card: sm.Scorecard) -> float:
    """The coefficient of women; where men are the named category, the other way round."""
    one = next(c for c in card.models[0].coefficients if c.name.startswith("gender"))
    return one.released if one.name.endswith("female)") else -one.released


def _show(found: dict[str, Estimate]) -> str:
    return f"{found['PSCR'].mean:.3f} / {found['women'].mean / 1000:.2f}"


def _picture(found: dict[float, dict[int, dict[str, Estimate]]], women: float) -> Picture:
    def curves(across, up):
        return {
            f"q = {q:g}": (
                [across(k, one) for k, one in points.items()],
                [up(one) for one in points.values()],
            )
            for q, points in found.items()
        }

    def pscr(one):
        return one["PSCR"].mean

    def coefficient(one):
        return one["women"].mean

    levels = {"original": women}
    panels = [
        Panel(title="Figure 2", across="PSCR", up="coefficient of women",
              curves=curves(lambda _, one: pscr(one), coefficient), levels=levels),
        Panel(title="Figure 3", across="k", up="PSCR", curves=curves(lambda k, _: k, pscr)),
        Panel(title="Figure 4", across="k", up="coefficient of women",
              curves=curves(lambda k, _: k, coefficient), levels=levels),
    ]  # fmt: skip
    return Picture.of(
        draw_panels(panels, columns=2),
        title="Figures 2 to 4: risk and use of svcensus",
        description="Three panels: the coefficient of women over PSCR, PSCR over k and the "
        "coefficient over k, a curve for each q.",
        caption="Means over releases; lower PSCR is safer, and the coefficient should stay at the "
        "line of the original.",
        name="rwn-trade-off",
    )
