"""Matched swapping of a file as offices have them."""

from __future__ import annotations

import shlex

import numpy as np
import pandas as pd
import pytest


@pytest.fixture
def messy(tmp_path):
    """Semicolons, Latin-1, decimal commas, an id, -9, a total, dates, many jobs, nothing, one."""
    rng, n = np.random.default_rng(4), 400
    wage, other = rng.integers(500, 3000, n), rng.integers(0, 900, n)
    table = pd.DataFrame({
        "Kennung": [f"P{i:05d}" for i in range(n)],
        "Region": rng.choice(["Köln", "Düren", "Bonn"], n),
        "Lohn": np.where(rng.random(n) < 0.05, -9, wage),
        "Sonstiges": other,
        "Summe": wage + other,
        "seit": [f"{d:02d}.{m:02d}.2019" for d, m in rng.integers(1, 13, (n, 2))],
        "Beruf": [f"Beruf {i}" for i in rng.integers(0, 200, n)],
        "leer": "",
        "Land": "DE",
        "Anteil": [f"{share:.2f}".replace(".", ",") for share in rng.random(n)],
    })  # fmt: skip
    path = tmp_path / "messy.csv"
    table.to_csv(path, sep=";", index=False, encoding="latin-1")
    return path


def read(path):
    return pd.read_csv(path, sep=";", encoding="latin-1", dtype=str, keep_default_na=False)


def test_a_messy_file_keeps_its_format_and_every_column_its_values(swapmeet, messy, out):
    run = swapmeet("mask", messy, out / "release.csv", "--method", "matched-swap",
                   "--drop", "Kennung")  # fmt: skip
    assert run.code == 0
    original, released = read(messy).drop(columns="Kennung"), read(out / "release.csv")
    assert list(released) == list(original)
    for name in original:
        assert sorted(released[name]) == sorted(original[name])
    records = set(original.itertuples(index=False, name=None))
    assert not records & set(released.itertuples(index=False, name=None))


def test_what_it_could_not_do_for_a_column_is_said(swapmeet, messy, out):
    run = swapmeet("mask", messy, out / "release.csv", "--method", "matched-swap",
                   "--drop", "Kennung")  # fmt: skip
    said = " ".join(run.out.split())
    assert "columns leer, Land: effectively unchanged" in said
    assert "Unless all values of a column are the same, a larger k" in said
    assert "whose relations are kept as if they were one" in said
    assert "relations between columns: correlations differ by at most" in said


def test_the_command_that_inspect_proposes_is_one_that_can_be_assessed(
    swapmeet, messy, out, monkeypatch
):
    monkeypatch.chdir(out)
    command = shlex.split(swapmeet("inspect", messy).out.splitlines()[-1])
    assert command[1:] == [
        "mask", str(messy), "release.csv", "--method", "matched-swap", "--drop", "Kennung",
        "--keep", "leer,Land", "--sensitive", "Lohn", "--place", "Region", "--derive",
        "Summe = Lohn + Sonstiges", "--missing", "Lohn:-9",
    ]  # fmt: skip
    assert swapmeet(*command[1:], "--audit", "run.audit").code == 0
    card = swapmeet("assess", messy, "release.csv", "--audit", "run.audit", "--drop", "Kennung",
                    "--measure", "linkage,margins", "--limit", "linkage=0.3", "--json")  # fmt: skip
    assert card.code == 0
    assert card.json["verdict"]["safe"]
