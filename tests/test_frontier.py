"""The frontier is shown from a file of results; what stands there is not run again."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
LOSSES = ("propensity", "pil", "cbil", "margins", "associations", "prediction", "queries",
          "coefficients")  # fmt: skip


def call(*options: str | Path) -> str:
    command = [sys.executable, str(ROOT / "benchmarks" / "frontier.py"), *map(str, options)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def line(method: str, k: int, seed: int, end: float, loss: float, **more: Any) -> dict[str, Any]:
    """A run on fair whose losses are all the same."""
    ends = {"value": 0.9 * end, "end": end}
    return {
        "table": "fair", "rows": 6366, "method": method, "settings": {"k": k}, "seed": seed,
        "commit": "abc", "linkage": {**ends, "effort": "full"}, "inference": ends, "dbrl": ends,
        "copies": ends, **dict.fromkeys(LOSSES, loss), **more,
    }  # fmt: skip


@pytest.fixture
def results(tmp_path) -> Path:
    """Ours at a quarter of the loss; one setting only looked at quickly, one not good enough."""
    lines = [
        line("matched-swap", 7, 1, 0.15, 0.01),
        line("matched-swap", 7, 2, 0.17, 0.03),
        line("matched-swap", 5, 1, 0.21, 0.001),
        line("microaggregation", 7, 1, 0.18, 0.08),
        line("rwn", 5, 1, 0.1, 0.001, linkage={"value": 0.1, "end": 0.1, "effort": "quick"}),
    ]
    file = tmp_path / "results.jsonl"
    file.write_text("".join(json.dumps(one) + "\n" for one in lines))
    return file


def test_the_report_compares_the_best_that_keep_a_limit(results):
    """Mean loss 0.02 of two seeds, 0.08; nobody else keeps 0.1: a first look proves nothing."""
    report = results.with_suffix(".md")
    call(results, "--show", "--report", report)
    row = next(one for one in report.read_text().splitlines() if one.startswith("| fair"))
    quarter = "**0.25** (**0.25**)"
    assert row == f"| fair | {quarter} | no other | no other | {quarter} | no other | no other |"


def test_there_is_a_picture_of_each_table_that_was_tried(results):
    call(results, "--show", "--pictures", results.parent)
    assert [file.name for file in results.parent.glob("*.png")] == ["fair.png"]


def test_a_later_line_of_the_same_run_counts(results):
    with results.open("a") as file:
        file.write(json.dumps(line("microaggregation", 7, 1, 0.18, 0.02)) + "\n")
    report = results.with_suffix(".md")
    call(results, "--show", "--report", report)
    assert "| fair | 1.00 (1.00) |" in report.read_text()


@pytest.mark.slow
def test_a_run_is_kept_and_not_made_again(tmp_path):
    results = tmp_path / "results.jsonl"
    options = (results, "--tables", "fair", "--methods", "mews", "--seeds", "1")
    assert call(*options).count("fair mews") == 2
    assert len(results.read_text().splitlines()) == 2
    assert call(*options) == ""
