"""The goal of a search: the least loss within the limits, or the least weighted score."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from swapmeet.comparison.score import Direction, Family
from swapmeet.errors import ParameterError
from swapmeet.measures.analyses import is_analysis
from swapmeet.measures.limits import LOSS_AXIS, RISK_AXIS, SCORE
from swapmeet.measures.overall import LOSS, RISK, SYNTHETIC_RISK, WHOLE_LOSS
from swapmeet.measures.registry import MEASURES, find

DEFAULT_RISK = ("linkage",)
"""Whom the worst intruder finds. `rid` and `sdid`, which ask for all columns at once, are nearly 0
for any release of a wide table and would only dilute it; `inference` takes too long for trials."""
DEFAULT_LOSS = WHOLE_LOSS
EVEN = 0.5
"""Weight of the risk in a score where nobody named one."""


@dataclass(frozen=True)
class Goal:
    """Weights of measures of risk and of loss, and the `balance` between the two, if there is one.

    Without a balance, the best setting is the one with the least loss among those that keep all
    limits, and of equals the one with the least risk. With a balance, it is the one with the least
    score, in which all risk has this weight and all loss the rest.

    By default the risk is that of the verdict, `linkage`, which synthetic rows have too, and the
    loss is the mean of `margins`, `relations` and `screened-propensity`. Where more of a measure is
    better, what it lacks of its best value counts.

    >>> goal = Goal(risk={"dbrl": 1.0}, loss={"pil": 3.0, "cbil": 1.0}, balance=0.5)
    >>> {name: float(v) for name, v in goal.of({"dbrl": 0.25, "pil": 0.5, "cbil": 0.0}).items()}
    {'risk': 0.25, 'loss': 0.375, 'score': 0.3125}
    """

    risk: Mapping[str, float] = field(default_factory=lambda: dict.fromkeys(DEFAULT_RISK, 1.0))
    loss: Mapping[str, float] = field(default_factory=lambda: dict.fromkeys(DEFAULT_LOSS, 1.0))
    balance: float | None = None

    def __post_init__(self) -> None:
        problems = [*_problems(self.risk, RISK_AXIS), *_problems(self.loss, LOSS_AXIS)]
        balance = self.balance
        if balance is not None and not (
            isinstance(balance, (int, float)) and 0.0 <= balance <= 1.0
        ):
            problems.append("goal: `balance`, the weight of the risk, must be in [0, 1].")
        if problems:
            raise ParameterError("\n".join(problems))

    @classmethod
    def of_sjppds_paper(cls, *, synthetic: bool = False) -> Self:
        """The overall score of the SJPPDS paper (equations 4 to 6), with the true owners.

        With `synthetic`, that for rows that are nobody's (equation 7), whose risk is `dr3`.
        """
        risk = SYNTHETIC_RISK if synthetic else RISK
        return cls(dict.fromkeys(risk, 1.0), dict.fromkeys(LOSS, 1.0), EVEN)

    @classmethod
    def of_measured(cls, names: Collection[str]) -> Self:
        """The default goal if these measures allow it; else that of the paper, the former default.

        For journals that name no goal.
        """
        default = cls()
        return default if set(default.measures) <= set(names) else cls.of_sjppds_paper()

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures it is made of."""
        return (*self.risk, *self.loss)

    def of(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Risk, loss and score of figures, or of arrays of figures; NaN where one is missing."""
        risk, loss = _mean(values, self.risk), _mean(values, self.loss)
        return {RISK_AXIS: risk, LOSS_AXIS: loss, SCORE: self.weigh(risk, loss)}

    def weigh(self, risk: Any, loss: Any) -> Any:
        """The score of a risk and a loss; without a balance, both count the same."""
        return self.weight * risk + (1.0 - self.weight) * loss

    @property
    def weight(self) -> float:
        """The weight of the risk in a score."""
        return EVEN if self.balance is None else self.balance

    def settle(self, limits: Collection[str]) -> Goal:
        """The goal under limits on these names: where none holds the risk, a score has to.

        Without a limit on the risk, the least loss would be a table that was not masked at all.
        """
        if self.balance is not None or any(map(_holds_risk, limits)):
            return self
        return replace(self, balance=EVEN)

    @property
    def aim(self) -> str:
        """The figure that is to be the least: the loss, or the score."""
        return LOSS_AXIS if self.balance is None else SCORE

    @property
    def summaries(self) -> tuple[str, ...]:
        """The figures that are shown: a score only where it decides."""
        return (RISK_AXIS, LOSS_AXIS) if self.balance is None else (RISK_AXIS, LOSS_AXIS, SCORE)

    @property
    def sentence(self) -> str:
        """In words."""
        figures = f"Risk is {_list_weights(self.risk)}; loss is {_list_weights(self.loss)}."
        if self.balance is None:
            return (
                "The best setting has the least loss among those that keep all limits; of equals, "
                f"the least risk. {figures}"
            )
        weights = f"{self.balance:g} x risk + {1.0 - self.balance:g} x loss"
        return (
            "The best setting has the least score among those that keep all limits. Score = "
            f"{weights}, from 0 (best) to 1. {figures}"
        )

    def to_dict(self) -> dict[str, Any]:
        """For machines."""
        return {"risk": dict(self.risk), "loss": dict(self.loss), "balance": self.balance}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """Read what `to_dict` wrote."""
        balance = content["balance"]
        balance = None if balance is None else float(balance)
        return cls(dict(content["risk"]), dict(content["loss"]), balance)


def _holds_risk(name: str) -> bool:
    """Return whether a limit on this name keeps the risk from growing."""
    return name in {RISK_AXIS, SCORE} or (name != LOSS_AXIS and find(name).family is Family.RISK)


def _mean(values: Mapping[str, Any], weights: Mapping[str, float]) -> Any:
    total = sum(weights.values())
    return sum(_lack(name, values.get(name, np.nan)) * w for name, w in weights.items()) / total


def _lack(name: str, value: Any) -> Any:
    """From 0 (best) to 1 (worst)."""
    low, high = find(name).bounds
    share = (np.asarray(value, np.float64) - low) / (high - low)
    return share if find(name).direction is Direction.LOWER else 1.0 - share


def _problems(weights: Mapping[str, float], axis: str) -> list[str]:
    known = {**MEASURES, **{name: find(name) for name in weights if is_analysis(name)}}
    family = {n for n, m in known.items() if (m.family is Family.RISK) == (axis == RISK_AXIS)}
    if not weights:
        return [f"goal: name at least one measure of {axis}."]
    problems = [
        f"goal: {name!r} is not a measure of {axis}; choose from "
        f"{', '.join(sorted(family & MEASURES.keys()))}."
        for name in weights
        if name not in family
    ]
    problems += [
        f"goal: {name!r} has no upper bound and cannot be weighted; set a limit on it instead."
        for name in weights
        if name in family and not np.isfinite(find(name).bounds).all()
    ]
    problems += [
        f"goal: the weight of {name!r} must be a number above 0."
        for name, weight in weights.items()
        if not (isinstance(weight, (int, float)) and 0.0 < weight < np.inf)
    ]
    return problems


def _list_weights(weights: Mapping[str, float]) -> str:
    if len(weights) == 1:
        return next(iter(weights))
    even = len(set(weights.values())) == 1
    return "the mean of " + ", ".join(
        name if even else f"{name} (weight {w:g})" for name, w in weights.items()
    )
