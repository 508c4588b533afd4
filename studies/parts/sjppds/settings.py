"""Settings that were tried, by the paper's names, and the best of each method as it chooses it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

    from swapmeet.tuning import Candidate

    Floats = npt.NDArray[np.float64]

THRESHOLD = 0.2
"""The paper's limit on DBRL."""
SHUFFLED = ("sjppds", "d-shuffle")
"""Methods whose risk the paper takes from sorted files."""
COMPARED = (
    "sjppds", "micro-mdav", "micro-pca", "micro-pppca", "noise-a", "noise-c", "rankswap-p",
    "d-shuffle",
)  # fmt: skip
SYNTHETIC = ("sjppds", "cart")
RISK = ("dbrl", "rid", "sdid")
LOSS = ("propensity", "pil", "cbil")
Grids = dict[str, list["Tried"]]
"""The settings of each method."""
TERMS = {"sjppds": "{} bins", "micro": "groups of {}", "noise": "{} %", "rankswap": "{} %"}


@dataclass(frozen=True)
class Tried:
    """A setting and the figures of its repeats.

    A `view` says whose risk counts: that of the `paper` (sorted files for methods that shuffle),
    that of the true `owners`, or DR3 for `synthetic` rows (equation 7).
    """

    candidate: Candidate

    @property
    def method(self) -> str:
        """The paper's name of the method."""
        name, settings = self.candidate.setting.name, self.candidate.setting.settings
        if name == "microaggregation":
            return f"micro-{settings['by']}"
        if name == "noise":
            return "noise-c" if settings["correlated"] else "noise-a"
        return {"rank-swap": "rankswap-p", "data-shuffle": "d-shuffle"}.get(name, name)

    @property
    def value(self) -> float:
        """The paper's tuning parameter: bins, members of a group, or percent."""
        settings = self.candidate.setting.settings
        if self.method.startswith("noise"):
            level = settings["level"]
            return 100.0 * (level**2 if self.method == "noise-c" else level)
        if self.method == "rankswap-p":
            return 100.0 * settings["window"]
        return float(settings.get("bins", settings.get("k", math.nan)))

    @property
    def label(self) -> str:
        """The setting in the paper's terms."""
        told = TERMS.get(self.method.partition("-")[0], "")
        return told.format(f"{self.value:.0f}")

    def figures(self, measure: str, view: str) -> Floats:
        """The figures of a measure, one for each repeat."""
        if measure in RISK and self.uses_sorting(view):
            measure = f"{measure}-sorted"
        return self.candidate.repeats[measure]

    def uses_sorting(self, view: str) -> bool:
        """Whether files are sorted for its risk; rows of d-shuffle have no owners."""
        return self.method == "d-shuffle" or (view == "paper" and self.method in SHUFFLED)

    def risk(self, view: str) -> Floats:
        """The mean of the paper's measures of risk (equation 6)."""
        if view == "synthetic":
            return self.figures("dr3", view)
        return np.mean([self.figures(name, view) for name in RISK], axis=0)

    def loss(self) -> Floats:
        """The mean of the paper's measures of loss (equation 5)."""
        return np.mean([self.figures(name, "paper") for name in LOSS], axis=0)

    def score(self, view: str) -> Floats:
        """The overall score (equations 4 and 7)."""
        return (self.risk(view) + self.loss()) / 2.0

    def median(self, measure: str, view: str) -> float:
        """The median over the repeats."""
        return float(np.median(self.figures(measure, view)))


def group_by_method(tried: Iterable[Tried]) -> dict[str, list[Tried]]:
    """The settings of each method, in the order of the paper's parameter."""
    found: dict[str, list[Tried]] = {name: [] for name in (*COMPARED, "cart")}
    for one in tried:
        found[one.method].append(one)
    return {name: sorted(own, key=lambda one: one.value) for name, own in found.items()}


def find_least(own: Iterable[Tried], threshold: float = THRESHOLD) -> list[Tried]:
    """The first setting with DBRL below a threshold, as Figure A5 has it, if there is one."""
    return [one for one in own if one.median("dbrl", "paper") < threshold][:1]


def choose(own: Iterable[Tried], view: str, threshold: float = THRESHOLD) -> Tried | None:
    """The setting with the best score among those that keep DBRL below a threshold, if any.

    For `synthetic` rows there is no threshold. CART has no DBRL of true owners.
    """
    kept = [
        one
        for one in own
        if view == "synthetic" or (one.method != "cart" and one.median("dbrl", view) < threshold)
    ]
    return min(kept, key=lambda one: float(np.median(one.score(view))), default=None)
