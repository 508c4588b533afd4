"""Figures 9-14: RWN, rank swapping and microaggregation of the body fat data, side by side."""

from __future__ import annotations

from functools import cache
from math import hypot
from typing import TYPE_CHECKING

import swapmeet as sm
from kit.claim import Claim
from kit.data import SHARED
from kit.estimate import Estimate, repeat
from kit.panels import Panel, draw_panels
from kit.section import Claims, Picture, Section, Table, split_paragraphs
from parts.rwn.tables import add_bmi, describe, read_men
from swapmeet.measures.risk.interval_disclosure import IntervalSD
from swapmeet.measures.risk.interval_rmd import IntervalRMD
from swapmeet.measures.risk.nearest_record import DCR
from swapmeet.measures.utility.regression import Coefficients

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd

    from kit.study import Run

READ_OFF = {
    "DCR": (0.1, {1: "9.33", 7: "11.25", 12: "13.09", 15: "14.10"}),
    "IL1": (0.01, {1: ".058", 7: ".145", 12: ".351", 15: ".440"}),
    "IL3": (0.02, {1: ".256", 7: ".313", 12: ".430", 15: ".428"}),
    "R²": (0.01, {1: ".624", 7: ".381", 12: ".167", 15: ".102"}),
}
"""Points that lie on RWN's curves: index of Table 3, value; and how exactly a curve can be read."""
FIGURES = {"DCR": 9, "interval-sd": 10, "interval-rmd": 10, "IL1": 11, "IL2, component 1": 13,
           "IL2, component 2": 13, "IL3": 14, "R²": 14}  # fmt: skip
SDCMICRO = {
    "DCR": "DCR",
    "interval-sd": "SDID",
    "interval-rmd": "RMD",
    "IL1": "IL1",
    "IL2, component 1": "IL2a",
    "IL2, component 2": "IL2b",
    "IL3": "IL3",
    "R²": "R2",
}
ON_THE_CURVE = "a point of the printed curve, to plot accuracy"
SETTINGS = {
    "RWN": "eps of RWN", "rank swapping": "P of rank swapping", "mdav": "k of microaggregation",
}  # fmt: skip
Curves = dict[str, dict[int, dict[str, Estimate]]]


def run(run: Run) -> Section:
    """Figures 9 to 14, and what they leave out."""
    curves: Curves = {
        name: {index: _measure(name, index, run) for index in _choose(run)} for name in SETTINGS
    }
    comparable = [index for index in _choose(run) if 3 <= index <= 7]
    pscr = {
        name: sorted((points[index]["PSCR"].mean for index in comparable), reverse=True)
        for name, points in curves.items()
    }
    told = ", ".join(f"{top[0]:.2f} to {top[-1]:.2f} for {name}" for name, top in pscr.items())
    return Section(
        title="Figures 9 to 14: three methods at matched distances",
        finding="All curves come out. But the settings that the paper calls comparable (indices 3 "
        f"to 7, similar DCR) differ in its own other measure of risk, which it does not show: PSCR "
        f"is {told}.",
        words=split_paragraphs(f"""
            The settings are those of Table 3: RWN with k = 5 and q = 1 and a growing eps, rank
            swapping with a growing window P and sdcMicro's defaults (5 % at either end become their
            mean), MDAV with a growing k. DCR is in pounds, inches and centimetres as they come;
            interval risk by standard deviations is sdcMicro's dRisk with k = 1; loadings are
            compared up to their sign; IL3 and R² are of standardised columns without intercept.
            The paper prints no numbers of its curves: those in the column "paper" are of earlier,
            independent runs that lie on them to plot accuracy, and of sdcMicro, the paper's
            program. The paper takes 100 releases for each point, we take {run.choose(20, 6)} (for
            the robust distances {run.choose(4, 2)}).

            DCR says how near some released record is, not whether it is the right one. Rank
            swapping keeps each value near its own: the nearest record mostly is the person's.
            R² of mdav rises to 1 at k = 16 because 15 different records are left for 14 predictors.
        """),
        claims=[
            Claims("RWN: points of the curves", list(_list_read_off(curves))),
            Claims("In the paper's words", list(_list_said(curves))),
            Claims(
                "Rank swapping and mdav, beside sdcMicro, the paper's program",
                list(_list_sdcmicro(curves)),
            ),
        ],
        tables=[
            Table(
                "What the paper calls comparable: DCR and PSCR",
                ["index", *(f"{name}, {what}" for name in SETTINGS for what in ("DCR", "PSCR"))],
                [
                    [index, *(f"{curves[name][index][what].mean:.{digits}f}"
                              for name in SETTINGS for what, digits in (("DCR", 1), ("PSCR", 2)))]
                    for index in comparable
                ],
            )
        ],
        pictures=[
            _picture(curves, ["DCR", "PSCR", "interval-sd", "interval-rmd"], "risk"),
            _picture(curves, list(FIGURES)[3:], "loss"),
        ],
    )  # fmt: skip


def _choose(run: Run) -> list[int]:
    return run.choose([1, 3, 4, 5, 6, 7, 9, 12, 13, 15], [1, 3, 7, 12, 13, 15])


def _method(name: str, index: int) -> sm.Method:
    if name == "RWN":
        return sm.RWN(k=5, eps=round(0.2 + 0.05 * index, 2))
    if name == "mdav":
        return sm.Microaggregation(k=index + 1)
    return sm.RankSwap(window=round(0.09 + 0.03 * index, 2), top=0.05, bottom=0.05, ties="order")


def _measure(name: str, index: int, run: Run) -> dict[str, Estimate]:
    """All measures of a point of the curves."""
    men, method = read_men(), _method(name, index)

    def look(seed: int) -> dict[str, float]:
        return _look(sm.mask(men, method, schema=describe(men), seed=seed), robust=False)

    def look_robustly(seed: int) -> dict[str, float]:
        return _look(sm.mask(men, method, schema=describe(men), seed=seed), robust=True)

    if name == "mdav":
        both = look(1) | look_robustly(1)
        return {what: Estimate(value) for what, value in both.items()}
    return repeat(look, run.seeds(20, 6)) | repeat(look_robustly, run.seeds(4, 2))


def _look(release: sm.Release, *, robust: bool) -> dict[str, float]:
    men = read_men()
    if robust:
        card = sm.assess(men, release, measures=[IntervalRMD()], limits={})
        return {"interval-rmd": card["interval-rmd"].value}
    measures = [DCR(scale="raw"), "pscr", IntervalSD(k=1), "correlations", "loadings"]
    card = sm.assess(men, release, measures=measures, limits={})
    first, second = card["loadings"].details["change per component"]
    with_bmi = add_bmi(men)
    fitted = sm.assess(
        with_bmi, add_bmi(release.data), schema=describe(with_bmi), match="rows", limits={},
        measures=[Coefficients(target="siri")],
    )["coefficients"]  # fmt: skip
    return {
        "DCR": card["dcr"].value,
        "PSCR": card["pscr"].value,
        "interval-sd": card["interval-sd"].value,
        "IL1": card["correlations"].value,
        "IL2, component 1": first,
        "IL2, component 2": second,
        "IL3": fitted.value,
        "R²": fitted.details["R² after"],
        "R² of the original": fitted.details["R² before"],
    }


def _list_read_off(curves: Curves) -> Iterator[Claim]:
    for what, (margin, points) in READ_OFF.items():
        for index, printed in points.items():
            if index in curves["RWN"]:
                eps = 0.2 + 0.05 * index
                yield Claim.of(
                    f"{what} at eps = {eps:.2f} (Figure {FIGURES[what]})", f"0{printed}"
                    if printed.startswith(".") else printed, curves["RWN"][index][what],
                    margin=margin, note=ON_THE_CURVE,
                )  # fmt: skip


def _list_said(curves: Curves) -> Iterator[Claim]:
    """Differences that the paper calls none."""
    rwn = curves["RWN"][12]["DCR"]
    for name, index, setting in (("rank swapping", 15, "P = 0.54"), ("mdav", 13, "k = 14")):
        other = curves[name][index]["DCR"]
        yield Claim.of(
            f"DCR of {name} ({setting}) less that of RWN (eps = 0.80)", "0",
            Estimate(other.mean - rwn.mean, hypot(other.error, rwn.error)),
            note="the paper calls them similar",
        )  # fmt: skip


def _list_sdcmicro(curves: Curves) -> Iterator[Claim]:
    golden = _read_curves("rank_swap")
    for index in (1, 15):
        row = golden.iloc[index - 1]
        for what, column in SDCMICRO.items():
            found = curves["rank swapping"][index][what]
            yield Claim.of(
                f"{what}, rank swapping, P = {row['P']:g}", f"{row[column]:.3f}", found,
                paper_error=found.spread / 10.0, margin=_allow(what, row[column]),
                note="means over releases; sdcMicro's over 100",
            )  # fmt: skip
    verdicts = [
        Claim.of("", f"{_read_curves('mdav').iloc[index - 1][column]:.4f}", point[what]).verdict
        for index, point in curves["mdav"].items()
        for what, column in SDCMICRO.items()
    ]
    yield Claim.of(
        f"values of mdav that come out to four digits, of {len(verdicts)}", len(verdicts),
        verdicts.count("exact"),
    )  # fmt: skip


def _allow(what: str, value: float) -> float:
    """The robust covariance is found by another search than sdcMicro's."""
    return 0.02 if what == "interval-rmd" else 0.05 * value


@cache
def _read_curves(name: str) -> pd.DataFrame:
    import pandas as pd

    return pd.read_csv(SHARED / "reference" / "rwn" / f"bodyfat_{name}_curves.csv")


def _picture(curves: Curves, names: list[str], what: str) -> Picture:
    panels = [
        Panel(
            title=f"{name} (Figure {FIGURES[name]})" if name in FIGURES else f"{name} (not shown)",
            across="index of Table 3",
            curves={
                method: (list(points), [point[name].mean for point in points.values()])
                for method, points in curves.items()
            },
            levels={"original": curves["mdav"][1]["R² of the original"].mean}
            if name == "R²"
            else {},
        )
        for name in names
    ]
    lower = "Higher DCR and lower others are better." if what == "risk" else "Lower is better."
    return Picture.of(
        draw_panels(panels, height=2.2),
        title=f"Figures 9 to 14: {what}",
        description=f"Curves of {', '.join(names)} for RWN, rank swapping and mdav over the "
        "fifteen settings of the paper's Table 3.",
        caption=f"Settings of Table 3, from weak to strong. {lower}"
        + (" R² should stay near the original's." if what == "loss" else ""),
        name=f"rwn-{what}",
    )
