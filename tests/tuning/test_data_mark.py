from __future__ import annotations

import hashlib
from dataclasses import replace

import numpy as np
import pytest

from swapmeet.base.secret import FOLDER_VARIABLE
from swapmeet.tuning.study_setup import DataMark


@pytest.fixture
def mark(prepare):
    return lambda frame: DataMark.of(prepare(frame)[0].whole)


def test_it_sees_every_cell_and_the_order_of_rows(mark, table):
    assert mark(table) == mark(table.copy())
    assert mark(table) != mark(table.iloc[::-1])
    for name in table:
        other = table.copy()
        different = other[name].ne(other[name].iloc[0]) & other[name].notna()
        other.loc[0, name] = other[name][np.flatnonzero(different)[0]]
        assert mark(other) != mark(table), name
    assert mark(table) != mark(table.rename(columns={"age": "years"}))


def test_other_strata_are_other_data(prepare, table):
    whole = prepare(table)[0].whole
    assert DataMark.of(replace(whole, strata=np.arange(whole.n))) != DataMark.of(whole)


def test_it_is_read_as_it_was_written(mark, table):
    assert DataMark.parse(str(mark(table))) == mark(table)
    assert DataMark.parse("0" * 64) == DataMark("", "0" * 64)


def test_nobody_with_another_key_gets_the_same_mark(mark, table, monkeypatch, tmp_path):
    """So whoever knows all cells but one cannot try values until the mark fits."""
    mine = mark(table)
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    theirs = mark(table)
    assert not mine.is_comparable(theirs)
    assert mine.digest != theirs.digest


def test_it_names_its_key_without_telling_it(mark, table, monkeypatch, tmp_path):
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    named = mark(table).key
    key = (tmp_path / "key").read_bytes()
    assert len(named) == 16
    assert named not in key.hex()
    assert named not in (hashlib.sha256(key).hexdigest(), hashlib.blake2b(key).hexdigest())
