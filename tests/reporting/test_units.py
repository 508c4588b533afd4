"""What reports say of columns that number households: they are neither exact nor anybody's."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm


@pytest.mark.parametrize("audience", ["public", "internal"])
def test_numbers_of_households_are_not_called_exact(tmp_path, audience):
    rng = np.random.default_rng(1)
    homes = np.repeat(np.arange(60), 2)
    people = pd.DataFrame(
        {"hh_id": homes + 700, "rooms": rng.integers(1, 6, 60)[homes], "wage": rng.random(120)}
    )
    release = sm.mask(people, sm.MatchedSwap(k=5), household=["hh_id"])
    card = sm.assess(people, release, measures=["margins"])
    asked = {"audience": audience, "release": release, "schema": release.schema}
    sm.report(card, tmp_path / "r.html", **asked)
    page = (tmp_path / "r.html").read_text()
    assert "hh_id is exact" not in page
    assert "Your values of hh_id" not in page
    if audience == "public":
        assert page.count("dealt out anew") == 2
        columns = json.loads((tmp_path / "r.json").read_text())["columns"]
        assert "exact" not in next(c["values"] for c in columns if c["name"] == "hh_id")
