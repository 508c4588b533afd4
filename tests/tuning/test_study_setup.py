from __future__ import annotations

import hashlib
import json
from dataclasses import replace

import numpy as np
import pytest

import swapmeet as sm
from swapmeet.base.secret import FOLDER_VARIABLE
from swapmeet.comparison.knowledge import Knowledge
from swapmeet.measures.registry import MEASURES
from swapmeet.tuning.study_setup import DataMark, StudySetup


@pytest.fixture
def setup(prepare, table):
    return prepare(table)[1]


def reasons(one, other):
    return "; ".join(one.differences(other))


def test_a_subject_survives_json(setup):
    again = StudySetup.from_dict(json.loads(json.dumps(setup.to_dict(), allow_nan=False)))
    assert again.to_dict() == setup.to_dict()
    assert not reasons(setup, again)


def test_journals_that_name_no_intruder_had_one_who_knows_the_keys(setup):
    old = setup.to_dict()
    del old["intruder"]
    assert not reasons(setup, StudySetup.from_dict(old))


def test_columns_are_known_by_name_only_if_they_are_not_just_the_masked_ones(setup):
    assert setup.known_by_name is None
    assert replace(setup, known=("age",)).known_by_name == ("age",)


def test_it_names_columns_but_no_value_and_no_seed(setup, table):
    told = json.dumps(setup.to_dict())
    assert all(name in told for name in table)
    assert "female" not in told
    assert "north" not in told
    assert setup.rows == 60


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"version": "0.0.1"}, "version 0.0.1 made it, and this is "),
        ({"rows": 59}, "it is about other data"),
        ({"rows": 7}, "it is about other data (7 rows, not 60)"),
        ({"known": ("age",)}, "its intruder knows age"),
        ({"at_most": 5}, "it links at most 5 rows"),
        ({"level": Knowledge.EVERYTHING}, "its intruder knows everything of everybody"),
    ],
)
def test_what_differs_is_told(setup, change, reason):
    assert reason in reasons(setup, replace(setup, **change))


def test_other_data_are_told(setup):
    other = replace(setup, data=replace(setup.data, digest="x"))
    assert "it is about other data" in reasons(setup, other)


def test_marks_of_two_keys_tell_nothing(setup):
    assert not reasons(setup, replace(setup, data=DataMark("another", "x")))


def test_other_roles_kinds_and_measures_are_told(setup, prepare, table):
    other = prepare(table, schema=sm.Schema.guess(table, {}).assign(keep=["region"]))[1]
    assert "columns have other kinds or roles: region" in reasons(setup, other)
    measured = prepare(table, measures=["pscr", "dcr"])[1]
    assert "it has other measures, or other settings of them: pscr, dcr" in reasons(setup, measured)
    scaled = prepare(table, measures=["pscr", "margins", MEASURES["dcr"]()])[1]
    other_scale = replace(scaled, settings={**scaled.settings, "dcr": {"scale": "raw"}})
    assert "it has other measures" in reasons(scaled, other_scale)


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
