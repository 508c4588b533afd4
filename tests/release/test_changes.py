from __future__ import annotations

import pytest

import swapmeet as sm
from swapmeet.release.changes import ColumnChange, notes_of

METHODS = {"moved": sm.RWN(k=5), "made": sm.Noise(level=0.1)}


@pytest.mark.parametrize("how", METHODS)
def test_a_column_that_was_masked_and_hardly_changed_is_noted(how):
    change = ColumnChange("age", **{"moved": 0.0, "changed": 0.005, "suppressed": 0.0, how: 1.0})
    (note,) = notes_of(METHODS[how], (change,), [], {}, 100)
    assert note.startswith("column age: effectively unchanged")


def test_a_column_that_no_method_touched_is_not():
    change = ColumnChange("age", moved=0.0, changed=0.0, suppressed=0.0)
    assert not list(notes_of(METHODS["made"], (change,), [], {}, 100))


def test_suppressed_values_are_counted_apart():
    still = ColumnChange("age", moved=0.5, changed=0.503, suppressed=0.5)
    (note,) = notes_of(METHODS["moved"], (still,), [], {}, 100)
    assert "fewer than 1 % of the values that were not suppressed differ" in note
    changed = ColumnChange("age", moved=0.5, changed=0.6, suppressed=0.5)
    gone = ColumnChange("sex", moved=0.0, changed=1.0, suppressed=1.0)
    assert not list(notes_of(METHODS["moved"], (changed, gone), [], {}, 100))
