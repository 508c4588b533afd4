from __future__ import annotations

import pytest

import swapmeet as sm
from swapmeet.core.release.changes import ColumnChange, notes_of

METHODS = {"moved": sm.RWN(k=5), "made": sm.Noise(level=0.1)}


@pytest.mark.parametrize("how", METHODS)
def test_a_column_that_was_masked_and_hardly_changed_is_noted(how):
    change = ColumnChange("age", **{"moved": 0.0, "changed": 0.005, "suppressed": 0.0, how: 1.0})
    (note,) = notes_of(METHODS[how], (change,), [], {}, 100)
    assert note.startswith("column age: effectively unchanged")


def test_a_column_that_no_method_touched_is_not():
    change = ColumnChange("age", moved=0.0, changed=0.0, suppressed=0.0)
    assert not list(notes_of(METHODS["made"], (change,), [], {}, 100))
