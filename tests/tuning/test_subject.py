from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import swapmeet as sm
from swapmeet.measures.registry import MEASURES
from swapmeet.tuning.subject import Subject, checksum


@pytest.fixture
def subject(prepared, table):
    return prepared(table)[1]


def reasons(one, other):
    return "; ".join(one.differences(other))


def test_a_subject_survives_json(subject):
    again = Subject.from_dict(json.loads(json.dumps(subject.to_dict(), allow_nan=False)))
    assert again.to_dict() == subject.to_dict()
    assert not reasons(subject, again)


def test_it_names_columns_but_no_value_and_no_seed(subject, table):
    told = json.dumps(subject.to_dict())
    assert all(name in told for name in table)
    assert "female" not in told
    assert "north" not in told
    assert subject.rows == 60


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"version": "0.0.1"}, "it is of version 0.0.1, this is "),
        ({"data": "x"}, "it is of other data"),
        ({"data": "x", "rows": 7}, "it is of other data (7 rows, not 60)"),
        ({"known": ("age",)}, "its intruder knows age"),
        ({"at_most": 5}, "it links at most 5 rows"),
    ],
)
def test_what_differs_is_told(subject, change, reason):
    assert reason in reasons(subject, replace(subject, **change))


def test_other_roles_kinds_and_measures_are_told(subject, prepared, table):
    other = prepared(table, schema=sm.Schema.guess(table, {}).assign(keep=["region"]))[1]
    assert "columns have other kinds or roles: region" in reasons(subject, other)
    measured = prepared(table, measures=["pscr", "dcr"])[1]
    assert "it measures pscr, dcr, with their settings" in reasons(subject, measured)
    scaled = prepared(table, measures=["pscr", "margins", MEASURES["dcr"]()])[1]
    other_scale = replace(scaled, settings={**scaled.settings, "dcr": {"scale": "raw"}})
    assert "it measures" in reasons(scaled, other_scale)


def test_the_checksum_sees_every_cell_and_the_order_of_rows(prepared, table):
    def found(frame):
        return checksum(prepared(frame)[0].whole)

    assert found(table) == found(table.copy())
    assert found(table) != found(table.iloc[::-1])
    for name in table:
        other = table.copy()
        different = other[name].ne(other[name].iloc[0]) & other[name].notna()
        other.loc[0, name] = other[name][np.flatnonzero(different)[0]]
        assert found(other) != found(table), name
    assert found(table) != found(table.rename(columns={"age": "years"}))
