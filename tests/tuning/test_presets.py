from __future__ import annotations

from collections import Counter

import pytest

from swapmeet.errors import ParameterError
from swapmeet.tuning.presets import GRIDS, find_preset


def settings(name):
    return [setting for grid in find_preset(name) for setting in grid]


def values(name, method, parameter):
    found = [s.settings[parameter] for s in settings(name) if s.name == method]
    return sorted(set(found))


def test_the_grid_of_the_sjppds_paper():
    name = "sjppds-paper"
    assert Counter(s.name for s in settings(name)) == {
        "sjppds": 30, "microaggregation": 90, "noise": 60, "rank-swap": 30, "data-shuffle": 1,
    }  # fmt: skip
    assert values(name, "sjppds", "bins") == list(range(10, 301, 10))
    assert values(name, "microaggregation", "k") == list(range(2, 32))
    assert values(name, "microaggregation", "by") == ["mdav", "pca", "pppca"]
    assert values(name, "microaggregation", "permute") == [False]
    assert values(name, "noise", "level") == pytest.approx([0.01 + 0.04 * i for i in range(30)])
    assert values(name, "noise", "level")[-1] == 1.17
    assert values(name, "noise", "correlated") == [False, True]
    assert values(name, "rank-swap", "window") == pytest.approx([0.02 * i for i in range(1, 31)])
    assert values(name, "rank-swap", "top") == values(name, "rank-swap", "bottom") == [0.05]


def test_the_grid_of_the_rwn_paper():
    assert len(settings("rwn-paper")) == 60
    assert values("rwn-paper", "rwn", "k") == list(range(5, 76, 5))
    assert values("rwn-paper", "rwn", "q") == [0.25, 0.5, 0.75, 1.0]


def test_the_radii_of_the_rwn_paper():
    assert values("rwn-paper-radii", "rwn", "k") == [5]
    assert values("rwn-paper-radii", "rwn", "eps") == pytest.approx([0.05 * i for i in range(25)])


def test_the_comparison_of_the_rwn_paper_has_15_settings_of_each_method():
    name = "rwn-paper-comparison"
    counts = Counter(s.name for s in settings(name))
    assert counts == {"rwn": 15, "rank-swap": 15, "microaggregation": 15}
    assert values(name, "rwn", "eps") == pytest.approx([0.25 + 0.05 * i for i in range(15)])
    assert values(name, "rank-swap", "window")[::14] == [0.12, 0.54]
    assert values(name, "microaggregation", "k") == list(range(2, 17))


def test_no_setting_comes_twice():
    for name in GRIDS:
        assert len({s.key for s in settings(name)}) == len(settings(name))


def test_an_unknown_grid_is_refused_with_a_guess():
    with pytest.raises(ParameterError, match="no 'rwn-papers'; did you mean 'rwn-paper'"):
        find_preset("rwn-papers")
