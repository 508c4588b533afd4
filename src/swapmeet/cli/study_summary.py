"""The summary of a study in a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from swapmeet.cli.output import Output, count, percent
from swapmeet.core.base.sentences import join_names
from swapmeet.measures.limits import LOSS_AXIS, RISK_AXIS, SCORE
from swapmeet.tuning.leaders import explain_defeat, list_untried

if TYPE_CHECKING:
    from collections.abc import Collection

    from swapmeet.tuning import Candidate, Study
    from swapmeet.tuning.frontier import FrontierPoint
    from swapmeet.tuning.leaders import Leader

LONGEST = 12
"""The most points of the frontier that are shown; the others are in the journal."""


def show_study(output: Output, study: Study, *, seconds: float, told: Collection[str] = ()) -> None:
    """What was tried, what is recommended and why, the frontier, and what failed.

    `told` are messages of failures that people have read before.
    """
    tried, failed = len(study.trials.settings), len(study.trials.failures)
    output.prose(
        f"{count(len(study.trials))} trials of {count(tried - failed)} settings in {seconds:.0f} s"
        f"{f'; {count(failed)} settings could not be tried' if failed else ''}."
    )
    output.prose(study.goal.sentence)
    output.heading("Recommendation")
    for sentence in study.choice.sentences:
        output.prose(sentence, bullet="-")
    _show_frontier(output, study)
    _show_methods(output, study)
    _show_failures(output, study, told)
    output.line()


def _show_frontier(output: Output, study: Study) -> None:
    points = study.frontier()
    if not points:
        return
    output.heading("Frontier: no setting beats these in both risk and loss")
    step = max(-(-len(points) // LONGEST), 1)
    rows = [
        [str(p.candidate.number), p.candidate.label, f"{p.risk:.3f}", f"{p.loss:.3f}",
         f"{p.candidate.median(SCORE):.3f}", _say_chance(p), _kept(p.candidate, study)]
        for p in points[::step]
    ]  # fmt: skip
    output.table(["no.", "setting", "risk", "loss", "score", "stable", "limits"], rows)
    if step > 1:
        output.prose(f"{len(rows)} of {len(points)} points.")


def _show_methods(output: Output, study: Study) -> None:
    leaders = study.leaders()
    if not leaders:
        return
    output.heading("The best setting of each method, and why it was not chosen")
    output.table(
        ["no.", "setting", "risk", "loss", "score", "repeats", "why"],
        [
            [str(c.number), c.label, f"{c.median(RISK_AXIS):.3f}", f"{c.median(LOSS_AXIS):.3f}",
             f"{c.median(SCORE):.3f}", str(len(c)), _explain(leader, study)]
            for leader in leaders
            if (c := leader.candidate)
        ],
    )  # fmt: skip
    untried = list_untried(study)
    if untried:
        output.prose(f"Not tried, because the search ended before: {join_names(untried)}.")


def _explain(leader: Leader, study: Study) -> str:
    why = explain_defeat(leader, study)
    return why if leader.candidate.owned else f"{why}; synthetic rows"


def _show_failures(output: Output, study: Study, told: Collection[str]) -> None:
    """What failed, but for what was told before the first trial."""
    left_out = _name_left_out(study)
    if left_out:
        verb = "are" if len(left_out) > 1 else "is"
        output.prose(
            f"{join_names(left_out)} {verb} left out of the comparison, because no setting that "
            "was tried can mask this table."
        )
    new = {message: some for message, some in study.failures().items() if message not in told}
    if new:
        output.heading("Could not be tried")
    for message, candidates in new.items():
        many = f" ({count(len(candidates))} settings)" if len(candidates) > 1 else ""
        output.prose(f"{candidates[0].setting.name}{many}: {message}", bullet="-")


def _name_left_out(study: Study) -> list[str]:
    """The methods of which no setting could be tried, in order."""
    tried = {c.setting.name for c in study.candidates if not c.failure}
    failed = dict.fromkeys(c.setting.name for c in study.candidates if c.failure)
    return [name for name in failed if name not in tried]


def _kept(candidate: Candidate, study: Study) -> str:
    kept = "kept" if candidate.keeps(study.limits) else "missed"
    if kept == "kept" and not candidate.checked and _is_quick(study):
        kept = "kept at first look"
    return kept if candidate.owned else f"{kept}, synthetic rows"


def _is_quick(study: Study) -> bool:
    """Whether some limit is judged in full only of the best."""
    return any(candidate.checked for candidate in study.candidates)


def _say_chance(point: FrontierPoint) -> str:
    """How stable a place on the frontier is; nothing where there are too few repeats."""
    return "–" if point.chance is None else percent(point.chance)
