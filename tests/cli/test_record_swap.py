"""Record swapping of households from the command line."""

from __future__ import annotations

import tomllib

import numpy as np
import pandas as pd
import pytest

STREAM = np.random.default_rng(5)
SIZES = STREAM.integers(1, 5, 120)
HOMES = np.repeat(np.arange(120), SIZES)
PEOPLE = pd.DataFrame(
    {
        "region": (HOMES % 8) // 4,
        "district": HOMES % 8,
        "hid": HOMES + 1,
        "size": SIZES[HOMES],
        "age": STREAM.integers(0, 20, len(HOMES)),
    }
)
ROLES = ["--place", "region,district", "--household", "hid", "--keep", "size"]
SETTINGS = ["--similar", "size;", "--risk", "age", "--k", "2", "--swap-rate", "0.2"]


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "people.csv"
    PEOPLE.to_csv(path, index=False)
    return path


def test_households_trade_places_and_the_run_file_repeats_it(swapmeet, file, tmp_path):
    release, again = tmp_path / "release.csv", tmp_path / "again.csv"
    run = swapmeet("mask", file, release, "--method", "record-swap", *ROLES, *SETTINGS)
    assert run.code == 0
    assert "of 120 households traded." in run.out
    out = pd.read_csv(release)
    places = ["region", "district"]
    assert out.groupby("hid")["district"].nunique().max() == 1
    for table in (out, PEOPLE):
        assert (table["district"] // 4 == table["region"]).all()
    homes = [table.drop_duplicates("hid")[places].value_counts() for table in (out, PEOPLE)]
    assert homes[0].sort_index().equals(homes[1].sort_index())
    config = tmp_path / "release.csv.run.toml"
    assert tomllib.loads(config.read_text())["method"]["similar"] == [["size"], []]
    assert swapmeet("mask", file, again, "--config", config).code == 0


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        ([*ROLES, "--swap-rate", "5"], 2, "`swap_rate` must be in [0, 1]"),
        (["--drop", "hid", "--columns", "age", "--memory", "1GB"], 2, "looks at all rows at once"),
        ([*ROLES, "--memory", "1GB"], 3, "cannot keep the rows of households"),
        ([*ROLES, "--hierarchy", "district,region"], 3, "2 of 2 areas of 'region' lie in several"),
        ([*ROLES, "--similar", "sizes"], 3, "no column 'sizes'; did you mean 'size'?"),
        (["--household", "hid"], 3, "no column has the role place"),
    ],
)
def test_wrong_requests_are_refused_and_nothing_is_written(
    swapmeet, file, tmp_path, options, code, message
):
    run = swapmeet("mask", file, tmp_path / "release.csv", "--method", "record-swap", *options)
    assert run.code == code
    assert message in " ".join(run.err.split())
    assert [path.name for path in tmp_path.iterdir()] == ["people.csv"]
