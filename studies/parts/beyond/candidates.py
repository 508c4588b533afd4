"""What the runs of one setting come to, and who is best under a limit."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

from parts.beyond.runs import LOSS_A, LOSS_B, Line
from parts.beyond.settings import OURS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from parts.beyond.settings import Settings

LIMITS = (0.2, 0.1, 0.05)
LOSSES = {"A": LOSS_A, "B": LOSS_B}
SILENT = {"columns", "rest", "l", "theta"}
"""Parameters that are the same in all settings of a method."""


@dataclass(frozen=True)
class Candidate:
    """A setting of a method on a table, and the runs with its seeds."""

    table: str
    rows: int
    method: str
    settings: Settings
    runs: tuple[Line, ...]

    @property
    def setting(self) -> str:
        """The setting in short."""
        parts = []
        for name, value in self.settings.items():
            if isinstance(value, bool):
                parts += [name] if value else []
            elif name not in SILENT:
                parts.append(f"{name}={value:g}" if isinstance(value, float) else f"{name}={value}")
        return " ".join(parts)

    @property
    def words(self) -> str:
        """Method and setting."""
        return f"{self.method} {self.setting}".strip()

    def risk(self, name: str, part: str = "value") -> float | None:
        """The mean over seeds of a risk: its value, or the `end` that limits are compared with."""
        found = [line[name][part] for line in self.runs if line.get(name)]
        return fmean(found) if found else None

    @property
    def linkage(self) -> float:
        """People whom the worst intruder finds, at the end of the interval that limits judge."""
        return self.risk("linkage", "end") or 0.0

    def figure(self, name: str) -> float | None:
        """The mean over seeds of a measure of loss; a gain in prediction is none."""
        found = [line[name] for line in self.runs if line.get(name) is not None]
        floor = 0.0 if name == "prediction" else -1.0
        return fmean(max(one, floor) for one in found) if found else None

    def loss(self, which: str) -> float:
        """The mean of the measures of loss A or B that are defined; no traces of arithmetic."""
        figures = [self.figure(name) for name in LOSSES[which]]
        return round(fmean(one for one in figures if one is not None), 9)


def summarize(lines: Iterable[Line]) -> list[Candidate]:
    """Runs that differ in their seed only, together; without those that were refused."""
    alike: dict[str, list[Line]] = defaultdict(list)
    for line in lines:
        if "refused" not in line and line["linkage"]:
            key = [line[part] for part in ("table", "rows", "method", "settings")]
            alike[json.dumps(key)].append(line)
    return [Candidate(*json.loads(key), tuple(runs)) for key, runs in alike.items()]


def keep_linkage(limit: float) -> Callable[[Candidate], bool]:
    """Whether the worst intruder stays below a limit."""
    return lambda one: one.linkage <= limit


def find_best(
    candidates: Iterable[Candidate], keeps: Callable[[Candidate], bool], which: str
) -> Candidate | None:
    """The least loss among those that keep a limit."""
    able = [one for one in candidates if keeps(one)]
    return min(able, key=lambda one: one.loss(which), default=None)


def rank_methods(
    here: Iterable[Candidate], keeps: Callable[[Candidate], bool], which: str
) -> list[Candidate]:
    """The best setting of each method that has one within the limit, least loss first."""
    here = list(here)
    own = (
        find_best((one for one in here if one.method == method), keeps, which)
        for method in list_methods(here)
    )
    return sorted((one for one in own if one), key=lambda one: one.loss(which))


def list_methods(candidates: Iterable[Candidate]) -> list[str]:
    """Ours first."""
    names = dict.fromkeys(one.method for one in candidates)
    return sorted(names, key=lambda name: name != OURS)
