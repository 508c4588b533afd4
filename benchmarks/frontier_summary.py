"""What the runs of one setting come to, and who is best under a limit."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Any

from frontier_grid import OURS
from frontier_people import LARGE, ROWS
from frontier_runs import LOSS_A, LOSS_B, Line

if TYPE_CHECKING:
    from collections.abc import Iterable

    from frontier_grid import Settings

LIMITS = (0.2, 0.1, 0.05)
RISKS = ("linkage", "inference", "dbrl", "copies")
LOSSES = {"A": LOSS_A, "B": LOSS_B}


@dataclass(frozen=True)
class Candidate:
    """A setting of a method on a table, and the runs with its seeds."""

    table: str
    rows: int
    method: str
    settings: Settings
    runs: tuple[Line, ...]

    @property
    def words(self) -> str:
        """The setting in short."""
        parts = [self.method]
        for name, value in self.settings.items():
            if isinstance(value, bool):
                parts += [name] if value else []
            elif not (self.method in {"nbrs", "kl-theta"} and name in {"q", "l", "theta"}):
                parts.append(f"{name}={value:g}" if isinstance(value, float) else f"{name}={value}")
        return " ".join(parts)

    @property
    def whole(self) -> bool:
        """Whether it masked all rows of a table of which the grid saw a sample."""
        return self.table in LARGE and self.rows > ROWS

    def risk(self, name: str, part: str = "value") -> float | None:
        """The mean over seeds of a risk: its value, or the `end` that limits are compared with."""
        found = [line[name][part] for line in self.runs if line.get(name)]
        return fmean(found) if found else None

    def figure(self, name: str) -> float | None:
        """The mean over seeds of a measure of loss; a gain in prediction is none."""
        found = [line[name] for line in self.runs if line.get(name) is not None]
        floor = 0.0 if name == "prediction" else -1.0
        return fmean(max(one, floor) for one in found) if found else None

    def loss(self, which: str) -> float:
        """The mean of the measures of loss A or B that are defined."""
        figures = [self.figure(name) for name in LOSSES[which]]
        return fmean(one for one in figures if one is not None)

    def keeps(self, limit: float) -> bool:
        """Whether linkage keeps a limit at its unfavourable end; a first look shows nothing."""
        looked_at = all(line["linkage"]["effort"] == "full" for line in self.runs)
        end = self.risk("linkage", "end")
        return looked_at and end is not None and end <= limit


def summarize(lines: Iterable[Line]) -> list[Candidate]:
    """Runs that differ in their seed only, together; without those that were refused."""
    alike: dict[str, list[Line]] = defaultdict(list)
    for line in lines:
        if "refused" not in line and line["linkage"]:
            key = [line[part] for part in ("table", "rows", "method", "settings")]
            alike[json.dumps(key)].append(line)
    return [Candidate(*json.loads(key), tuple(runs)) for key, runs in alike.items()]


def find_best(
    candidates: Iterable[Candidate], limit: float, which: str, inference: float = 1.0
) -> Candidate | None:
    """The least loss under a limit on linkage, and on inference if one is given."""
    able = [one for one in candidates if one.keeps(limit)
            and (inference >= 1.0 or (one.risk("inference") or 0.0) <= inference)]  # fmt: skip
    return min(able, key=lambda one: one.loss(which), default=None)


def split_ours(candidates: Iterable[Candidate]) -> tuple[list[Candidate], list[Candidate]]:
    """Matched swapping, and all others."""
    both: tuple[list[Candidate], list[Candidate]] = ([], [])
    for one in candidates:
        both[one.method != OURS].append(one)
    return both


def pick_table(candidates: Iterable[Candidate], table: str, *, whole: bool) -> list[Candidate]:
    return [one for one in candidates if one.table == table and one.whole == whole]


def list_methods(candidates: Iterable[Candidate]) -> list[str]:
    """Ours first."""
    names = dict.fromkeys(one.method for one in candidates)
    return sorted(names, key=lambda name: name != OURS)


def list_leaders(candidates: list[Candidate], table: str) -> list[Candidate]:
    """The best of each method at each limit, by either loss, on the sample of a table."""
    here = pick_table(candidates, table, whole=False)
    leaders: list[Any] = [
        find_best((one for one in here if one.method == method), limit, which)
        for method in list_methods(here)
        for limit in LIMITS
        for which in LOSSES
    ]
    return [*{id(one): one for one in leaders if one is not None}.values()]
