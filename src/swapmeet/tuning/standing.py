"""Comparison of the choice with the next best, in words: better, no better, or not known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from swapmeet.core.base.sentences import join_names
from swapmeet.measures.limits import LOSS_AXIS, RISK_AXIS
from swapmeet.tuning.difference import FEWEST, tells_chance
from swapmeet.tuning.sayings import say_figure

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from swapmeet.tuning.candidate import Candidate
    from swapmeet.tuning.difference import Difference


def describe_standing(
    best: Candidate, eligible: Sequence[Candidate], differences: Sequence[Difference]
) -> Iterator[str]:
    """The runner-up, and whether the choice is better than it and than the other finalists."""
    others = [c for c in eligible if c is not best]
    if not others:
        whole = "was checked in full" if best.checked else "was tried"
        yield f"No other setting that {whole} keeps the limits."
        return
    second, aim = others[0], best.goal.aim
    loss = "" if aim == LOSS_AXIS else f", loss {second.median(LOSS_AXIS):.3g}"
    yield (
        f"Runner-up: {second.label} ({aim} {say_figure(second, aim)}, risk "
        f"{second.median(RISK_AXIS):.3g}{loss})."
    )
    tied = [found for found in differences if found.tied]
    if tied:
        yield _explain_tie(best, eligible[0], tied)
    elif differences[0].decided:
        yield _say_better(differences[0])
    unknown = [found for found in differences if not found.known]
    if unknown:
        yield _say_unknown(best, [found.worse for found in unknown])


def _explain_tie(best: Candidate, lowest: Candidate, tied: Sequence[Difference]) -> str:
    """Explain which settings are as good, how far they may differ, and why one was taken."""
    same = [c for c in (lowest, *(found.worse for found in tied)) if c is not best]
    return (
        f"{len(same) + 1} settings {_say_alike([best, *same], tied)}: this one and "
        f"{join_names(c.label for c in same)}. {_say_why(best, same)}"
    )


def _say_why(best: Candidate, same: Sequence[Candidate]) -> str:
    """Say why one of several equally good settings was taken."""
    aim = best.goal.aim
    if best.median(aim) < min(c.median(aim) for c in same):
        return f"This one was chosen because its {aim} is the lowest so far; that may be luck."
    return (
        "This one was chosen because its risk is the lowest "
        f"({best.median(RISK_AXIS):.3g}; the others: "
        f"{', '.join(f'{c.median(RISK_AXIS):.3g}' for c in same)})."
    )


def _say_alike(settings: Sequence[Candidate], tied: Sequence[Difference]) -> str:
    """That settings are the same, or cannot be told apart after so many repeats."""
    aim = settings[0].goal.aim
    farthest = max(abs(end) for found in tied for end in found.interval or ())
    if farthest == 0.0:
        return f"have the same {aim}"
    repeats = sorted({len(c) for c in settings if len(c) > 1})
    span = str(repeats[-1]) if len(repeats) == 1 else f"{repeats[0]} to {repeats[-1]}"
    return (
        f"cannot be told apart by their {aim} after {span} repeats (none is shown to differ; the "
        f"largest difference that the repeats allow is {farthest:.2g})"
    )


def _say_better(found: Difference) -> str:
    """That the difference to the runner-up is decided, and how large it is."""
    assert found.interval is not None
    aim = found.better.goal.aim
    low, high = found.interval
    if low == high:
        return f"It is better than the runner-up: its {aim} is lower by {found.value:.2g}."
    return (
        f"It is better than the runner-up: its {aim} is lower by {found.value:.2g}, with an "
        f"interval from {low:.2g} to {high:.2g} ({len(found.better)} and {len(found.worse)} "
        "repeats)."
    )


def _say_unknown(best: Candidate, others: Sequence[Candidate]) -> str:
    """That chance was not measured, and of what."""
    few = [c for c in (best, *others) if not tells_chance(c)]
    names = join_names(f"{c.label} ({len(c)})" for c in few)
    return (
        f"Whether it is better than what comes next is not known where there are fewer than "
        f"{FEWEST} repeats: {names}. Search longer, or allow more repeats."
    )
