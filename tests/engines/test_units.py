"""Methods on tables whose rows belong to households."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import swapmeet as sm
from swapmeet.errors import SchemaError, TableError
from swapmeet.tables.units import Units
from swapmeet.testing.examples import fit_example, make_household_example, make_households

HOUSEHOLD = ("region", "district", "water", "rooms", "income")
PERSON = ("age", "sex", "wage")
METHODS = [
    sm.RWN(k=5),
    sm.NBRS(eps=0.8, weights=0.05),
    sm.SJPPDS(bins=4),
    sm.MEDS(k=4, rest="keep"),
    sm.MEWS(bins=3),
    sm.RankSwap(window=0.3),
    sm.DataShuffle(),
    sm.IPSO(),
    sm.Cart(),
    sm.KLTheta(k=4, l=2, theta=0.9),
    sm.MatchedSwap(k=4),
    sm.Microaggregation(k=4),
    sm.Noise(level=0.3),
    sm.PerColumn(parts=[(sm.RWN(k=5), ["water", "income", "age"]), (sm.RankSwap(), ["wage"])]),
]


def mask_households(method, example=None, **options):
    example = fit_example(method, example or make_household_example())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return sm.mask(example.data, method, schema=example.schema, seed=7, **options)


def count_levels(frame, name):
    return frame.groupby("household")[name].nunique(dropna=False).max()


@pytest.mark.parametrize("method", METHODS, ids=lambda m: type(m).__name__)
def test_households_agree_on_what_belongs_to_them(method):
    original = make_household_example().data
    release = mask_households(method)
    assert all(count_levels(release.data, name) == 1 for name in HOUSEHOLD)
    donors = dict(zip(release.audit.columns, release.audit.donors.T, strict=True))
    homes = np.unique(original["household"], return_inverse=True)[1]
    for name in HOUSEHOLD:
        givers = np.where(donors[name] < 0, donors[name], homes[donors[name]])
        assert Units(homes).is_constant(givers)
    assert any((donors[n] != np.arange(len(original))).any() for n in (*HOUSEHOLD, *PERSON))


@pytest.mark.parametrize("method", METHODS, ids=lambda m: type(m).__name__)
def test_persons_take_values_of_their_position_and_places_stay_nested(method):
    original = make_household_example().data
    release = mask_households(method)
    donors = dict(zip(release.audit.columns, release.audit.donors.T, strict=True))
    positions = original["position"].to_numpy()
    for name in PERSON:
        there = donors[name] >= 0
        assert (positions[donors[name][there]] == positions[there]).all()
    pairs = set(zip(original["region"], original["district"], strict=True))
    found = release.data[["region", "district"]].dropna()
    assert set(zip(found["region"], found["district"], strict=True)) <= pairs
    assert (donors["region"] == donors["district"]).all()


@pytest.mark.parametrize("method", METHODS[:2], ids=lambda m: type(m).__name__)
def test_household_numbers_are_a_permutation_and_keep_members_together(method):
    original = make_household_example().data
    released = mask_households(method).data
    assert set(released["household"]) == set(original["household"])
    assert released["household"].dtype == original["household"].dtype
    pairs = pd.DataFrame({"old": original["household"], "new": released["household"]})
    assert len(pairs.drop_duplicates()) == original["household"].nunique()
    assert (pairs["old"] == pairs["new"]).mean() < 0.2


def test_numbers_are_dealt_at_random():
    """Among 90 households about one keeps its number; more than 8 have a chance below 1e-6."""
    original = make_household_example().data
    released = mask_households(sm.RWN(k=5)).data
    same = original.loc[original["household"] == released["household"], "household"].nunique()
    assert same <= 8


def test_a_table_without_units_is_masked_as_ever():
    data = make_households(60).drop(columns=["household", "position", "weight"])
    one = sm.mask(data, sm.RWN(k=5), seed=3)
    two = sm.mask(data, sm.RWN(k=5), seed=3, engine=sm.Local(threads=1))
    assert one.data.equals(two.data)


def test_blocks_keep_households_whole():
    release = mask_households(
        sm.RWN(k=5), make_household_example(400), engine=sm.Local(block_rows=100)
    )
    assert all(count_levels(release.data, name) == 1 for name in HOUSEHOLD)


def test_several_rows_of_a_person_move_together():
    rng = np.random.default_rng(5)
    visits = pd.DataFrame({"person": np.repeat(np.arange(80), 3)})
    visits["birth"] = np.repeat(rng.integers(1930, 2000, 80), 3)
    visits["sex"] = np.repeat(rng.choice(["f", "m"], 80), 3)
    visits["cost"] = rng.lognormal(5, 1, 240)
    release = sm.mask(visits, sm.RWN(k=5, weights=0.01), person="person", seed=2)
    by_person = release.data.groupby("person")
    assert by_person["birth"].nunique().max() == 1
    assert by_person["sex"].nunique().max() == 1
    assert by_person["cost"].nunique().min() > 1
    assert by_person.size().tolist() == [3] * 80


def test_persons_numbered_inside_households_keep_the_numbers_of_their_household():
    data = make_household_example().data
    data["line"] = data.groupby("household").cumcount() + 1
    method = sm.RWN(k=5, weights=0.05)
    release = sm.mask(data, method, household="household", person="line", seed=2)
    old, new = data.groupby("household")["line"], release.data.groupby("household")["line"]
    assert sorted(map(sorted, old.apply(list))) == sorted(map(sorted, new.apply(list)))
    assert (data["line"] != release.data["line"]).any()


def test_every_method_that_does_not_move_units_itself_is_tried():
    tried = {type(method).name for method in METHODS}
    assert tried == {*sm.METHODS} - {"record-swap"}


def test_what_a_method_says_of_whole_rows_is_not_said_of_one_level():
    assert not any(
        "no row has more than" in note for note in mask_households(sm.MatchedSwap()).notes
    )


def test_a_search_masks_households_as_masking_does():
    example = make_household_example(60)
    method = sm.RWN(k=5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        study = sm.tune(
            example.data, methods=[method], schema=example.schema, seed=5, repeats=1,
            measures=["household-linkage", "linkage", "margins"],
        )  # fmt: skip
    (row, *_) = study.to_frame().to_dict("records")
    assert 0.0 <= row["household-linkage"] <= 1.0


def test_trials_release_what_masking_releases():
    from swapmeet.base.seeds import Seed
    from swapmeet.engines.local.trial import TrialData
    from swapmeet.tables.frame import Table
    from swapmeet.tables.microdata import Microdata
    from swapmeet.tuning.study_setup import read_published

    example = make_household_example(60)
    for whole in (False, True):
        schema = example.schema.assign(whole_households=whole)
        table = Table(example.data)
        trial = TrialData(
            frame=table.take({}, schema.masked),
            masked=Microdata.of(table, schema),
            published=read_published(table, schema),
            known=schema.masked,
            at_most=None,
        )
        comparison = trial.compare(sm.RWN(k=3), Seed.chosen_by_user(7))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            release = sm.mask(example.data, sm.RWN(k=3), schema=schema, seed=7)
        found = dict(
            zip(comparison.provenance.columns, comparison.provenance.donors.T, strict=True)
        )
        for name, donors in zip(release.audit.columns, release.audit.donors.T, strict=True):
            if name in schema.masked:
                assert np.array_equal(donors, found[name])


def test_levels_tell_which_columns_moved_together():
    (first, *_) = mask_households(sm.RWN(k=5)).notes
    assert "region, district, water, rooms and income move once per household (90 of them)" in first
    assert "age, sex and wage move row by row" in first


def test_a_level_that_the_method_leaves_alone_is_told():
    method = sm.PerColumn(parts=[(sm.RWN(k=5), ["age", "wage"])])
    notes = mask_households(method).notes
    assert any("masks none of region, district, water, rooms and income" in n for n in notes)


def test_a_refusal_names_the_level_and_the_remedy():
    with pytest.raises(TableError, match=r"level of households.*90 households.*per-column"):
        mask_households(sm.MatchedSwap(k=100))


def test_a_misspelt_column_is_refused_at_every_level():
    with pytest.raises(SchemaError, match="incme"):
        mask_households(sm.RWN(k=5, weights={"incme": 1.0}))


def test_settings_that_name_columns_reach_their_level():
    release = mask_households(sm.RWN(k=5, weights={"water": 0.1, "sex": 0.1, "income": 2.0}))
    assert count_levels(release.data, "water") == 1


@given(st.integers(2, 25), st.integers(0, 10**6))
def test_any_households_agree_after_masking(households, seed):
    data = make_households(households, seed)
    roles = {"household": "household", "place": ["region", "district"], "weight": "weight"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        released = sm.mask(data, sm.SJPPDS(bins=2), seed=seed, keep="position", **roles).data
    for name in HOUSEHOLD:
        assert count_levels(released, name) == 1
    sizes = data.groupby("household").size(), released.groupby("household").size()
    assert sorted(sizes[0]) == sorted(sizes[1])
