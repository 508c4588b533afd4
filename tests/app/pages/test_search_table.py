from __future__ import annotations

import json
import re

import pytest
from made_up import open_case

from swapmeet.app.run import Command, Run, RunKind, State


def tried(number, *, checked=True, linkage=0.02, up_to=0.05):
    return {"number": number, "label": f"rwn k={number}", "method": "rwn", "repeats": 5,
            "settings": {"k": number}, "failure": None, "checked": checked,
            "medians": {"linkage": linkage, "loss": 0.1, "score": 0.1},
            "unfavourable": {"linkage": up_to}}  # fmt: skip


@pytest.fixture
def show(site, tmp_path):
    """The rows of what was tried, under limits."""

    def show(limits, *settings):
        case = open_case(site, tmp_path / "people.csv")
        run = site.space.add_run(
            Run(kind=RunKind.SEARCH, case=case.key, title="Searching", state=State.DONE,
                commands=(Command((), "swapmeet tune"),), facts={"question": case.question})
        )  # fmt: skip
        choice = {"best": settings[0]["number"], "sentences": ["Take it."]}
        study = {"limits": limits, "choice": choice, "trials": 5, "candidates": list(settings)}
        run.output_path(1).write_text(json.dumps(study))
        page = site.get(f"/case/{case.key}/search/{run.number}").text
        return re.findall(r"<tr.*?</tr>", page[page.index("<tbody>") :], re.DOTALL)

    return show


def test_people_found_have_their_unfavourable_end(show):
    (row,) = show({"linkage": 0.2}, tried(3))
    assert "2 of 100" in row
    assert "up to 5 of 100<" in row
    assert ">kept<" in row


def test_a_first_look_is_told_as_such(show):
    _, row = show({"linkage": 0.2}, tried(3), tried(4, checked=False))
    assert '<span class="small">at first look</span>' in row
    assert "kept, as far as measured" in row


def test_a_limit_that_only_the_unfavourable_end_misses_is_missed(show):
    _, row = show({"linkage": 0.04}, tried(3), tried(4))
    assert "exceeds the limit on people found" in row


def test_without_limits_none_is_kept(show):
    (row,) = show({}, tried(3))
    assert ">none set<" in row
    assert ">kept<" not in row
