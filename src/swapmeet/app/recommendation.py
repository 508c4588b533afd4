"""The candidate that a curator is advised to take, and others that lose or risk less."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from swapmeet.app.run import Run

ALIKE = 0.001
"""Figures that differ by less are alike."""
LESS_LOSS, LESS_RISK = "loss", "risk"
"""What an alternative has less of, in the words of a search."""


def choose_candidate(runs: Iterable[Run]) -> Run | None:
    """Choose by the rule of a search: least loss within the limits, then least risk.

    Where none keeps the limits, the one with the least risk is looked at first.
    """
    known = _select_measured(runs)
    safe = [run for run in known if run.facts["safe"]]
    if safe:
        return min(safe, key=lambda run: (round(run.facts["loss"], 3), run.facts["risk"]))
    return min(known, key=lambda run: run.facts["risk"], default=None)


def find_alternatives(runs: Iterable[Run], best: Run) -> dict[str, Run]:
    """The candidate with the least risk of those that lose less, and the other way round."""
    if not _select_measured([best]):
        return {}
    known = _select_measured(runs)
    alternatives: dict[str, Run] = {}
    for less, more in ((LESS_LOSS, LESS_RISK), (LESS_RISK, LESS_LOSS)):
        able = [run for run in known if run.facts[less] < best.facts[less] - ALIKE]
        if able:
            alternatives[less] = min(able, key=lambda run: (run.facts[more], run.facts[less]))
    return alternatives


def _select_measured(runs: Iterable[Run]) -> Sequence[Run]:
    """Select the candidates that have both figures."""
    return [run for run in runs
            if run.facts.get("risk") is not None and run.facts.get("loss") is not None]  # fmt: skip
