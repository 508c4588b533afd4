from __future__ import annotations

import numpy as np

from swapmeet.engines.files.compare import ColumnStore


def test_ranges_and_picks_are_those_of_the_array(tmp_path):
    values = np.random.default_rng(0).normal(size=1000)
    store = ColumnStore(tmp_path / "store")
    for part in np.array_split(values, 7):
        store.append("a/b", part)
    rows = np.array([999, 3, 3, 0, 500])
    assert np.array_equal(store.read("a/b", 100, 230), values[100:230])
    assert np.array_equal(store.whole("a/b"), values)
    assert np.array_equal(store.pick_rows("a/b", rows, 1000, 64), values[rows])


def test_columns_keep_their_type_and_their_names(tmp_path):
    store = ColumnStore(tmp_path / "store")
    store.append("x", np.array([1, -1], np.int32))
    store.append("../x", np.array([0.5]))
    assert store.whole("x").tolist() == [1, -1]
    assert store.whole("../x").tolist() == [0.5]
    assert "x" in store
    assert "y" not in store
    assert "x" not in repr(store)
