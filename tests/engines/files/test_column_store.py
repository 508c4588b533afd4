from __future__ import annotations

import numpy as np

from swapmeet.engines.files.column_store import Shelf


def test_ranges_and_picks_are_those_of_the_array(tmp_path):
    values = np.random.default_rng(0).normal(size=1000)
    shelf = Shelf(tmp_path / "shelf")
    for part in np.array_split(values, 7):
        shelf.append("a/b", part)
    rows = np.array([999, 3, 3, 0, 500])
    assert np.array_equal(shelf.read("a/b", 100, 230), values[100:230])
    assert np.array_equal(shelf.whole("a/b"), values)
    assert np.array_equal(shelf.picked("a/b", rows, 1000, 64), values[rows])


def test_columns_keep_their_type_and_their_names(tmp_path):
    shelf = Shelf(tmp_path / "shelf")
    shelf.append("x", np.array([1, -1], np.int32))
    shelf.append("../x", np.array([0.5]))
    assert shelf.whole("x").tolist() == [1, -1]
    assert shelf.whole("../x").tolist() == [0.5]
    assert "x" in shelf
    assert "y" not in shelf
    assert "x" not in repr(shelf)
