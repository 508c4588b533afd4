"""A new format is one file and its entry in the table: everything else derives from these."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import swapmeet as sm
from swapmeet import io
from swapmeet.errors import UsageError
from swapmeet.io.formats import FORMATS

HERE = Path(__file__).parent
RUN = (
    f"import sys; sys.path.insert(0, {str(HERE)!r})\n"
    "from json_lines import JSON_LINES\n"
    "from swapmeet.io.formats import FORMATS\n"
    "FORMATS['jsonl'] = JSON_LINES\n"
    "from swapmeet.cli import main\n"
    "main()"
)


@pytest.fixture
def people(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(HERE)
    from json_lines import JSON_LINES

    monkeypatch.setitem(FORMATS, "jsonl", JSON_LINES)
    draw = np.random.default_rng(1)
    table = pa.table({"age": draw.integers(18, 90, 2500), "income": draw.normal(size=2500)})
    path = tmp_path / "people.jsonl"
    io.write(path, table)
    return path


def run(*words):
    command = [sys.executable, "-c", RUN, *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_it_is_read_and_written(people, tmp_path):
    document = io.read(people)
    assert (document.format, document.frame.num_rows) == ("jsonl", 2500)
    io.write(tmp_path / "out.csv", document.frame, like=document)
    assert io.read(tmp_path / "out.csv").frame["age"].equals(document.frame["age"])


def test_it_streams_as_it_is_masked_in_memory(people, tmp_path):
    method, out = sm.SJPPDS(bins=5), tmp_path / "out.jsonl"
    sm.mask_file(people, out, method, seed=1, keep_order=True, block_rows=1000)
    engine = sm.Local(block_rows=1000)
    release = sm.mask(io.read(people).frame, method, seed=1, engine=engine)
    assert io.read(out).frame.equals(release.data)


def test_messages_name_it(people, tmp_path):
    with pytest.raises(UsageError, match=r"must end in .* or \.jsonl\."):
        io.read(tmp_path / "a.foo")
    with pytest.raises(UsageError, match="`delimiter` does not apply to JSON lines files"):
        io.read(people, delimiter=",")
    with pytest.raises(UsageError, match="only delimited text, Parquet and JSON lines files can"):
        sm.mask_file(people, tmp_path / "o.xlsx", sm.SJPPDS())


@pytest.mark.slow
def test_the_command_line_masks_it_piece_by_piece(people, tmp_path):
    out = tmp_path / "out.jsonl"
    done = run("mask", people, out, "--method", "sjppds", "--memory", "1GB", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["rows"] == len(out.read_text().splitlines()) == 2500


@pytest.mark.slow
def test_help_names_it():
    assert "JSON lines" in run("inspect", "--help").stdout
    memory = " ".join(run("mask", "--help-all").stdout.replace("│", " ").split())
    assert "Mask a delimited text, Parquet or JSON lines file piece by piece" in memory
