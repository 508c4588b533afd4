"""Runs of the frontier: mask, measure, and keep a line of figures for each."""

from __future__ import annotations

import json
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import swapmeet as sm
from swapmeet.measures.risk.linkage import Linkage
from swapmeet.measures.utility.coefficients import Coefficients
from swapmeet.measures.utility.prediction import Prediction
from swapmeet.measures.utility.queries import Queries
from swapmeet.methods import METHODS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from frontier_grid import Settings
    from frontier_people import Survey

    from swapmeet.measures.score import Score

HOPELESS = 0.45
"""Where a first look finds more people than this, nobody looks closer."""
LOSS_A = ("propensity", "pil", "cbil")
LOSS_B = ("margins", "associations", "prediction", "queries", "coefficients")
Line = dict[str, Any]


@dataclass(frozen=True)
class Results:
    """A file of lines, one for each run; of two lines of the same run the later one counts."""

    file: Path

    def read(self) -> dict[str, Line]:
        """All lines by what was run."""
        if not self.file.exists():
            return {}
        lines = map(json.loads, self.file.read_text().splitlines())
        return {name_run(line): line for line in lines}

    def add(self, line: Line) -> None:
        with self.file.open("a") as file:
            file.write(json.dumps(line) + "\n")


def name_run(line: Line) -> str:
    """What tells runs apart: table, rows, method, settings and seed."""
    return json.dumps([line[part] for part in ("table", "rows", "method", "settings", "seed")])


def run(survey: Survey, method: str, settings: Settings, seed: int, threads: int) -> Line:
    """One release and what is measured of it; or why there is none."""
    line = describe_run(survey, method, settings, seed)
    begun = time.perf_counter()
    try:
        release = sm.mask(
            survey.people, METHODS[method](**settings), schema=survey.schema, seed=seed
        )
    except sm.SwapmeetError as refusal:
        return {**line, "refused": str(refusal)}
    masked = time.perf_counter()
    figures = dict(measure(survey, release, threads))
    seconds = [masked - begun, time.perf_counter() - masked]
    return {**line, "seconds": [round(one, 2) for one in seconds], **figures}


def describe_run(survey: Survey, method: str, settings: Settings, seed: int) -> Line:
    return {
        "table": survey.name,
        "rows": len(survey.people),
        "method": method,
        "settings": settings,
        "seed": seed,
        "commit": find_commit(),
    }


def measure(survey: Survey, release: Any, threads: int) -> Iterator[tuple[str, Any]]:
    """Risk by the intruder who knows everything of everybody, and loss."""
    quick = assess(survey, release, [Linkage(effort="quick")], threads)["linkage"]
    if quick.value > HOPELESS:
        yield "linkage", {"value": quick.value, "end": quick.value, "effort": "quick"}
    else:
        full = assess(survey, release, [Linkage()], threads)["linkage"]
        yield "linkage", {**say_ends(full), "effort": "full", "levels": list_levels(full)}
        for name in ("inference", "dbrl", "copies"):
            yield name, say_ends(assess(survey, release, [name], threads)[name])
    card = assess(survey, release, list_losses(survey), threads)
    for name in (*LOSS_A, *LOSS_B):
        yield name, None if card[name].undefined else card[name].value


def list_losses(survey: Survey) -> list[Any]:
    return [
        *LOSS_A, "margins", "associations",
        Prediction(target=survey.explained),
        Queries(target=survey.counted),
        Coefficients(target=survey.explained),
    ]  # fmt: skip


def assess(survey: Survey, release: Any, measures: list[Any], threads: int) -> Any:
    return sm.assess(
        survey.people, release, schema=survey.schema, measures=measures, limits={},
        intruder="everything", threads=threads,
    )  # fmt: skip


def say_ends(score: Score) -> dict[str, float] | None:
    """The value, and the end of its interval that limits are compared with."""
    return None if score.undefined else {"value": score.value, "end": score.unfavourable}


def list_levels(score: Score) -> dict[str, float]:
    """What the worst of each level of knowledge finds."""
    return {level: one["share"] for level, one in score.details.get("by level", {}).items()}


def find_commit() -> str:
    """The commit of the code that runs."""
    asked = ["git", "rev-parse", "--short", "HEAD"]
    done = subprocess.run(asked, cwd=Path(__file__).parent, capture_output=True, text=True)
    return done.stdout.strip()
