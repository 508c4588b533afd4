"""Households that trade as wholes."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import swapmeet as sm
from swapmeet.errors import InputError, SwapmeetWarning
from swapmeet.testing.examples import fit_example, make_household_example

METHODS = [
    sm.RWN(k=3, weights=0.1),
    sm.NBRS(eps=2.0, weights=0.1),
    sm.SJPPDS(bins=2),
    sm.MEDS(k=2),
    sm.MEWS(bins=2),
    sm.RankSwap(window=0.5),
    sm.DataShuffle(),
    sm.Cart(min_leaf=3),
    sm.KLTheta(k=2, l=1, theta=1.0),
    sm.MatchedSwap(k=3),
    sm.PerColumn(parts=[(sm.RWN(k=3), ["water", "income", "age"]), (sm.RankSwap(), ["wage"])]),
]


def mask_whole(method, households=150, **more):
    example = fit_example(method, make_household_example(households))
    schema = example.schema.assign(whole_households=True, **more)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return example.data, sm.mask(example.data, method, schema=schema, seed=7)


def find_givers(data, release):
    """By column, the household that gave to each row, negative where nobody did; and which rows
    belong to households with no other of their size and positions."""
    homes = np.unique(data["household"], return_inverse=True)[1]
    donors = dict(zip(release.audit.columns, release.audit.donors.T, strict=True))
    return homes, {
        name: np.where(donors[name] < 0, donors[name], homes[donors[name]])
        for name in release.schema.masked
    }


def list_kinds(data):
    """By row, what a household must have in common with those it trades with."""
    kinds = data.groupby("household")["position"].apply(lambda p: tuple(sorted(p)))
    return data["household"].map(kinds)


@pytest.mark.parametrize("method", METHODS, ids=lambda m: type(m).__name__)
def test_all_members_have_the_values_of_one_household(method):
    data, release = mask_whole(method)
    homes, givers = find_givers(data, release)
    kinds = list_kinds(data)
    common = kinds.map(kinds.value_counts()).to_numpy() >= 60
    assert common.sum() > 100
    for given_by in givers.values():
        for home in np.unique(homes[common]):
            assert len(set(given_by[homes == home])) == 1
    assert any((given_by != homes)[common].any() for given_by in givers.values())


@pytest.mark.parametrize("method", METHODS[:3], ids=lambda m: type(m).__name__)
def test_households_trade_with_those_of_their_size_and_positions(method):
    data, release = mask_whole(method)
    kinds = list_kinds(data).to_numpy()
    common = np.array([sum(k == kind for k in kinds) >= 60 for kind in kinds])
    donors = dict(zip(release.audit.columns, release.audit.donors.T, strict=True))
    for name in release.schema.masked:
        rows = np.flatnonzero(common & (donors[name] >= 0))
        assert all(kinds[row] == kinds[donors[name][row]] for row in rows)


def test_members_take_the_values_of_the_member_in_their_position():
    data, release = mask_whole(sm.RWN(k=3))
    positions = data["position"].to_numpy()
    for donors in release.audit.donors[:, 2:-1].T:
        there = donors >= 0
        assert (positions[donors[there]] == positions[there]).all()


def test_households_with_too_few_like_them_trade_level_by_level_and_are_told():
    _, release = mask_whole(sm.MatchedSwap(k=15), 90)
    assert any("too few like them to trade whole" in note for note in release.notes)
    assert any(
        "traded whole, each with households of the same size and" in n for n in release.notes
    )


def make_homes(sizes, strata, seed):
    """Households of these sizes; what belongs to persons is another number for each."""
    rng = np.random.default_rng(seed)
    home = np.repeat(np.arange(len(sizes)), sizes)
    homes = {"rooms": rng.permutation(len(sizes)) + 0.5}
    homes["area"] = rng.integers(0, strata, len(sizes))
    people = {name: rng.permutation(len(home)) + 0.5 for name in ("age", "wage")}
    data = {name: values[home] for name, values in homes.items()}
    relation = np.where(np.diff(home, prepend=-1) > 0, 0, rng.integers(1, 6, len(home)))
    return pd.DataFrame({"home": home, "relation": relation, **data, **people})


def find_losses(data, released, shared, own):
    """Columns in which a value got lost or came twice, or members of a household disagree."""
    first = ~data["home"].duplicated()
    both = (data[first], released[first])
    torn = [n for n in shared if released.groupby("home")[n].nunique().max() > 1]
    lost = [n for n in shared if both[0][n].value_counts().ne(both[1][n].value_counts()).any()]
    return torn + lost + [n for n in own if set(data[n]) != set(released[n])]


@settings(max_examples=5)
@given(
    st.lists(st.sampled_from([1, 1, 2, 2, 2, 3, 4, 9]), min_size=24, max_size=60),
    st.integers(3, 9), st.integers(1, 2), st.booleans(), st.integers(0, 99),
)  # fmt: skip
def test_every_column_keeps_its_values_whoever_trades_level_by_level(sizes, k, strata, pos, seed):
    data = make_homes(sizes, strata, seed)
    roles = {"household": "home", "whole_households": True, "strata": "area"}
    roles |= {"position": "relation"} if pos else {"keep": "relation"}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            release = sm.mask(data, sm.MatchedSwap(k=k), seed=1, **roles)
    except InputError:
        return
    released = release.data.assign(home=data["home"])
    assert find_losses(data, released, ["rooms"], ["age", "wage"]) == []
    donors = dict(zip(release.audit.columns, release.audit.donors.T, strict=True))
    area = data["area"].to_numpy()
    assert all((area[donors[name]] == area).all() for name in ("rooms", "age", "wage"))


def test_where_too_few_are_left_over_others_trade_level_by_level_with_them():
    data = make_homes([2] * 40 + [5] * 3, 1, 4)
    roles = {"household": "home", "whole_households": True, "drop": ["area", "relation"]}
    with pytest.warns(SwapmeetWarning, match="too few like them"):
        release = sm.mask(data, sm.MatchedSwap(k=6), seed=1, **roles)
    (note,) = [note for note in release.notes if "too few like them" in note]
    assert "3 households have" in note
    assert "and 3 drawn from the most frequent size" in note
    rows = np.flatnonzero(np.repeat([2] * 40 + [5] * 3, [2] * 40 + [5] * 3) == 5)
    assert (release.data["age"].to_numpy()[rows] != data["age"].to_numpy()[rows]).mean() > 0.5


def test_whoever_finds_no_partner_at_all_stays_and_is_told():
    data = make_homes([2] * 7 + [5] * 2, 1, 4)
    roles = {"household": "home", "whole_households": True, "drop": ["area", "relation"]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        release = sm.mask(data, sm.MatchedSwap(k=7), seed=1, **roles)
    assert any("2 households have" in note and "stay as they are" in note for note in release.notes)
    assert release.data["age"].tolist()[-10:] == data["age"].tolist()[-10:]


def test_where_no_household_can_trade_whole_it_is_refused():
    with pytest.raises(InputError, match="no household can trade whole"):
        mask_whole(sm.MatchedSwap(k=80), 90)


def test_made_values_are_refused():
    with pytest.raises(InputError, match="noise makes new values"):
        mask_whole(sm.Noise())


def test_whole_households_without_household_numbers_are_refused():
    data = make_household_example(20).data
    with pytest.raises(InputError, match="no column numbers households"):
        sm.mask(data, sm.RWN(k=2), whole_households=True)


def test_persons_with_several_rows_are_refused():
    data = make_household_example(20).data
    data = data.loc[data.index.repeat(2)].assign(person=np.repeat(np.arange(len(data)), 2))
    roles = {"household": "household", "person": "person", "whole_households": True}
    with pytest.raises(InputError, match="some persons have several rows"):
        sm.mask(data, sm.RWN(k=2), **roles)


def test_the_schema_survives_a_run_file():
    schema = make_household_example(20).schema.assign(whole_households=True)
    again = sm.Schema.from_dict(schema.to_dict())
    assert again.whole_households
    assert not schema.assign(whole_households=False).whole_households
