"""A setting that was tried, and what its repeats say of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from swapmeet.base.quantiles import coin_quantile
from swapmeet.comparison.score import CONFIDENCE
from swapmeet.errors import ParameterError, did_you_mean
from swapmeet.measures.default_limits import are_default, list_default_limits
from swapmeet.measures.limits import LOSS_AXIS, RISK_AXIS, SCORE, keeps
from swapmeet.tuning.goal import Goal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from swapmeet.base.arrays import Floats
    from swapmeet.methods import Method
    from swapmeet.tuning.trial import Setting


@dataclass(frozen=True, repr=False, eq=False)
class Candidate:
    """A setting with the figures of its repeats, by measure, and what the goal makes of them.

    `ends` has the unfavourable ends of their intervals, by which limits are judged; where a measure
    has none there, its figures are. `failure` is the message of a method that refused the table; it
    has no figures then. Rows that are not `owned` are synthetic, and measures that need owners are
    not defined. Only once it was `checked` was everything measured in full: of the `quick` measures
    trials take a first look, and others they leave for `later`; `look` is the risk at first look.
    """

    number: int
    setting: Setting
    repeats: Mapping[str, Floats]
    failure: str = ""
    owned: bool = True
    goal: Goal = field(default_factory=Goal)
    ends: Mapping[str, Floats] = field(default_factory=dict)
    checked: bool = False
    later: tuple[str, ...] = ()
    quick: tuple[str, ...] = ()
    look: float = np.nan

    def __repr__(self) -> str:
        status = "failed" if self.failure else f"{len(self)} repeats"
        return f"<Candidate {self.number}: {self.label}, {status}>"

    def __len__(self) -> int:
        return len(next(iter(self.repeats.values()), ()))

    @property
    def method(self) -> Method:
        """The method with this setting, ready to mask."""
        return self.setting.method

    @property
    def label(self) -> str:
        """For people."""
        return self.setting.label

    def median(self, name: str) -> float:
        """The median over the repeats; NaN where one has no figure, or was not measured yet.

        The score is that of the median risk and the median loss.
        """
        return self._medians[self._require_measured(name)]

    def unfavourable(self, name: str) -> float:
        """The figure compared with a limit: the median of the unfavourable ends of the repeats."""
        if name not in self.ends:
            return self.median(name)
        return float(np.median(self.ends[name]))

    def interval(self, name: str) -> tuple[float, float]:
        """Between which values the median over repeats lies; all repeats where they are few.

        It says how far another draw of the release may differ, not what other people would give.
        """
        if self._require_measured(name) not in self.repeats:
            return np.nan, np.nan
        return median_interval(self.repeats[name])

    @property
    def merit(self) -> tuple[float, float, int]:
        """The rank of a candidate: what the goal aims at, then the risk; lower is better."""
        return self.median(self.goal.aim), self.median(RISK_AXIS), self.number

    def count_within(self, name: str, limit: float) -> int:
        """Count the repeats that keep a limit, by the unfavourable ends of their intervals."""
        ends = self.ends[name] if name in self.ends else self.repeats[name]
        return int(np.sum(keeps(name, ends, limit)))

    def keeps(self, limits: Mapping[str, float]) -> bool:
        """Return whether all limits are kept, by the medians of the unfavourable ends.

        A limit on what is measured only when a candidate is checked counts from then on.
        """
        return not self.failure and not self.find_missed(limits)

    def find_missed(self, limits: Mapping[str, float]) -> dict[str, float]:
        """The limits that are not kept, of those that were measured so far."""
        return {
            name: limit
            for name, limit in self.fit_limits(limits).items()
            if self.has(name) and not keeps(name, self.unfavourable(name), limit)
        }

    def find_open(self, limits: Mapping[str, float]) -> list[str]:
        """The limits on what was not measured in full yet: nobody knows whether they are kept."""
        quick = () if self.checked else self.quick
        return [n for n in self.fit_limits(limits) if n in quick or not self.has(n)]

    def has(self, name: str) -> bool:
        """Return whether a measure was taken, be it defined or not."""
        return name in self.repeats

    @property
    def is_whole(self) -> bool:
        """Return whether everything was measured in full."""
        return self.checked or not (self.later or self.quick)

    def fit_limits(self, limits: Mapping[str, float]) -> Mapping[str, float]:
        """The limits that count for it: where nobody chose any, the verdict's.

        These are others for synthetic rows, which belong to nobody.
        """
        if self.owned or not are_default(limits):
            return limits
        linked = self.has("linkage") and not np.isnan(self.median("linkage"))
        return list_default_limits(owned=False, linked=linked)

    def to_dict(self) -> dict[str, Any]:
        """For machines."""
        medians = {n: None if np.isnan(v) else v for n, v in self._medians.items()}
        return {
            "number": self.number,
            "label": self.label,
            "method": self.setting.name,
            "settings": dict(self.setting.settings),
            "repeats": len(self),
            "failure": self.failure or None,
            "owned": self.owned,
            "checked": self.checked,
            "medians": medians,
            "not_measured": list(self.later),
            "unfavourable": {n: end for n in medians if not np.isnan(end := self.unfavourable(n))},
            "intervals": {n: list(self.interval(n)) for n, v in medians.items() if v is not None},
        }

    @cached_property
    def _medians(self) -> dict[str, float]:
        medians = dict.fromkeys(self.later, np.nan)
        medians |= {name: float(np.median(values)) for name, values in self.repeats.items()}
        if SCORE in medians:
            medians[SCORE] = self.goal.weigh(medians[RISK_AXIS], medians[LOSS_AXIS])
        return medians

    def _require_measured(self, name: str) -> str:
        if name not in self._medians:
            raise ParameterError(
                f"{self.label}: {name!r} was not measured{did_you_mean(name, self.repeats)} "
                f"There are {', '.join(self.repeats) or 'no figures: the method failed'}."
            )
        return name


def median_interval(values: Floats) -> tuple[float, float]:
    """Order statistics that hold the median as often as intervals do; of few values, all.

    >>> median_interval(np.arange(10.0))
    (1.0, 8.0)
    """
    values = np.sort(values)
    n = len(values)
    below = coin_quantile((1.0 - CONFIDENCE) / 2.0, n)
    low = max(below - 1, 0)
    return float(values[low]), float(values[n - 1 - low])
