from __future__ import annotations

import pytest
from made_up import add_candidate, open_case

from swapmeet.app.run import Command, Run, RunKind, State

ASKED = {"models": ("wage ~ height",), "rare": ("age > 80",), "tables": ()}


@pytest.fixture
def case(site, tmp_path):
    case = open_case(site, tmp_path / "people.csv")
    add_candidate(site, case)
    return case


def add_analysis(site, case, state, error=""):
    site.space.add_run(
        Run(kind=RunKind.ANALYSIS, case=case.key, title="Analyses", commands=(Command((), ""),),
            state=state, error=error, facts={"candidate": 1, **ASKED})
    )  # fmt: skip


def test_an_analysis_that_failed_is_there_to_be_mended(site, case):
    add_analysis(site, case, State.FAILED, "model: there is no column 'height'.")
    page = site.get(f"/case/{case.key}/candidate/1?tab=analyses").text
    assert "there is no column" in page
    assert "wage ~ height</textarea>" in page
    assert "age &gt; 80</textarea>" in page


def test_an_analysis_that_worked_is_not_asked_for_again(site, case):
    add_analysis(site, case, State.DONE)
    assert "wage ~ height</textarea>" not in site.get(f"/case/{case.key}/candidate/1").text
