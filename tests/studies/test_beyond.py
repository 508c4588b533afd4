"""Settings are compared by what the journal has of them; what stands there is not run again."""

from __future__ import annotations

import json

import pytest

import swapmeet as sm
from parts.beyond.candidates import find_best, keep_linkage, rank_methods, summarize
from parts.beyond.criteria import CRITERIA
from parts.beyond.frontier import say_ratios
from parts.beyond.runs import LOSS_A, LOSS_B, RISKS, Journal
from parts.beyond.tables import Survey


def line(method: str, k: int, seed: int, end: float, loss: float, **more) -> dict:
    """A run on fair whose losses are all the same."""
    ends = {"value": 0.9 * end, "end": end}
    return {
        "table": "fair", "rows": 6366, "method": method, "settings": {"k": k}, "seed": seed,
        "date": "2026-11-18", **dict.fromkeys(RISKS, ends), **dict.fromkeys(LOSS_A + LOSS_B, loss),
        **more,
    }  # fmt: skip


@pytest.fixture
def candidates():
    """Ours at a quarter of the loss; RWN, of which sorting says what the worst intruder denies."""
    sorted_says = {"value": 0.01, "end": 0.01}
    return summarize([
        line("matched-swap", 7, 1, 0.15, 0.01),
        line("matched-swap", 7, 2, 0.17, 0.03),
        line("matched-swap", 5, 1, 0.25, 0.001),
        line("microaggregation", 7, 1, 0.18, 0.08),
        line("rwn", 5, 1, 0.9, 0.001, **{"dbrl-sorted": sorted_says}),
        {**line("cart", 5, 1, 0.1, 0.1), "refused": "no"},
    ])  # fmt: skip


def test_the_best_that_keep_a_limit_are_compared(candidates):
    """Mean loss 0.02 of two seeds against 0.08; nobody keeps 0.1."""
    assert say_ratios(candidates, 0.2, "A") == "0.25 (0.25)"
    assert say_ratios(candidates, 0.1, "A") == "nobody"
    assert find_best(candidates, keep_linkage(0.2), "A").words == "matched-swap k=7"


def test_a_papers_condition_and_the_worst_intruder_rank_methods_differently(candidates):
    keeps = CRITERIA["dbrl-sorted"].make(candidates)
    assert next(one.method for one in rank_methods(candidates, keeps, "A")) == "rwn"
    worst = rank_methods(candidates, keep_linkage(0.2), "A")
    assert [one.method for one in worst] == ["matched-swap", "microaggregation"]


@pytest.mark.filterwarnings("ignore::swapmeet.SwapmeetWarning")
def test_a_run_is_kept_and_not_made_again(tmp_path):
    people = sm.datasets.load("diabetes").drop(columns="sex").head(60)
    schema = sm.Schema.infer(people).assign(numeric=list(people), sensitive=["target"])
    survey = Survey(name="few", people=people, schema=schema, explained="target", counted="target")
    journal = Journal(tmp_path / "runs.jsonl")
    jobs = [("microaggregation", {"k": 3}, 1), ("mews", {"width": 1.0, "bins": 2}, 1)]
    made, refused = journal.complete(survey, jobs)
    assert made["linkage"]["value"] > 0
    assert "refused" in refused
    journal.file.write_text(json.dumps({**made, "pil": -5}) + "\n" + json.dumps(refused) + "\n")
    again = journal.complete(survey, jobs[:1])
    assert [one["pil"] for one in again] == [-5]
    assert len(journal.read()) == 2
