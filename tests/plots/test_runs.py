from __future__ import annotations

from dataclasses import replace

from swapmeet.plots.style import describe_runs, has_interval


def test_runs_are_counted_in_words(small, once):
    assert describe_runs(small.candidates) == "median over 3 runs"
    assert describe_runs(once.candidates) == "one run"
    assert describe_runs([*small.candidates, *once.candidates]) == "median over 1 to 3 runs"


def test_candidates_that_failed_did_not_run(small):
    failed = [c for c in small.candidates if c.failure]
    assert failed
    assert describe_runs(failed) == describe_runs([]) == "no run"


def test_one_run_has_no_interval(small, once):
    assert not any(map(has_interval, once.candidates))
    several = next(c for c in small.candidates if not c.failure)
    assert has_interval(several)
    assert not has_interval(
        replace(several, repeats={n: v[:1] for n, v in several.repeats.items()})
    )
