"""The scores of a release beside what the search found, and the candidates that are listed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from swapmeet.base.sentences import join_names
from swapmeet.comparison.score import Judgement
from swapmeet.measures.analyses import is_analysis
from swapmeet.measures.limits import SUMMARIES, sign
from swapmeet.measures.registry import MEASURES, find
from swapmeet.tuning.refusals import find_refusals

if TYPE_CHECKING:
    from swapmeet.reporting.sources import Sources
    from swapmeet.tuning import Candidate, Study


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


MOST = 30
"""Points of a long frontier that are listed, evenly spread along it."""


def summarize_search(study: Study) -> dict[str, Any]:
    """Summarize what was tried, what was wanted, and the candidates that matter."""
    tried, failed = list(study.candidates), [c for c in study.candidates if c.failure]
    listed, quick = _select_candidates(study), list_first_looks(study)
    return {
        "trials": len(study.trials),
        "settings": len(tried) - len(failed),
        "failed": len(failed),
        "methods": list(dict.fromkeys(c.setting.name for c in tried)),
        "repeats": max((len(c) for c in tried), default=0),
        "interrupted": study.interrupted,
        "goal": study.goal.sentence,
        "limits": [{"measure": n, "sign": sign(n), "limit": v} for n, v in study.limits.items()],
        "measures": _measures_shown(study),
        "first_looks": quick,
        "in_full": sum(_is_whole(c, quick) for c in tried if not c.failure),
        "candidates": [_entry(c, why, study, quick) for c, why in listed.values()],
        "not_listed": len(tried) - len(failed) - len(listed),
        "failures": [
            {"method": join_names(one.methods), "settings": one.settings, "message": one.message}
            for one in find_refusals(study.trials)
        ],
    }


def list_first_looks(study: Study) -> list[str]:
    """The measures of which trials have a first look, or nothing; a check takes them in full."""
    late = {name for candidate in study.candidates for name in candidate.later}
    return [n for n in study.setup.measures if n in late or n in study.setup.first_looks]


def _is_whole(candidate: Candidate, quick: list[str]) -> bool:
    """Return whether a candidate was measured in full."""
    return candidate.checked or not quick


def describe_figure(candidate: Candidate, name: str) -> dict[str, Any] | None:
    """The median with its interval, which may not be defined; None where it was not measured."""
    if not candidate.has(name):
        return None
    median, interval = candidate.median(name), list(candidate.interval(name))
    undefined = np.isnan(median)
    return {
        "median": None if undefined else median,
        "interval": None if undefined else interval,
        "repeats": len(candidate.repeats[name]),
    }


def _measures_shown(study: Study) -> list[str]:
    return list(dict.fromkeys((*study.goal.summaries, *study.limits)))


def _select_candidates(study: Study) -> dict[int, tuple[Candidate, list[str]]]:
    """Select candidates in the order of their risk; return why each is listed, by number."""
    choice, candidates = study.choice, dict[int, tuple["Candidate", list[str]]]()

    def add(candidate: Candidate | None, why: str) -> None:
        if candidate is not None:
            candidates.setdefault(candidate.number, (candidate, []))[1].append(why)

    add(choice.best, "chosen")
    add(choice.runner_up, "runner-up")
    add(choice.nearest, "nearest to the limits")
    for leader in study.leaders():
        add(leader.candidate, f"best of {leader.method}")
    points = study.frontier()
    for at in np.unique(np.linspace(0, len(points) - 1, MOST).round()) if points else ():
        add(points[int(at)].candidate, "frontier")
    return dict(sorted(candidates.items(), key=lambda item: item[1][0].median(SUMMARIES[0])))


def _entry(candidate: Candidate, why: list[str], study: Study, quick: list[str]) -> dict[str, Any]:
    chance = {p.candidate.number: p.chance for p in study.frontier()}
    return {
        "number": candidate.number,
        "setting": candidate.label,
        "why": why,
        "figures": {name: describe_figure(candidate, name) for name in _measures_shown(study)},
        "within_limits": candidate.keeps(study.limits),
        "in_full": _is_whole(candidate, quick),
        "frontier_chance": chance.get(candidate.number),
        "repeats": len(candidate),
    }
