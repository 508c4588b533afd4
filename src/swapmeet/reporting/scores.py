"""The scores of a release beside what the search found, and the candidates that are listed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from swapmeet.comparison.score import Judgement
from swapmeet.measures.analyses import is_analysis
from swapmeet.measures.limits import sign
from swapmeet.measures.registry import MEASURES, find
from swapmeet.reporting.candidates import describe_figure

if TYPE_CHECKING:
    from swapmeet.reporting.sources import Sources
    from swapmeet.tuning import Study

RISK, UTILITY = "Risk", "Utility"


def group_scores(sources: Sources) -> list[dict[str, Any]]:
    """The scores of risk and those of utility, those with a limit first."""
    names = list(sources.card.scores) if sources.card else []
    if sources.tried and sources.study:
        names += [n for n in list_known(sources.study) if n not in names]
    names.sort(key=lambda name: name not in sources.limits)
    rows = [_row(name, sources) for name in names]
    parts = {family: [r for r in rows if r["family"] == family] for family in (RISK, UTILITY)}
    return [{"family": family, "scores": own} for family, own in parts.items() if own]


def list_known(study: Study) -> list[str]:
    """The measures of a study of which more is known than their names; others are somebody's."""
    return [name for name in study.setup.measures if name in MEASURES or is_analysis(name)]


def describe_measure(name: str, sources: Sources) -> dict[str, Any]:
    """Describe a measure, by its score if there is one: it may not be one of ours."""
    measure = MEASURES.get(name)
    score = sources.card.scores.get(name) if sources.card else None
    source = score or find(name)
    return {
        "measure": name,
        "question": measure.question if measure else "",
        "family": str(source.family).capitalize(),
        "public": source.public,
        "better": str(source.direction),
        "bounds": list(source.bounds),
    }


def _row(name: str, sources: Sources) -> dict[str, Any]:
    score = sources.card.scores.get(name) if sources.card else None
    limit = sources.limits.get(name)
    row: dict[str, Any] = {
        **describe_measure(name, sources),
        "value": None,
        "interval": None,
        "sentence": "",
        "undefined": None,
        "limit": None if limit is None else {"value": limit, "sign": sign(name)},
        "met": None,
        "standing": "",
        "tuned": describe_figure(sources.tried, name) if sources.tried else None,
    }
    if score:
        row |= {n: v for n, v in score.to_dict().items() if n != "details"}
    if score and limit is not None:
        judgement = score.judge(limit)
        row["met"] = judgement is Judgement.SAFE
        row["standing"] = judgement.standing.lower()
    return row
