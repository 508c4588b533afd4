from __future__ import annotations

import json
import tomllib

import numpy as np
import pandas as pd
import pytest

from swapmeet.release.audit import AuditRecord


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(5)
    age = rng.integers(20, 80, 60)
    frame = pd.DataFrame({"age": age, "sex": rng.choice(["f", "m"], 60),
                          "income": age * 700 + rng.integers(0, 9000, 60)})  # fmt: skip
    frame.loc[7] = [99, "f", 912_345]
    frame.to_csv(tmp_path / "people.csv", index=False)
    return tmp_path / "people.csv"


METHOD = ("--method", "rwn", "--k", 2, "--weights", 0.1, "--sensitive", "income", "--seed", 3)


@pytest.mark.slow
def test_a_protected_release_is_told_written_repeated_and_assessed(swapmeet, table, tmp_path):
    out, audit = tmp_path / "out.csv", tmp_path / "out.audit"
    done = swapmeet(
        "mask", table, out, *METHOD, "--protect-exposed", "--loss-limit", 0.9, "--audit", audit,
        "--json",
    )  # fmt: skip
    told = done.json["protection"]
    assert done.code == 0
    assert told["left"] < told["exposed"]
    assert told["loss_before"] <= told["loss_after"] <= 0.9
    run = tomllib.loads((tmp_path / "out.csv.run.toml").read_text())
    assert run["protect"] == {"exposed": True, "linkage": 0.2, "loss": 0.9}
    again = tmp_path / "again.csv"
    config = tmp_path / "out.csv.run.toml"
    text = swapmeet("mask", table, again, "--config", config, "--seed", 3)
    assert again.read_text() == out.read_text()
    assert "Protection of single people" in text.out
    assert "912345" not in done.said + text.said
    assert "912345" not in config.read_text()
    assert len(AuditRecord.load(audit).protection.protected) == told["protected"]
    card = swapmeet("assess", table, out, "--audit", audit, "--config", config, "--json")
    found = {one["measure"]: one["value"] for one in card.json["scores"]}
    said = {one["measure"]: one["value"] for one in told["verdict"]["reasons"]}
    assert {name: found[name] for name in said} == said
    page = tmp_path / "page.html"
    files = ("--file", table, "--release", out, "--audit", audit, "--measure", "pscr")
    assert swapmeet("report", page, *files).code == 0
    assert f"raised for {told['protected']} people" in page.read_text()
    assert swapmeet("report", page, *files, "--audience", "public", "--overwrite").code == 0
    assert f"{told['protected']} people" not in page.read_text()


@pytest.mark.parametrize(
    "more",
    [("--memory", "1GB"), ("--block-rows", 20)],
)
def test_what_is_not_in_memory_as_a_whole_is_refused(swapmeet, table, tmp_path, more):
    out = tmp_path / "out.csv"
    done = swapmeet("mask", table, out, *METHOD, "--protect-exposed", *more)
    assert done.code == 2
    assert "in memory" in done.err
    assert not out.exists()


@pytest.mark.parametrize("limit", [0.1, 0])
def test_limits_without_protection_are_refused(swapmeet, table, tmp_path, limit):
    done = swapmeet("mask", table, tmp_path / "out.csv", *METHOD, "--loss-limit", limit)
    assert done.code == 2
    assert "--protect-exposed" in done.err


def test_a_run_file_with_a_wrong_section_is_refused(swapmeet, table, tmp_path):
    config = tmp_path / "run.toml"
    config.write_text('[protect]\nexposed = "yes"\nlos = 0.1\n')
    done = swapmeet("mask", table, tmp_path / "out.csv", *METHOD, "--config", config)
    assert done.code == 3
    assert "`exposed` must be true or false" in done.err
    assert "'los'" in done.err
    assert json.dumps(done.err)
