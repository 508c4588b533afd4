from __future__ import annotations

import numpy as np
import pytest

import swapmeet as sm
from swapmeet.tuning.grid import Grid, grids_of
from swapmeet.tuning.search import Search
from swapmeet.tuning.space import Space
from swapmeet.tuning.study import Tally
from swapmeet.tuning.trial import Setting, Trial

LADDER = Grid("sjppds", {"bins": list(range(2, 42))})
RANKS = Grid("rank-swap", {"window": [0.02 * i for i in range(1, 31)]})
STILL = Grid("microaggregation", {"k": [2, 3, 5, 8, 13]})


@pytest.fixture
def searching(cheap):
    def make(space, tally, *, repeats=3, seed=1, limits=None):
        return Search(space, tally, goal=cheap, limits=limits or {}, repeats=repeats, seed=seed)

    return make


def outcome(setting, repeat):
    """Risk and loss made up: SJPPDS is on the frontier, the others are behind it."""
    noise = np.random.default_rng([repeat, len(setting.key)]).normal(0, 0.001)
    if setting.name == "sjppds":
        share = setting.settings["bins"] / 42
        return share + noise, (1 - share) ** 2
    return 0.9 + noise, 0.8


def trial_of(setting, repeat, **more):
    risk, loss = outcome(setting, repeat)
    return Trial(setting, repeat, 0.1, {"pscr": risk, "margins": loss}, **more)


def carried_out(search, tally, trials, flight=1):
    """So many trials, `flight` of them at a time."""
    jobs, waiting = [], []
    while len(jobs) < trials:
        while len(waiting) < flight and (job := search.next()) is not None:
            waiting.append(job)
            jobs.append(job)
        if not waiting:
            break
        done = trial_of(*waiting.pop(0))
        tally.add(done)
        search.told(done)
    return jobs


@pytest.mark.parametrize("flight", [1, 2, 5])
def test_no_trial_is_proposed_twice_and_repeats_are_numbered_from_0(searching, flight):
    space, tally = Space([LADDER, RANKS, STILL]), Tally()
    jobs = carried_out(searching(space, tally), tally, 60, flight)
    assert len(set(jobs)) == len(jobs) == 60
    for setting in {s for s, _ in jobs}:
        repeats = [r for s, r in jobs if s == setting]
        assert repeats == list(range(len(repeats)))
        assert len(repeats) <= (3 if setting.method.is_random else 1)


def test_every_method_is_tried_within_the_first_trials(searching):
    frame = sm.datasets.load("diabetes")
    from swapmeet.core.tables.frame import Table
    from swapmeet.core.tables.microdata import Microdata

    data = Microdata.of(Table(frame), sm.datasets.schema("diabetes"))
    grids = [grid.suited(data) for grid in grids_of(None)]
    tally = Tally()
    jobs = carried_out(searching(Space(grids), tally), tally, 3 * len(grids) // 2)
    assert {setting.name for setting, _ in jobs} == {grid.method for grid in grids}


def test_it_ends_when_all_is_done(searching):
    grid, tally = Grid("sjppds", {"bins": [2, 3, 4, 5]}), Tally()
    search = searching(Space([grid, STILL]), tally, repeats=2)
    jobs = carried_out(search, tally, 1_000)
    assert {setting.key for setting, _ in jobs} == {s.key for g in (grid, STILL) for s in g}
    assert len(jobs) <= search.total == 4 * 2 + 5
    assert search.next() is None


@pytest.mark.parametrize(("repeats", "expected"), [(1, 1), (4, 4)])
def test_a_space_of_one_point_works(searching, repeats, expected):
    only, tally = Grid("sjppds", {"bins": [7]}), Tally()
    jobs = carried_out(searching(Space([only]), tally, repeats=repeats), tally, 100)
    assert jobs == [(next(iter(only)), repeat) for repeat in range(expected)]


def test_what_chance_has_no_part_in_is_not_repeated(searching):
    tally = Tally()
    jobs = carried_out(searching(Space([STILL]), tally, repeats=5), tally, 100)
    assert sorted(s.settings["k"] for s, _ in jobs) == [2, 3, 5, 8, 13]


def test_what_was_refused_is_never_proposed(searching):
    space, tally = Space([LADDER, STILL]), Tally()
    refused = {s for s in LADDER if s.settings["bins"] % 2}
    for setting in refused:
        tally.add(Trial(setting, 0, 0.0, {}, "no."))
    jobs = carried_out(searching(space, tally), tally, 1_000)
    assert not refused & {setting for setting, _ in jobs}
    assert {s for s in LADDER if not s.settings["bins"] % 2} <= {setting for setting, _ in jobs}


def test_what_fails_after_a_success_is_not_repeated(searching):
    only, tally = Grid("sjppds", {"bins": [7]}), Tally()
    search = searching(Space([only]), tally, repeats=5)
    setting, repeat = search.next()
    for trial in (trial_of(setting, repeat), Trial(setting, 1, 0.0, {}, "ended.")):
        tally.add(trial)
        search.told(trial)
    assert search.next() is None


def test_it_goes_on_from_a_tally_and_fills_the_gaps_of_lost_trials(searching):
    """Repeat 1 was in flight when the first run was killed; repeat 2 was not."""
    only, tally = Grid("sjppds", {"bins": [7]}), Tally()
    setting = next(iter(only))
    for repeat in (0, 2):
        tally.add(trial_of(setting, repeat))
    jobs = carried_out(searching(Space([only]), tally, repeats=5), tally, 100)
    assert jobs == [(setting, 1), (setting, 3), (setting, 4)]


def test_a_resumed_search_repeats_nothing_and_knows_what_was_best(searching):
    space, tally = Space([LADDER, RANKS, STILL]), Tally()
    before = carried_out(searching(space, tally), tally, 40)
    after = carried_out(searching(space, tally, seed=2), tally, 30)
    assert not set(before) & set(after)
    assert sum(s.name == "sjppds" for s, _ in after) > len(after) / 2


def test_settings_of_an_earlier_search_that_are_not_in_the_space_do_no_harm(searching):
    tally = Tally()
    other = Setting.of(sm.SJPPDS(bins=1000))
    tally.add(Trial(other, 0, 0.1, {"pscr": 0.0, "margins": 0.0}))
    jobs = carried_out(searching(Space([STILL]), tally), tally, 100)
    assert {s for s, _ in jobs if s != other} == set(STILL)


def test_the_same_seed_gives_the_same_search(searching):
    def found(seed):
        tally = Tally()
        return carried_out(searching(Space([LADDER, RANKS]), tally, seed=seed), tally, 30)

    assert found(1) == found(1)
    assert found(1) != found(2)


def test_most_trials_go_where_the_frontier_is(searching):
    space, tally = Space([LADDER, RANKS, STILL]), Tally()
    jobs = carried_out(searching(space, tally, seed=3), tally, 60)
    assert sum(setting.name == "sjppds" for setting, _ in jobs) > 30


def test_synthetic_rows_are_put_aside_once_others_are_known(searching):
    """They beat everything, and all the same they are neither repeated nor sought after."""
    tally = Tally()
    space = Space([LADDER, Grid("cart", {"min_leaf": list(range(2, 30))})])
    search = searching(space, tally)
    jobs = []
    for _ in range(40):
        setting, repeat = search.next()
        jobs.append((setting, repeat))
        nobodys = setting.name == "cart"
        trial = trial_of(setting, repeat, owned=not nobodys)
        if nobodys:
            trial = Trial(setting, repeat, 0.1, {"pscr": 0.0, "margins": 0.0}, owned=False)
        tally.add(trial)
        search.told(trial)
    assert all(repeat == 0 for setting, repeat in jobs if setting.name == "cart")
    assert sum(setting.name == "sjppds" for setting, _ in jobs) > 20


def test_figures_that_are_not_defined_do_no_harm(searching):
    tally = Tally()
    search = searching(Space([STILL]), tally, limits={"pscr": 0.5})
    jobs = []
    while (job := search.next()) is not None:
        jobs.append(job)
        trial = Trial(*job, 0.1, {"pscr": np.nan, "margins": 0.5})
        tally.add(trial)
        search.told(trial)
    assert len(jobs) == 5


def test_limits_draw_the_search_to_where_they_are_kept(searching):
    tally = Tally()
    space = Space([LADDER])
    search = searching(space, tally, limits={"pscr": 0.2}, repeats=1, seed=5)
    jobs = carried_out(search, tally, 20)
    kept = sum(outcome(setting, 0)[0] <= 0.2 for setting, _ in jobs)
    assert kept >= 4
