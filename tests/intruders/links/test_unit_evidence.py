"""Whoever knows the method knows at which level it ran."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

import swapmeet as sm
from swapmeet.base.parallel import Workers
from swapmeet.engines.local.pair import compare_tables
from swapmeet.engines.protocol import Request
from swapmeet.intruders.links.evidence import KnownColumns
from swapmeet.intruders.links.posterior import Posterior
from swapmeet.tables.frame import Table
from swapmeet.testing.examples import fit_example, make_household_example

METHODS = [
    sm.RWN(k=3, weights=0.1),
    sm.RankSwap(window=0.1),
    sm.MatchedSwap(k=4),
    sm.SJPPDS(bins=5),
]


def compare(method, *, whole=False, households=150, change=lambda data: data):
    example = fit_example(method, make_household_example(households))
    example = replace(example, data=change(example.data))
    schema = example.schema.assign(whole_households=whole)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        release = sm.mask(example.data, method, schema=schema, seed=11)
    columns = tuple(schema[name] for name in schema.compared)
    request = Request(
        columns=columns, known=schema.masked, audit=None, match="rows", at_most=None,
        workers=Workers(1), keys=schema.masked, household="household",
    )  # fmt: skip
    return compare_tables(Table(example.data), release, request)


def find_people(comparison, pieces=None):
    """The share of people whom somebody finds who knows all masked columns, and the method."""
    known = KnownColumns(comparison, comparison.provenance, (*comparison.masked, "position"))
    pieces = known.follow_method() if pieces is None else pieces
    posterior = Posterior(pieces, known.truth, comparison.n, Workers(1))
    return float(posterior.link_all().mean())


def forget_households(comparison):
    one, other = (replace(d, household=None) for d in (comparison.original, comparison.released))
    return replace(comparison, original=one, released=other)


@pytest.mark.slow_case("MatchedSwap")
@pytest.mark.parametrize("method", METHODS, ids=lambda m: type(m).__name__)
def test_whoever_knows_the_levels_finds_no_fewer_people(method):
    comparison = compare(method)
    assert find_people(comparison) >= find_people(forget_households(comparison)) - 0.01


def test_whoever_knows_the_levels_of_a_neighbourhood_method_finds_many_more():
    comparison = compare(sm.RWN(k=3, weights=0.1))
    assert find_people(comparison) > 2 * find_people(forget_households(comparison))


@pytest.mark.slow_case("RankSwap")
@pytest.mark.parametrize("method", METHODS, ids=lambda m: type(m).__name__)
def test_of_households_that_traded_whole_more_is_given_away_than_level_by_level(method):
    comparison = compare(method, whole=True)
    known = KnownColumns(comparison, comparison.provenance, (*comparison.masked, "position"))
    (piece,) = known.follow_method()
    assert set(piece.columns) == set(comparison.masked)
    by_level = known._follow_levels(known._find_levels(), everybody=True)
    assert find_people(comparison) >= find_people(comparison, by_level) - 0.01


def test_groups_of_k_bound_what_is_given_away_of_whole_households():
    """No more than 1 in 4; the standard error of about 150 households is 0.035."""
    assert find_people(compare(sm.MatchedSwap(k=4), whole=True)) < 0.25 + 3 * 0.035


@pytest.mark.parametrize("whole", [False, True])
def test_an_intruder_who_knows_some_columns_only_is_followed(whole):
    comparison = compare(sm.RWN(k=3), whole=whole)
    for names in (("age", "sex"), ("water", "income"), ("age", "water")):
        pieces = KnownColumns(comparison, comparison.provenance, names).find_traces()
        logs = np.sum([piece.of_people(np.arange(3)) for piece in pieces], axis=0)
        assert logs.shape == (3, comparison.n)
        assert np.isfinite(logs).all()


def test_numbers_of_households_are_nobodys_values():
    assert "household" not in compare(sm.RWN(k=3)).provenance.columns


def add_rare_positions(data):
    """A tenth of the people have positions of their own, each of a few persons."""
    rng = np.random.default_rng(5)
    rare = rng.choice([f"other {number}" for number in range(9)], len(data))
    return data.assign(position=data["position"].where(rng.random(len(data)) < 0.9, rare))


@pytest.mark.parametrize("method", [sm.MatchedSwap(k=12), sm.RWN(k=12)], ids=lambda m: m.name)
def test_joined_positions_do_not_make_the_intruder_blind(method, monkeypatch):
    comparison = compare(method, change=add_rare_positions)
    share = find_people(comparison)
    monkeypatch.setattr(type(method), "fewest_rows", lambda self, data: 1)
    assert share > find_people(comparison)


def test_whoever_fell_back_to_trade_level_by_level_hides_among_those_who_did():
    comparison = compare(sm.MatchedSwap(k=25), whole=True)
    known = KnownColumns(comparison, comparison.provenance, (*comparison.masked, "position"))
    (piece,) = known.follow_method()
    homes = comparison.original.household
    rest = np.flatnonzero(piece._person[0] < 0)
    assert 20 < len(np.unique(homes[rest])) < 60
    donors = comparison.provenance.donors[rest]
    assert np.isin(donors[donors >= 0], rest).all()
    mine = np.zeros(comparison.n, bool)
    mine[rest] = True
    logs = piece.of_people(rest[:5])
    assert logs[:, ~mine].max() < logs[:, mine].min()
