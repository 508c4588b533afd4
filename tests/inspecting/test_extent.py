from __future__ import annotations

import numpy as np
import pandas as pd

import swapmeet as sm
from swapmeet.ties import dependencies, ratios, sums


def wide(columns, rows=30):
    values = np.random.default_rng(1).normal(size=(rows, columns))
    return pd.DataFrame(values, columns=[f"v{j}" for j in range(columns)])


def test_a_narrow_table_is_looked_at_whole():
    assert sm.inspect(wide(5)).notes == ()


def test_a_wide_table_tells_how_many_columns_were_compared(monkeypatch):
    monkeypatch.setattr(ratios, "MOST_COLUMNS", 3)
    monkeypatch.setattr(sums, "MOST_COLUMNS", 4)
    monkeypatch.setattr(dependencies, "MOST_COLUMNS", 5)
    found = sm.inspect(wide(6))
    told = (
        "The table is wide: sums were looked for among the first 4 of 6 columns with numbers; "
        "products and quotients were looked for among the first 3 of 6 columns with numbers; "
        "columns that follow from another were looked for among the first 5 of 6 columns."
    )
    assert found.notes == (told,)
    assert found.notes[0] in str(found)
    assert "products and quotients were looked for" in found._repr_html_()
    assert found.to_dict()["notes"] == found.notes


def test_pairs_that_are_looked_at_do_not_grow_with_columns_beyond_the_bound(monkeypatch):
    pairs = []
    plain = dependencies._follow
    monkeypatch.setattr(dependencies, "_follow", lambda *a: pairs.append(1) or plain(*a))
    monkeypatch.setattr(dependencies, "MOST_COLUMNS", 10)
    sm.inspect(wide(12))
    few = len(pairs)
    sm.inspect(wide(40))
    assert len(pairs) == 2 * few == 180
