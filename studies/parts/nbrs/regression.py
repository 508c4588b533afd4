"""The regression tables: wage by age, sex, weeks worked and degrees, before and after."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import swapmeet as sm
from kit.claim import Claim
from kit.estimate import Estimate
from kit.section import Claims, Picture, Section, Table, split_paragraphs
from parts.nbrs.records import (
    FIRST,
    MODEL,
    SECOND,
    choose_method,
    describe_columns,
    read_records,
    release_records,
)
from swapmeet.plots.style import FAINT, INK, SERIES, look, sheet

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt
    from matplotlib.figure import Figure

    from kit.study import Run

NAMES = ("Age", "Gender", "WeeksWorked", "MS", "PhD")
ORIGINAL = ("447.2", "-9591.7", "1286.4", "17333.0", "21291.3")
RELEASED = {
    FIRST: ("466.1", "-8423.2", "1270.7", "18593.9", "22161.4"),
    SECOND: ("506.3", "-9323.1", "1289.8", "17684.1", "22019.3"),
}
ERRORS = ("52.8", "1301.9", "38.6", "1453.7", "3627.7")
CALLS = {FIRST: "first call (weight 0.2)", SECOND: "second call (weight 0.3)"}
NOT_HERS = "printed as the original's; these are the errors of the first release"


def make_regression(run: Run) -> Section:
    """Coefficients and standard errors beside the printed ones, over many releases."""
    fits = {weight: _fit_releases(weight, run.seeds(200, 40)) for weight in CALLS}
    first = fits[FIRST]
    shifts = {weight: _to_shifts(found) for weight, found in fits.items()}
    percent = 100.0 * np.abs(first[:, 2] / first[:, 0] - 1.0)
    return Section(
        title="The regression tables",
        finding="The original's coefficients come out to the last digit, and both printed "
        "releases are draws like ours. The standard errors that the paper prints as the "
        "original's are those of its release.",
        words=split_paragraphs(
            f"""
            The paper does not say which 5,000 records it drew. They are the ones that R draws with
            the seed 99999 among the 16,411 people of occupations 100 to 109. Its releases depend
            on a stream of random numbers that we did not find, so that ours is the mean of many
            releases, and the paper's is held against the spread of single ones.

            The paper's summary, 'between 1% and 12%', is of one release. In the mean over releases
            the largest change of a coefficient is {percent.max(axis=1).mean():.0f} %, and in one
            of ten it is above {np.quantile(percent.max(axis=1), 0.9):.0f} %.
            """
        ),
        claims=[
            Claims("Coefficients of the original", _pair(ORIGINAL, first[0, 0])),
            *(
                Claims(f"Coefficients of the release, {call}", _pair_runs(printed, fits[w][:, 2]))
                for (w, call), printed in zip(CALLS.items(), RELEASED.values(), strict=True)
            ),
            Claims(
                "Standard errors 'of the original'",
                [*_pair(ERRORS, first[0, 1], note=NOT_HERS)],
            ),
            Claims("The same, as those of the first release", _pair_runs(ERRORS, first[:, 3])),
            Claims(
                "Changes of the coefficients by the first call, in percent",
                [
                    _pair_run("smallest", "1", percent.min(axis=1)),
                    _pair_run("largest", "12", percent.max(axis=1)),
                ],
            ),
        ],
        tables=[_tell_bias(shifts), _tell_coverage(run), _tell_components(run)],
        pictures=[_draw(shifts)],
    )


def _fit_releases(weight: float, seeds: range) -> npt.NDArray[np.float64]:
    """By release: coefficient and error before, coefficient and error after, for each term."""
    records, schema, found = read_records(), describe_columns(), []
    for seed in seeds:
        release = release_records(seed, choose_method(weight))
        card = sm.assess(records, release, schema=schema, measures=[], limits={}, models=[MODEL])
        terms = card.models[0].coefficients[1:]
        found.append(
            [
                [getattr(term, field) for term in terms]
                for field in ("original", "original_error", "released", "released_error")
            ]
        )
    return np.array(found)


def _to_shifts(fits: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Changes in standard errors of the original."""
    return (fits[:, 2] - fits[:, 0]) / fits[:, 1]


def _pair(printed: Sequence[str], ours: Sequence[float], note: str = "") -> list[Claim]:
    return [
        Claim.of(name, text, value, note=note)
        for name, text, value in zip(NAMES, printed, ours, strict=True)
    ]


def _pair_runs(printed: Sequence[str], runs: npt.NDArray[np.float64]) -> list[Claim]:
    return [
        _pair_run(name, text, one) for name, text, one in zip(NAMES, printed, runs.T, strict=True)
    ]


def _pair_run(name: str, printed: str, runs: npt.NDArray[np.float64]) -> Claim:
    """The printed number is of one release, and varies as one."""
    found = Estimate.from_runs(runs)
    return Claim.of(name, printed, found, paper_error=found.spread)


def _tell_bias(shifts: dict[float, npt.NDArray[np.float64]]) -> Table:
    rows = [
        [
            name,
            *(f"{one[:, j].mean():+.2f} ± {one[:, j].std(ddof=1):.2f}" for one in shifts.values()),
        ]
        for j, name in enumerate(NAMES)
    ]
    return Table(
        "Change of a coefficient by masking, in standard errors of the original: mean over "
        "releases (bias) ± standard deviation of single releases",
        ["", *CALLS.values()],
        rows,
    )


def _tell_coverage(run: Run) -> Table:
    """How often intervals that analysts compute from such releases hold the truth."""
    records, schema, rows = read_records(), describe_columns(), []
    found = []
    for weight in CALLS:
        release = release_records(run.seed, choose_method(weight))
        card = sm.assess(
            records, release, schema=schema, measures=[], limits={}, coverage=[MODEL],
            replicates=run.choose(100, 20),
        )  # fmt: skip
        found.append(card.coverage[0])
    for j, name in enumerate(NAMES, start=1):
        terms = [one.terms[j] for one in found]
        rows.append([name, *(_write_coverage(term) for term in terms)])
    return Table(
        "How often a 95 % interval that an analyst computes from the release covers the truth",
        ["", *CALLS.values()],
        rows,
    )


def _write_coverage(term: Any) -> str:
    low, high = term.interval
    return f"{term.coverage:.2f} ({low:.2f} to {high:.2f})"


def _tell_components(run: Run) -> Table:
    """Principal components, which the paper names as a second representative analysis."""
    records, schema, rows = read_records(), describe_columns(), []
    for weight, call in CALLS.items():
        release = release_records(run.seed, choose_method(weight))
        card = sm.assess(
            records, release, schema=schema, measures=[], limits={}, pca=list(records.columns)
        )
        parts = card.components.components[:3]
        rows.append([call, *(float(np.degrees(np.arccos(one.agreement))) for one in parts)])
    return Table(
        "How far the first principal components turn, in degrees", ["", "1st", "2nd", "3rd"], rows
    )


def _draw(shifts: dict[float, npt.NDArray[np.float64]]) -> Picture:
    return Picture.of(
        _draw_shifts(shifts),
        title="Coefficients of many releases, and the printed ones",
        description="For each of five coefficients and both calls, a box of the changes over many "
        "releases in standard errors of the original, and the paper's release as a diamond.",
        caption="Changes of coefficients in standard errors of the original. Boxes: half of our "
        "releases, whiskers: 98 of 100. Diamonds: the releases that the paper prints.",
        name="nbrs-coefficients",
    )


def _draw_shifts(shifts: dict[float, npt.NDArray[np.float64]]) -> Figure:
    with look():
        figure = sheet(3.2)
        axes = figure.subplots()
        axes.axhline(0.0, color=FAINT, linewidth=1.0)
        for number, (weight, found) in enumerate(shifts.items()):
            places = np.arange(len(NAMES)) + 0.36 * (number - 0.5)
            stroke = SERIES[number]
            axes.boxplot(
                found, positions=places, widths=0.28, whis=(1, 99), showfliers=False,
                patch_artist=True, label=CALLS[weight],
                boxprops={"facecolor": stroke.colour, "alpha": 0.55, "edgecolor": INK},
                medianprops={"color": INK}, whiskerprops={"color": INK}, capprops={"color": INK},
            )  # fmt: skip
            axes.plot(
                places, _shift_printed(RELEASED[weight]), "D", markersize=6,
                color="#ffffff", markeredgecolor=INK, markeredgewidth=1.4,
                label="the paper's release" if number else None,
            )  # fmt: skip
        axes.set_xticks(np.arange(len(NAMES)), NAMES)
        axes.set(ylabel="change, in standard errors")
        figure.legend(loc="outside lower center", ncols=3)
    return figure


def _shift_printed(released: Sequence[str]) -> list[float]:
    records, schema = read_records(), describe_columns()
    card = sm.assess(
        records, records, schema=schema, match="rows", measures=[], limits={}, models=[MODEL]
    )
    terms = card.models[0].coefficients[1:]
    return [
        (float(text) - term.original) / term.original_error
        for text, term in zip(released, terms, strict=True)
    ]
