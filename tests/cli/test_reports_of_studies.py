"""Every kind of study makes both reports, which show what was measured and say what was not."""

from __future__ import annotations

import json
import re

import pytest
from study_kinds import KINDS, write_journal

AUDIENCES = ("internal", "public")
TAGS = re.compile(r"<svg.*?</svg>|<style>.*?</style>|<[^>]*>", re.DOTALL)


@pytest.fixture(scope="session")
def journals(tmp_path_factory):
    """A journal of each kind."""
    folder = tmp_path_factory.mktemp("studies")
    return {
        name: write_journal(kind, folder / f"{number}.jsonl")
        for number, (name, kind) in enumerate(KINDS.items())
    }


@pytest.fixture
def report(swapmeet, journals, tmp_path):
    """Write a report of a kind of study; what it says, and the text of its page."""

    def write(kind, audience, *more):
        page = tmp_path / f"{audience}.html"
        ask = ("--study", journals[kind], "--audience", audience, "--overwrite", *more)
        run = swapmeet("report", page, *ask)
        assert run.code == 0, run.err
        text = re.sub(
            r"<svg.*?</svg>|<style>.*?</style>|<[^>]*>", " ", page.read_text(), flags=re.S
        )
        return json.loads(page.with_suffix(".json").read_text()), " ".join(text.split())

    return write


@pytest.fixture
def undrawn(monkeypatch):
    """Pictures are composed, and not laid out, which takes most of their time."""
    monkeypatch.setattr("swapmeet.reporting.pictures.to_svg", lambda *_, **__: "<svg></svg>")


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize(
    ("kind", "audience"),
    [
        pytest.param(kind, audience, marks=[pytest.mark.slow] * ((row + column) % 2))
        for row, kind in enumerate(KINDS)
        for column, audience in enumerate(AUDIENCES)
    ],
)
def test_every_kind_of_study_makes_both_reports(report, kind, audience):
    told, text = report(kind, audience)
    assert told["audience"] == audience
    assert not re.search(r"\bnan\b|None|–, –", text)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_pictures_of_every_kind_of_study_are_drawn(report, kind):
    told, _ = report(kind, "internal")
    assert bool(told["pictures"]) == (kind != "all refused")


@pytest.mark.usefixtures("undrawn")
def test_what_was_only_looked_at_is_said(report):
    told, text = report("first looks only", "internal")
    assert "were measured in full for no setting, because the search ended before" in text
    rows = told["search"]["candidates"]
    assert {(row["in_full"], row["figures"]["copies"] is None) for row in rows} == {(False, True)}
    assert text.count("at first look") >= len(rows)
    assert text.count("not measured") >= 2 * len(rows)


@pytest.mark.usefixtures("undrawn")
def test_what_was_measured_in_full_is_shown(report):
    told, text = report("resumed", "internal")
    assert "only for the 2 most promising settings" in text
    rows = {row["in_full"]: row for row in told["search"]["candidates"]}
    assert rows[True]["figures"]["copies"]["median"] < 0.01
    assert rows[False]["figures"]["copies"] is None
    [chosen] = [row for row in told["search"]["candidates"] if "chosen" in row["why"]]
    assert chosen["in_full"]
    assert "this setting kept the limits" in told["verdict"]["words"]


def test_a_search_that_chose_nothing_says_so_to_the_public(report):
    for kind in ("all refused", "no limit met", "first looks only"):
        told, _ = report(kind, "public")
        assert told["verdict"].startswith("There is no release")
        assert (told["columns"], told["method"]) == ([], None)
