"""The summary of a study in a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from swapmeet.cli.output import Output, count, percent
from swapmeet.core.base.sentences import join_names
from swapmeet.measures.limits import LOSS_AXIS, RISK_AXIS, SCORE

if TYPE_CHECKING:
    from swapmeet.tuning import Candidate, Study

LONGEST = 12
"""The most points of the frontier that are shown; the others are in the journal."""


def show_study(output: Output, study: Study, *, seconds: float) -> None:
    """What was tried, what is recommended and why, the frontier, and what failed."""
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
    _show_failures(output, study)
    output.line()


def _show_frontier(output: Output, study: Study) -> None:
    points = study.frontier()
    if not points:
        return
    output.heading("Frontier: no setting beats these in both risk and loss")
    step = max(-(-len(points) // LONGEST), 1)
    rows = [
        [str(p.candidate.number), p.candidate.label, f"{p.risk:.3f}", f"{p.loss:.3f}",
         f"{p.candidate.median(SCORE):.3f}", percent(p.chance), _kept(p.candidate, study)]
        for p in points[::step]
    ]  # fmt: skip
    output.table(["no.", "setting", "risk", "loss", "score", "stable", "limits"], rows)
    if step > 1:
        output.prose(f"{len(rows)} of {len(points)} points.")


def _show_methods(output: Output, study: Study) -> None:
    best = [leader.candidate for leader in study.leaders()]
    if not best:
        return
    output.heading("The best setting of each method")
    output.table(
        ["no.", "setting", "risk", "loss", "score", "limits"],
        [
            [str(c.number), c.label, f"{c.median(RISK_AXIS):.3f}", f"{c.median(LOSS_AXIS):.3f}",
             f"{c.median(SCORE):.3f}", _kept(c, study)]
            for c in best
        ],
    )  # fmt: skip


def _show_failures(output: Output, study: Study) -> None:
    failures = study.failures()
    if failures:
        output.heading("Could not be tried")
    left_out = _name_left_out(study)
    if left_out:
        verb = "are" if len(left_out) > 1 else "is"
        output.prose(
            f"{join_names(left_out)} {verb} left out of the comparison, because no setting that "
            "was tried can mask this table:"
        )
    for message, candidates in failures.items():
        many = f" ({count(len(candidates))} settings)" if len(candidates) > 1 else ""
        output.prose(f"{candidates[0].setting.name}{many}: {message}", bullet="-")


def _name_left_out(study: Study) -> list[str]:
    """The methods of which no setting could be tried, in order."""
    tried = {c.setting.name for c in study.candidates if not c.failure}
    failed = dict.fromkeys(c.setting.name for c in study.candidates if c.failure)
    return [name for name in failed if name not in tried]


def _kept(candidate: Candidate, study: Study) -> str:
    kept = "kept" if candidate.keeps(study.limits) else "missed"
    return kept if candidate.owned else f"{kept}, synthetic rows"
