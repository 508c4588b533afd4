"""A choice for the curator: the option to take, one that loses less, and one that risks less."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from swapmeet.app.formatting import label_setting, label_trial

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from swapmeet.app.run import Run

ALIKE = 0.001
"""Figures that differ by less are alike."""


@dataclass(frozen=True)
class Option:
    """A candidate, or a setting that a search has tried; `within` the limits, if it keeps all.

    A setting that was not `checked` had only a first look. `words` say what it loses.
    """

    number: int
    title: str
    risk: float
    loss: float
    within: bool
    checked: bool = True
    words: str = ""


@dataclass(frozen=True)
class Recommendation:
    """The option to take, and two others, where there are such."""

    best: Option
    less_loss: Option | None
    less_risk: Option | None


def recommend(options: Sequence[Option], best: int | None) -> Recommendation | None:
    """The best option with the neighbours that trade loss for risk, and risk for loss."""
    taken = next((one for one in options if one.number == best), None)
    if taken is None:
        return None
    cheaper = [one for one in options if one.loss < taken.loss - ALIKE]
    safer = [one for one in options if one.risk < taken.risk - ALIKE]
    return Recommendation(
        taken,
        min(cheaper, key=lambda one: (not one.checked, one.risk, one.loss), default=None),
        min(safer, key=lambda one: (not one.checked, one.loss, one.risk), default=None),
    )


def choose_candidate(options: Sequence[Option]) -> int | None:
    """Choose by the rule of a search: least loss within the limits, then least risk.

    Where none keeps the limits, the one with the least risk is looked at first.
    """
    within = [one for one in options if one.within]
    if within:
        return min(within, key=lambda one: (round(one.loss, 3), one.risk)).number
    return min(options, key=lambda one: one.risk).number if options else None


def list_candidates(runs: Sequence[Run]) -> list[Option]:
    """The candidates that have both figures."""
    return [
        Option(run.number, label_setting(run.facts), run.facts["risk"], run.facts["loss"],
               run.facts["safe"], words=run.facts.get("losses", ""))
        for run in runs
        if run.facts.get("risk") is not None and run.facts.get("loss") is not None
    ]  # fmt: skip


def list_trials(study: Mapping[str, Any]) -> list[Option]:
    """The settings that a search has tried and that have both figures."""
    options = []
    for one in study.get("candidates", ()):
        risk, loss = (one["medians"].get(name) for name in ("linkage", "loss"))
        if not one["failure"] and risk is not None and loss is not None:
            options.append(
                Option(one["number"], label_trial(one), risk, loss,
                       not list_missed(study, one), one["checked"])
            )  # fmt: skip
    return options


def list_missed(study: Mapping[str, Any], candidate: Mapping[str, Any]) -> list[str]:
    """The limits that a setting exceeds, by the worse ends of its figures."""
    ends = candidate["unfavourable"]
    return [n for n, limit in study.get("limits", {}).items() if n in ends and ends[n] > limit]
