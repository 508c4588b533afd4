"""The summary of a study in a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from swapmeet.base.sentences import count as plural
from swapmeet.base.sentences import join_names
from swapmeet.cli.output import Output, percent
from swapmeet.tuning.frontier import FrontierPoint, Leader, explain_defeat, list_untried
from swapmeet.tuning.refusals import find_refusals

if TYPE_CHECKING:
    from collections.abc import Collection

    from swapmeet.tuning import Candidate, Study

LONGEST = 12
"""The most points of the frontier that are shown; the others are in the journal."""


def show_study(
    output: Output, study: Study, *, seconds: float, known: Collection[str] = ()
) -> None:
    """Show what was tried, what failed, the frontier, and each method beside the choice.

    `known` are reasons of failures that people have read before.
    """
    tried, failed = len(study.trials.settings), len(study.trials.failures)
    trials, settings = plural(len(study.trials), "trial"), plural(tried - failed, "setting")
    words = [f"{trials} of {settings} in {seconds:.0f} s"]
    if not all(one.is_whole for one in study.candidates if not one.failure):
        words.append(f"{plural(study.trials.checks, 'setting')} checked in full")
    if failed:
        words.append(f"{plural(failed, 'setting')} could not be tried")
    output.prose(f"{'; '.join(words)}.")
    output.prose(study.goal.sentence)
    _show_failures(output, study, known)
    _show_frontier(output, study)
    _show_methods(output, study)


def show_recommendation(output: Output, study: Study) -> None:
    """Show the choice in one sentence, two alternatives, and the reasons."""
    first, *others = study.choice.sentences
    output.heading("Recommendation")
    output.prose(first)
    for sentence in others:
        output.prose(sentence, bullet="-")
    output.line()


def _show_frontier(output: Output, study: Study) -> None:
    points = study.frontier()
    if not points:
        return
    output.heading("Frontier: no setting beats these in both risk and loss")
    step = max(-(-len(points) // LONGEST), 1)
    rows = [
        [str(p.candidate.number), p.candidate.label, *_list_figures(p.candidate, study),
         _say_chance(p), _kept(p.candidate, study)]
        for p in points[::step]
    ]  # fmt: skip
    output.table(["no.", "setting", *study.goal.summaries, "stable", "limits"], rows)
    if step > 1:
        output.prose(f"{len(rows)} of {len(points)} points.")


def _show_methods(output: Output, study: Study) -> None:
    leaders = study.leaders()
    if not leaders:
        return
    output.heading("The best setting of each method, and why it was not chosen")
    output.table(
        ["no.", "setting", *study.goal.summaries, "repeats", "why"],
        [
            [str(c.number), c.label, *_list_figures(c, study), str(len(c)),
             _explain(leader, study)]
            for leader in leaders
            if (c := leader.candidate)
        ],
    )  # fmt: skip
    untried = list_untried(study)
    if untried:
        output.prose(f"Not tried, because the search ended before: {join_names(untried)}.")


def _list_figures(candidate: Candidate, study: Study) -> list[str]:
    return [f"{candidate.median(name):.3f}" for name in study.goal.summaries]


def _explain(leader: Leader, study: Study) -> str:
    why = explain_defeat(leader, study)
    return why if leader.candidate.owned else f"{why}; synthetic rows"


def _show_failures(output: Output, study: Study, known: Collection[str]) -> None:
    """Show the failures that were not shown before."""
    left_out = _name_left_out(study)
    if left_out:
        verb = "are" if len(left_out) > 1 else "is"
        output.prose(
            f"{join_names(left_out)} {verb} left out of the comparison, because no setting that "
            "was tried can mask this table."
        )
    new = [one for one in find_refusals(study.trials) if one.reason not in known]
    if new:
        output.heading("Could not be tried")
    for refusal in new:
        output.prose(refusal.sentence, bullet="-")


def _name_left_out(study: Study) -> list[str]:
    """The methods of which no setting could be tried, in order."""
    tried = {c.setting.name for c in study.candidates if not c.failure}
    failed = dict.fromkeys(c.setting.name for c in study.candidates if c.failure)
    return [name for name in failed if name not in tried]


def _kept(candidate: Candidate, study: Study) -> str:
    kept = "kept" if candidate.keeps(study.limits) else "not kept"
    if kept == "kept" and not candidate.is_whole:
        kept = "kept at first look"
    return kept if candidate.owned else f"{kept}, synthetic rows"


def _say_chance(point: FrontierPoint) -> str:
    """Say how stable a place on the frontier is; empty where there are too few repeats."""
    return "–" if point.chance is None else percent(point.chance)
