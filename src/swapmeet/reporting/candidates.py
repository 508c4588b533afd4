"""The candidates of a study that a decision record lists: not all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from swapmeet.base.sentences import join_names
from swapmeet.measures.limits import SUMMARIES, sign
from swapmeet.tuning.refusals import find_refusals

if TYPE_CHECKING:
    from swapmeet.tuning import Candidate, Study

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
        "candidates": [_row(c, why, study, quick) for c, why in listed.values()],
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
    choice, found = study.choice, dict[int, tuple["Candidate", list[str]]]()

    def add(candidate: Candidate | None, why: str) -> None:
        if candidate is not None:
            found.setdefault(candidate.number, (candidate, []))[1].append(why)

    add(choice.best, "chosen")
    add(choice.runner_up, "runner-up")
    add(choice.nearest, "nearest to the limits")
    for leader in study.leaders():
        add(leader.candidate, f"best of {leader.method}")
    points = study.frontier()
    for at in np.unique(np.linspace(0, len(points) - 1, MOST).round()) if points else ():
        add(points[int(at)].candidate, "frontier")
    return dict(sorted(found.items(), key=lambda item: item[1][0].median(SUMMARIES[0])))


def _row(candidate: Candidate, why: list[str], study: Study, quick: list[str]) -> dict[str, Any]:
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
