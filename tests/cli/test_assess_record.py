"""Record and release belong together, or nothing is measured."""

from __future__ import annotations

import json
import re

import pytest

import swapmeet as sm

DBRL = ("--measure", "dbrl", "--limit", "dbrl=0.2", "--json")


@pytest.fixture(scope="module")
def patients(tmp_path_factory, masked):
    """Patients, and two releases that hide little, each with its audit record."""
    folder = tmp_path_factory.mktemp("patients")
    table = sm.datasets.load("diabetes")
    table.to_csv(folder / "all.csv", index=False)
    for name, seed in (("r", 1), ("other", 2)):
        release = masked(table, sm.RWN(k=2, q=0.2), seed=seed)
        release.shuffled().to_csv(folder / f"{name}.csv", index=False)
        release.audit.save(folder / f"{name}.audit")
    return folder


def value_of(run):
    return run.json["scores"][0]["value"]


def sort_lines(source, target):
    header, *rows = source.read_text().splitlines(keepends=True)
    target.write_text("".join([header, *sorted(rows)]))


@pytest.mark.parametrize("memory", [(), ("--memory", "1GB")])
def test_the_record_of_another_release_is_refused(swapmeet, patients, memory):
    ask = ("assess", patients / "all.csv", patients / "r.csv", *DBRL, *memory)
    assert swapmeet(*ask, "--audit", patients / "r.audit").code == 4
    run = swapmeet(*ask, "--audit", patients / "other.audit")
    assert (run.code, run.out) == (3, "")
    assert re.search(
        r"another release, or this one was changed: \d+ of 442 released rows are among the 442",
        " ".join(run.err.split()),
    )
    assert "Give the audit record that was written with this release" in run.err


@pytest.mark.parametrize("memory", [(), ("--memory", "1GB")])
def test_a_sorted_release_has_the_figures_of_the_unsorted_one(swapmeet, patients, memory):
    sort_lines(patients / "r.csv", patients / "sorted.csv")
    ask = ("--audit", patients / "r.audit", *DBRL[:2], "--measure", "pscr", "--json", *memory)
    before, after = (
        swapmeet("assess", patients / "all.csv", patients / name, *ask)
        for name in ("r.csv", "sorted.csv")
    )
    assert after.json["scores"] == before.json["scores"]
    assert "each was found by its content" in after.json["notes"][0]
    assert value_of(after) > 0.5


@pytest.mark.parametrize("memory", [(), ("--memory", "1GB")])
def test_a_changed_release_is_refused_and_rows_are_counted(swapmeet, patients, memory):
    lines = (patients / "r.csv").read_text().splitlines(keepends=True)
    changes = {
        "440 of 442 released rows": [lines[0], lines[2].replace("1", "3"),
                                       lines[1].replace("1", "3"), *lines[3:]],
        "441 of 441 released rows": lines[:-1],
        "442 of 443 released rows": [*lines, lines[1]],
    }  # fmt: skip
    for message, text in changes.items():
        (patients / "changed.csv").write_text("".join(text))
        run = swapmeet("assess", patients / "all.csv", patients / "changed.csv", "--audit",
                       patients / "r.audit", *DBRL, *memory)  # fmt: skip
        assert run.code == 3
        assert message in " ".join(run.err.split())


@pytest.mark.parametrize("memory", [(), ("--memory", "1GB")])
def test_a_mixed_file_is_not_matched_by_its_rows(swapmeet, patients, memory):
    column = sm.datasets.load("diabetes").columns[0]
    ask = ("assess", patients / "all.csv", patients / "r.csv", "--match", "rows", *DBRL, *memory)
    run = swapmeet(*ask, "--keep", column)
    assert (run.code, run.out) == (3, "")
    assert f"rows are not in the same order: '{column}' was kept" in " ".join(run.err.split())
    doubtful = swapmeet(*ask)
    assert doubtful.code == 4
    assert "no unmasked column could confirm it" in doubtful.json["notes"][0]
    assert "no more in common than each row has with those nearby" in doubtful.json["notes"][1]


@pytest.mark.slow
def test_a_report_of_a_sorted_release_tells_the_same_changes(swapmeet, patients):
    ask = ("--file", patients / "all.csv", "--audit", patients / "own.audit", "--measure", "pscr")
    mask = ("mask", patients / "all.csv", patients / "own.csv", "--audit", patients / "own.audit")
    assert swapmeet(*mask, "--method", "rwn", "--k", "3").code == 0
    sort_lines(patients / "own.csv", patients / "mixed.csv")
    changes = []
    for name in ("own", "mixed"):
        run = swapmeet("report", patients / f"{name}.html", "--release", patients / f"{name}.csv",
                       *ask, "--config", patients / "own.csv.run.toml")  # fmt: skip
        assert run.code == 0, run.err
        changes.append(json.loads((patients / f"{name}.json").read_text())["changes"])
    assert changes[0] == changes[1]
