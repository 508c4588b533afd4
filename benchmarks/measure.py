"""Ratios measured in one run: ours and the peer's turns alternate, so that noise meets both."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

SHARED = Path(os.environ.get("SWAPMEET_SHARED", Path(__file__).parents[2] / "shared"))


@dataclass(frozen=True)
class Figure:
    """One answer: what was compared, the two figures, and the bound on their ratio."""

    question: str
    ours: float
    peer: float
    bound: float
    unit: str = "s"

    def show(self) -> None:
        """Print a line; ratio and bound tell whether it is met."""
        ratio = self.ours / self.peer
        verdict = "ok" if ratio <= self.bound else "MISSED"
        print(
            f"{self.question:<58} {self.ours:9.3f} {self.unit:<3} against {self.peer:9.3f} "
            f"{self.unit:<3} ratio {ratio:6.3f}, bound {self.bound:g}: {verdict}",
            flush=True,
        )


def compare(
    question: str,
    ours: Callable[[], object],
    peer: Callable[[], object],
    *,
    bound: float,
    repeats: int,
) -> None:
    """Wall-clock medians of alternating turns, after one turn each to warm up."""
    ours()
    peer()
    mine, others = [], []
    for _ in range(repeats):
        others.append(seconds(peer))
        mine.append(seconds(ours))
    Figure(question, median(mine), median(others), bound).show()


def seconds(work: Callable[[], object]) -> float:
    """Wall-clock seconds of one turn."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def cpu_seconds(work: Callable[[], object]) -> float:
    """CPU seconds of one turn, all threads together."""
    start = time.process_time()
    work()
    return time.process_time() - start


def in_fresh_process(code: str, *, show: bool = False) -> str:
    """What a new interpreter prints when it runs `code`; its errors may be shown as they come."""
    errors = None if show else subprocess.PIPE
    command = [sys.executable, "-c", code]
    return subprocess.run(
        command, check=True, stdout=subprocess.PIPE, stderr=errors, text=True
    ).stdout
