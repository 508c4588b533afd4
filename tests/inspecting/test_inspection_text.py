from __future__ import annotations

import warnings

import pandas as pd
import pytest

import swapmeet as sm


@pytest.fixture
def people():
    return pd.DataFrame(
        {
            "name": [f"person-{i}" for i in range(40)],
            "sex": ["f", "m"] * 20,
            "größe": [1.6 + i / 100 for i in range(40)],
            "nothing": [None] * 40,
        }
    )


def test_what_is_found_is_printed_in_aligned_lines(people):
    lines = str(sm.inspect(people)).splitlines()
    assert lines[0] == "40 rows, 4 columns"
    assert lines[2] == "column   kind     role  missing  distinct  why this kind"
    assert lines[3] == "name     nominal  key   0        40        text"
    assert "Check these columns" in lines
    assert "person-" not in str(sm.inspect(people))


def test_looking_warns_of_nothing_since_it_tells_what_it_sees(people):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = sm.inspect(people)
    assert any("direct identifier" in (column.concern or "") for column in found.columns)


def test_findings_are_those_of_the_command(people, tmp_path, capsys, monkeypatch):
    import json

    from swapmeet.cli.program import app

    people.to_parquet(tmp_path / "people.parquet")
    app(["inspect", str(tmp_path / "people.parquet"), "--json"], standalone_mode=False)
    told = json.loads(capsys.readouterr().out)
    found = json.loads(json.dumps(sm.inspect(people).to_dict()))
    for one, other in zip(told["columns"], found["columns"], strict=True):
        assert one.items() >= other.items()
    assert all(told[name] == found[name] for name in found if name != "columns")


@pytest.mark.parametrize(("rows", "size"), [(0, "0 rows"), (1, "1 row")])
def test_tables_without_rows_are_shown_too(people, rows, size):
    found = sm.inspect(people.head(rows))
    assert str(found).startswith(f"{size}, 4 columns")
    assert "<table" in found._repr_html_()


def test_a_table_has_a_short_name_for_programmers(people):
    assert repr(sm.inspect(people)) == "<Inspection of 40 rows, 4 columns>"
