from __future__ import annotations

import pytest

FAST = ("--measure", "pscr,dcr,margins")


@pytest.fixture
def releases(swapmeet, people, out):
    """Two releases of one file, with run files and audit records."""
    for name, k, more in (("a", "3", ()), ("b", "25", ("--sensitive", "income"))):
        run = swapmeet(
            "mask", people, out / f"{name}.csv", "--method", "rwn", "--k", k, "--weights", "0.1",
            "--drop", "name", "--keep", "weight", "--audit", out / f"{name}.audit", *more,
        )  # fmt: skip
        assert run.code == 0, run.err
    return out / "a.csv", out / "b.csv"


@pytest.fixture
def compare(swapmeet, people, releases, out):
    records = ("--audit-a", out / "a.audit", "--audit-b", out / "b.audit")
    return lambda *more: swapmeet(
        "compare", *releases, "--original", people, *records, *FAST, *more
    )


def test_verdicts_figures_and_columns_stand_side_by_side(compare):
    run = compare("--limit", "pscr=1")
    assert (run.code, run.err) == (0, "")
    said = " ".join(run.out.split())
    assert said.index("A ") < said.index("Safe to publish") < said.index("B ")
    assert "Risk: A is better in" in said
    assert "Measures of loss" in run.out
    assert "income: A and B give other roles; both are judged by the more cautious." in said
    assert "weight" in run.out.partition("Columns")[2]
    assert "person-" not in run.said


def test_the_code_is_4_only_if_neither_keeps_the_limits(compare):
    neither = compare("--limit", "pscr=0")
    assert neither.code == 4
    assert neither.err == "error: neither release keeps the limits.\n"
    told = compare("--limit", "none", "--json").json
    low, high = sorted(score["value"] for score in (told["a"]["scores"][0], told["b"]["scores"][0]))
    assert low < high
    ends = sorted(told[letter]["scores"][0]["interval"][1] for letter in "ab")
    assert compare("--limit", f"pscr={ends[0]}").code == 0


@pytest.mark.slow
def test_machines_get_both_cards(compare):
    told = compare("--json", "--limit", "none").json
    assert {score["measure"] for score in told["a"]["scores"]} == {"pscr", "dcr", "margins"}
    assert {column["name"] for column in told["columns"]} >= {"age", "income", "weight"}
    assert {"measure", "a", "b", "better", "clear"} <= told["scores"][0].keys()


def test_without_records_what_is_not_known_is_said(swapmeet, people, releases):
    run = swapmeet("compare", *releases, "--original", people, *FAST)
    assert run.code == 0
    assert "with the audit records only" in " ".join(run.out.split())
    assert "Columns" not in run.out


def test_records_that_were_confused_are_refused_with_the_name(swapmeet, people, releases, out):
    run = swapmeet("compare", *releases, "--original", people, "--audit-a", out / "b.audit", *FAST)
    assert run.code == 3
    assert run.err.startswith(f"error: {releases[0]}: the audit record belongs to another release")


@pytest.mark.parametrize(
    ("change", "code", "message"),
    [
        (("--limit", "pscrr=1"), 2, "did you mean 'pscr' or"),
        (("--known", "agee"), 3, "did you mean 'age'?"),
        (("--config", "no.toml"), 3, "no such run file"),
    ],
)
def test_bad_requests_are_refused(compare, change, code, message):
    run = compare(*change)
    assert (run.code, run.out) == (code, "")
    assert message in run.err


def test_the_original_must_be_named(swapmeet, releases):
    run = swapmeet("compare", *releases)
    assert run.code == 2
    assert "--original" in run.err
