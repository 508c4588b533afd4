from __future__ import annotations

import struct

import numpy as np
import pandas as pd
import pyreadstat
import pytest

from swapmeet import io
from swapmeet.errors import FileError, UsageError
from swapmeet.io.statistical import SPSS, reading
from swapmeet.io.statistical.reader_process import encode
from swapmeet.io.statistical.reading import decode, measure_memory, read_apart

FRAME = pd.DataFrame({"number": [1.0, np.nan, 3.5], "text": ["ä", "", "c"], "empty": [np.nan] * 3})


@pytest.fixture
def survey(tmp_path):
    path = tmp_path / "in.zsav"
    labels = {"number": {1.0: "one", 3.5: "many"}}
    pyreadstat.write_sav(FRAME, path, variable_value_labels=labels, compress=True)
    return path


@pytest.fixture
def no_idle_reader():
    """The next file is read by a new process."""
    reading._end_all()


def test_a_file_is_what_its_library_says(survey):
    frame, metadata = read_apart(SPSS, survey, None, user_missing=True)
    wanted, said = pyreadstat.read_sav(survey, user_missing=True)
    pd.testing.assert_frame_equal(frame, wanted)
    assert vars(metadata) == vars(said)


def test_letters_among_numbers_come_through(tmp_path):
    path = tmp_path / "in.dta"
    mixed = pd.DataFrame({"a": pd.Series([1, "a", None, 2], dtype=object)})
    pyreadstat.write_dta(mixed, path, missing_user_values={"a": ["a"]})
    assert io.read(path).layout.stored["a"].tolist()[:2] == [1, "a"]
    assert io.read(path).frame["a"].isna().tolist() == [False, True, True, False]


@pytest.mark.slow
def test_a_file_that_says_it_has_millions_of_rows_is_refused(survey):
    damaged = bytearray(survey.read_bytes())
    damaged[80:84] = struct.pack("<I", 1 << 28)
    survey.write_bytes(damaged)
    with pytest.raises(FileError, match="more than 1000 MB of memory"):
        io.read(survey)


def test_limits_can_be_set(survey, monkeypatch):
    monkeypatch.setenv("SWAPMEET_READER_MEMORY", "2000")
    assert reading.ReaderLimits.of(survey).memory == 2_000_000_000
    monkeypatch.setenv("SWAPMEET_READER_MEMORY", "much")
    with pytest.raises(UsageError, match="whole number"):
        io.read(survey)


@pytest.mark.usefixtures("no_idle_reader")
def test_a_reader_that_is_watched_too_long_is_ended(survey, monkeypatch):
    monkeypatch.setattr(reading, "_WAITED", 0)
    monkeypatch.setattr(reading, "_WATCHED_EVERY", 0.0)
    with pytest.raises(FileError, match="more than 15 seconds"):
        io.read(survey)


@pytest.mark.usefixtures("no_idle_reader")
def test_a_reader_that_crashes_is_told_apart_and_the_next_file_is_read(survey, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(reading, "measure_memory", lambda process: process.kill() or 0)
        patch.setattr(reading, "_WATCHED_EVERY", 0.0)
        with pytest.raises(FileError, match="broke down"):
            io.read(survey)
    assert len(io.read(survey).frame) == 3


@pytest.mark.usefixtures("no_idle_reader")
def test_no_program_of_the_current_folder_is_run(survey, tmp_path, monkeypatch):
    (tmp_path / "json.py").write_text("raise SystemExit(99)")
    monkeypatch.chdir(tmp_path)
    assert len(io.read("in.zsav").frame) == 3


def test_the_memory_of_a_process_is_known(survey):
    io.read(survey)
    assert measure_memory(reading._IDLE[-1]) > 10_000_000


def test_what_a_file_says_survives_the_way():
    said = {"labels": {1.0: "one", "a": None}, "sets": [[1, 2.5]], "none": {}}
    assert decode(encode(said)) == said
