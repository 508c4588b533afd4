from __future__ import annotations

import pytest

from swapmeet.tuning.grid import Grid
from swapmeet.tuning.search_plan import SearchSpace, _make_optuna_study

LADDER = Grid("sjppds", {"bins": [2, 4, 8, 16, 32]})
MIXED = Grid("microaggregation", {"k": [2, 3, 5], "by": ["mdav", "pca"]})
GAPPED = Grid("kl-theta", {"k": [10], "l": [2, 5], "theta": [0.3, 0.7]})


def labels(settings):
    return [setting.label for setting in settings]


def test_a_space_has_every_setting_of_its_grids_once():
    space = SearchSpace([LADDER, Grid("sjppds", {"bins": [8, 64]}), MIXED])
    assert len(space) == len(list(space)) == 5 + 1 + 6
    assert len({setting.key for setting in space}) == 12
    assert next(iter(LADDER)) in space
    assert next(iter(GAPPED)) not in space


def test_the_first_look_is_at_the_middle_of_each_grid_and_then_at_its_ends():
    looks = labels(SearchSpace([LADDER, MIXED]).spread())
    assert looks[0] == "sjppds bins=8"
    assert looks[1].startswith("microaggregation k=3")
    assert [looks[i] for i in (2, 4)] == ["sjppds bins=2", "sjppds bins=32"]


def test_neighbours_are_one_step_away_and_settings_that_exist():
    space = SearchSpace([LADDER, MIXED, GAPPED])
    ladder, mixed, gapped = list(LADDER), list(MIXED), list(GAPPED)
    assert labels(space.neighbours(ladder[0])) == ["sjppds bins=4"]
    assert set(space.neighbours(ladder[2])) == {ladder[1], ladder[3]}
    assert set(space.neighbours(mixed[0])) == {mixed[1], mixed[2]}
    assert set(space.neighbours(gapped[0])) == {gapped[2]}


@pytest.mark.parametrize("grids", [[LADDER], [LADDER, MIXED, GAPPED], [Grid("data-shuffle")]])
def test_what_optuna_proposes_is_in_the_space_or_no_setting_at_all(grids):
    space, study = SearchSpace(grids), _make_optuna_study(1)
    proposed = []
    for _ in range(30):
        asked = study.ask()
        proposed.append(space.suggest(asked))
        study.tell(asked, [0.5, 0.5])
    assert all(setting is None or setting in space for setting in proposed)
    assert any(proposed)
    if len(space) > 1:
        assert len(set(filter(None, proposed))) > 3


def test_a_described_setting_is_what_optuna_would_have_proposed():
    from optuna.trial import FixedTrial

    space = SearchSpace([LADDER, MIXED, GAPPED, Grid("data-shuffle")])
    for setting in space:
        parameters, distributions = space.to_optuna(setting)
        assert parameters.keys() == distributions.keys()
        assert space.suggest(FixedTrial(parameters)) == setting
