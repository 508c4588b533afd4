from __future__ import annotations

import pytest

import swapmeet as sm
from swapmeet.methods import METHODS
from swapmeet.reporting.cautions import CAUTIONS, cautions_of


@pytest.mark.parametrize("name", METHODS)
def test_every_method_has_an_honest_list(name):
    assert CAUTIONS[name]
    assert all(one[0].isupper() and one.endswith(".") for one in CAUTIONS[name])


def test_parts_bring_the_cautions_of_their_methods():
    method = sm.PerColumn(parts=[(sm.RankSwap(), ["age"]), (sm.RWN(), ["sex"])])
    told = cautions_of(method.name, method.settings())
    assert any(one.startswith("age (rank-swap): The window is a promise") for one in told)
    assert any(one.startswith("sex (rwn): ") for one in told)


def test_a_method_from_elsewhere_has_none():
    assert cautions_of("mine", {}) == []
