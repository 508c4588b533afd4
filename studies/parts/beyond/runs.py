"""Runs of the frontier: mask, measure, and keep a line of figures for each."""

from __future__ import annotations

import json
import subprocess
import time
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import swapmeet as sm
from swapmeet.methods import METHODS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from parts.beyond.settings import Settings
    from parts.beyond.tables import Survey
    from swapmeet.comparison.score import Score

RISKS = ("linkage", "inference", "copies", "dbrl", "dbrl-sorted", "pscr", "dcr")
LOSS_A = ("propensity", "pil", "cbil")
LOSS_B = ("margins", "associations", "prediction", "queries", "coefficients")
EXPLAINED = ("prediction", "coefficients")
"""Measures that need a column to explain."""
Line = dict[str, Any]
Job = tuple[str, "Settings", int]
"""A method, its settings and a seed."""


@dataclass(frozen=True)
class Journal:
    """A file of lines, one for each run; of two lines of the same run the later one counts."""

    file: Path

    def read(self) -> dict[str, Line]:
        """All lines by what was run."""
        if not self.file.exists():
            return {}
        lines = map(json.loads, self.file.read_text(encoding="utf-8").splitlines())
        return {name_run(line): line for line in lines}

    def add(self, line: Line) -> None:
        """A run more."""
        self.file.parent.mkdir(parents=True, exist_ok=True)
        with self.file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")

    def complete(self, survey: Survey, jobs: Iterable[Job]) -> list[Line]:
        """The lines of all jobs on a table; those that are not in the file yet are run first.

        Runs of the same settings with other seeds count, too.
        """
        lines, settings = self.read(), set()
        for job in jobs:
            head = describe_run(survey, *job)
            settings.add(name_setting(head))
            if name_run(head) not in lines:
                line = run(survey, head)
                self.add(line)
                lines[name_run(head)] = line
        return [line for line in lines.values() if name_setting(line) in settings]


def name_setting(line: Line) -> str:
    """What was run, whatever the seed."""
    return json.dumps([line[part] for part in ("table", "rows", "method", "settings")])


def name_run(line: Line) -> str:
    """What tells runs apart: table, rows, method, settings and seed."""
    return f"{name_setting(line)} {line['seed']}"


def describe_run(survey: Survey, method: str, settings: Settings, seed: int) -> Line:
    return {
        "table": survey.name,
        "rows": len(survey.people),
        "method": method,
        "settings": settings,
        "seed": seed,
    }


def run(survey: Survey, head: Line) -> Line:
    """One release and what is measured of it; or why there is none."""
    line = {**head, "commit": find_commit(), "date": date.today().isoformat()}
    begun = time.perf_counter()
    try:
        method = METHODS[head["method"]](**head["settings"])
        release = sm.mask(survey.people, method, schema=survey.schema, seed=head["seed"])
    except sm.SwapmeetError as refusal:
        return {**line, "refused": str(refusal)}
    masked = time.perf_counter()
    figures = measure(survey, release)
    seconds = [masked - begun, time.perf_counter() - masked]
    return {**line, "seconds": [round(one, 2) for one in seconds], **figures}


def measure(survey: Survey, release: sm.Release) -> Line:
    """Risk by intruders who know everything of everybody, and loss; none where undefined."""
    targets = {name: f"{name}:target={survey.explained}" for name in EXPLAINED}
    targets["queries"] = f"queries:target={survey.counted}"
    asked = [targets.get(name, name) for name in (*RISKS, *LOSS_A, *LOSS_B)]
    card = sm.assess(
        survey.people, release, schema=survey.schema, measures=asked, limits={},
        intruder="everything", threads=1,
    )  # fmt: skip
    risks = {name: say_ends(card[name]) for name in RISKS}
    losses = {name: None if card[name].undefined else card[name].value for name in LOSS_A + LOSS_B}
    return {**risks, **losses}


def say_ends(score: Score) -> dict[str, float] | None:
    """The value, and the end of its interval that limits are compared with."""
    return None if score.undefined else {"value": score.value, "end": score.unfavourable}


def find_commit() -> str:
    """The commit of the code that runs."""
    asked = ["git", "rev-parse", "--short", "HEAD"]
    done = subprocess.run(
        asked, cwd=Path(__file__).parent, capture_output=True, text=True, check=False
    )
    return done.stdout.strip()
