"""The pictures of a report, each with a title, a caption and words for those who do not see it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from swapmeet.base.sentences import join_names
from swapmeet.measures.side_by_side.bins import PUBLIC_DIGITS
from swapmeet.plots import (
    boxplots,
    categories,
    component_scores,
    correlations,
    distributions,
    influence,
    loadings,
    risk_utility_map,
    scree,
    selectivity,
    trade_off,
)
from swapmeet.plots.style import SERIES, describe_runs
from swapmeet.plots.svg import NAMESPACE, to_svg
from swapmeet.reporting.figures import figure, percent

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from matplotlib.figure import Figure

    from swapmeet.measures.side_by_side.distribution import Distribution
    from swapmeet.measures.side_by_side.profile import CorrelationMatrices, Profile
    from swapmeet.measures.side_by_side.selectivity import Selectivity
    from swapmeet.reporting.sources import Sources
    from swapmeet.tuning import Study

SECTIONS = MAP, TRADE_OFF, METHODS, PROFILE = "map", "trade-off", "methods", "profile"
"""The parts of a page that hold pictures."""
MOST_TRADE_OFFS = 3
RANKED = (
    "Categories are called by their rank: the 1st is the most frequent one in the original, "
    "whatever its code."
)
NAMED = "Categories are called by their values, which are for insiders."


@dataclass(frozen=True)
class Picture:
    """A picture in a part of the page; `description` says in words what it shows."""

    section: str
    title: str
    description: str
    caption: str
    svg: str

    def to_dict(self) -> dict[str, Any]:
        """Without the drawing."""
        return {"title": self.title, "description": self.description, "caption": self.caption}


def draw_pictures(sources: Sources, audience: str, *, labels: bool = False) -> list[Picture]:
    """The pictures for an audience: the public sees aggregates of the release, not the search.

    With `labels`, insiders see categories by their values instead of their ranks.
    """
    profile = sources.card.profile if sources.card else None
    if profile and audience == "public":
        profile = profile.coarse()
    pictures: list[Picture] = []
    if audience == "internal" and sources.study:
        pictures += _draw_study(sources.study)
    if profile:
        pictures += _draw_release(profile, labels=labels and audience == "internal")
    if profile and audience == "internal":
        pictures += _draw_for_insiders(profile)
    return pictures


def _draw_study(study: Study) -> Iterator[Picture]:
    best = study.leaders()
    if not best:
        return
    yield _make_picture(
        MAP, risk_utility_map.draw(study), "Risk and loss of all settings", _describe_map(study),
        f"Each marker is a setting at its risk and loss ({describe_runs(study.candidates)}); the "
        "lower left corner is best, and the picture shows the part where settings keep the limits. "
        "Hollow markers break a limit that was measured, the step line is the frontier. Along the "
        f"dotted line the {study.goal.aim} is that of the best setting. "
        f"{_explain_certainty(study, 'thin crosses')}",
    )  # fmt: skip
    yield from _draw_trade_offs(study)
    yield _make_picture(
        METHODS, boxplots.draw(study), "The best setting of each method", _describe_methods(study),
        "The repeats of the best setting of each method under the limits: a box from three on, "
        "markers for fewer. Hollow ones belong to methods of which no setting keeps the limits. "
        f"Colours are those of the map. {_explain_certainty(study)}".rstrip(),
    )  # fmt: skip


def _explain_certainty(study: Study, drawn: str = "") -> str:
    """Explain how far another run would differ; one run alone does not show it."""
    runs = [len(c) for c in study.candidates if not c.failure]
    if max(runs, default=0) < 2:
        return "Each setting ran once: another run may give other figures, by how much is unknown."
    if not drawn:
        return ""
    words = f"Figures are medians, and {drawn} tell how far these may differ in other runs"
    return f"{words}; settings that ran once have none." if min(runs) == 1 else f"{words}."


def _describe_map(study: Study) -> str:
    points = study.frontier()
    words = f"{len(study.candidates)} settings; {len(points)} of them on the frontier"
    if points:
        first, last = points[0], points[-1]
        words += (
            f", from risk {figure(first.risk)} and loss {figure(first.loss)} to risk "
            f"{figure(last.risk)} and loss {figure(last.loss)}"
        )
    return f"{words}. {study.choice.sentences[0]}"


def _draw_trade_offs(study: Study) -> Iterator[Picture]:
    """The chosen method over the parameter with most values, by the next; then the others."""
    method = study.leaders()[0].method
    names = trade_off.list_varied_parameters(study, method)[:MOST_TRADE_OFFS]
    for at, name in enumerate(names):
        by = names[1] if at == 0 and len(names) > 1 else None
        beside = f", by {by}" if by else ""
        shown = join_names(study.goal.summaries).capitalize()
        yield _make_picture(
            TRADE_OFF, trade_off.draw(study, method, name, by=by), f"{method} over {name}{beside}",
            f"{shown} of {method} over the tried values of {name}{beside}. "
            f"{study.choice.sentences[0]}",
            "Dashed lines are limits; the dotted line marks the value that was chosen. Other "
            f"parameters are those of the chosen setting. {_explain_certainty(study, 'bands')}",
        )  # fmt: skip


def _describe_methods(study: Study) -> str:
    words = [
        f"{leader.candidate.label}: "
        + ", ".join(f"{n} {figure(leader.candidate.median(n))}" for n in study.goal.summaries)
        for leader in study.leaders()
    ]
    return f"{'; '.join(words)}."


def _draw_release(profile: Profile, *, labels: bool) -> Iterator[Picture]:
    """Draw the pictures of a release that everybody may see."""
    if profile.correlations and len(profile.correlations.columns) > 1:
        yield _make_picture(
            PROFILE, correlations.draw(profile.correlations), "Correlations before and after",
            _describe_correlations(profile.correlations),
            "Correlations of the columns with numbers in the original, in the release, and their "
            "difference.",
        )  # fmt: skip
    if profile.components:
        shares = profile.components.original_shares[0], profile.components.released_shares[0]
        yield _make_picture(
            PROFILE, scree.draw(profile.components), "Principal components before and after",
            f"The first component has {percent(shares[0])} of the variance in the original and "
            f"{percent(shares[1])} in the release.",
            "The share of the variance that each principal component has.",
        )  # fmt: skip
    yield from _draw_distributions(profile.distributions, labels=labels)


def _draw_distributions(columns: tuple[Distribution, ...], *, labels: bool) -> Iterator[Picture]:
    numbers = [one.column for one in columns if one.edges is not None]
    levels = [one.column for one in columns if one.edges is None]
    if numbers:
        yield _make_picture(
            PROFILE, distributions.draw(columns), "Distributions before and after",
            f"Rows by the values of {join_names(numbers)}, in the original and in the release. "
            + _describe_change([one for one in columns if one.edges is not None]),
            "How densely values lie. Values stand in round groups; small groups are joined with "
            "their neighbours, and the outermost are open.",
        )  # fmt: skip
    if levels:
        yield _make_picture(
            PROFILE, categories.draw(columns, by_name=labels), "Categories before and after",
            f"Rows in each category of {join_names(levels)}, in the original and in the release. "
            + _describe_change([one for one in columns if one.edges is None]),
            f"Rows in each category. {NAMED if labels else RANKED} Rare ones are counted together.",
        )  # fmt: skip


def _describe_change(columns: Sequence[Distribution]) -> str:
    """The column that changed most, by the share of rows that stand in another group."""
    moved = {one.column: one.misplaced for one in columns if one.original}
    most = max(moved, key=lambda name: moved[name], default=None)
    if most is None or round(moved[most], PUBLIC_DIGITS) == 0.0:
        return "The shares of the groups hardly differ."
    share = round(moved[most], PUBLIC_DIGITS)
    return (
        f"The largest change is that of {most}: {percent(share)} of its rows, net, changed group."
    )


def _draw_for_insiders(profile: Profile) -> Iterator[Picture]:
    if profile.components:
        yield _make_picture(
            PROFILE, loadings.draw(profile.components), "Loadings before and after",
            f"Loadings of {join_names(profile.components.columns)} on the first components.",
            "How much each column counts in the first principal components.",
        )  # fmt: skip
    if profile.component_scores:
        yield _make_picture(
            PROFILE, component_scores.draw(profile.component_scores),
            "Component scores before and after",
            f"Rows by their scores on the first two principal components of "
            f"{join_names(profile.component_scores.columns)}, in the original and in the release.",
            "Where rows lie on the first two principal components of the original: darker cells "
            "hold more rows, blank ones fewer than "
            f"{profile.component_scores.least}; the outermost cells are open.",
        )  # fmt: skip
    for model in profile.influences:
        yield _make_picture(
            PROFILE, influence.draw(model), f"Influence on {model.formula}",
            f"The largest Cook's distance is {figure(model.largest_original)} in the original and "
            f"{figure(model.largest_released)} in the release.",
            "Rows by their influence on the model (Cook's distance).",
        )  # fmt: skip
    for at in range(0, len(profile.selectivities), len(SERIES)):
        yield _draw_selectivities(profile.selectivities[at : at + len(SERIES)], at)


def _draw_selectivities(curves: tuple[Selectivity, ...], at: int) -> Picture:
    part = f" ({at // len(SERIES) + 1})" if at else ""
    return _make_picture(
        PROFILE, selectivity.draw(curves), f"Error of counting queries{part}",
        f"Error of queries that count {join_names(dict.fromkeys(one.target for one in curves))}, "
        "by the share of rows that a query selects.",
        "Relative error of counting queries, by how many rows they select.",
    )  # fmt: skip


def _describe_correlations(matrices: CorrelationMatrices) -> str:
    before, after = (np.array(m, np.float64) for m in (matrices.original, matrices.released))
    change = np.abs(after - before)
    if np.isnan(change).all():
        return "No correlation is defined."
    one, other = np.unravel_index(np.nanargmax(change), change.shape)
    return (
        f"The largest change is that between {matrices.columns[one]} and "
        f"{matrices.columns[other]}: from {before[one, other]:.2f} to {after[one, other]:.2f}."
    )


def _make_picture(
    section: str, drawn: Figure, title: str, description: str, caption: str
) -> Picture:
    """The drawing goes into a page, which needs no name for the language of drawings."""
    svg = to_svg(drawn, title=title, description=description)
    inline = svg.replace(f' xmlns="{NAMESPACE}"', "", 1)
    return Picture(section, title, description, caption, inline)
