from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.errors import SwapmeetWarning

HOME = np.repeat(np.arange(60), 3)


@pytest.fixture
def people():
    rng = np.random.default_rng(1)
    return pd.DataFrame(
        {
            "haushalt_nr": HOME,
            "wgt": rng.gamma(5, 40, 60)[HOME],
            "age": rng.integers(0, 90, 180),
            "weight": rng.normal(70, 10, 180).round(1),
        }
    )


def warnings_of(people, **roles):
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        sm.mask(people, sm.MatchedSwap(k=3), seed=1, **roles)
    return [str(one.message) for one in heard if "looks like" in str(one.message)]


def test_masking_warns_once_of_each_column_that_lacks_its_role(people):
    household, weight = warnings_of(people)
    assert "'haushalt_nr': looks like the number of a household" in household
    assert "Say so: household=['haushalt_nr'], or --household." in household
    assert "'wgt': looks like a sampling weight" in weight


def test_the_role_or_the_will_to_publish_ends_the_warning(people):
    assert warnings_of(people, household=["haushalt_nr"], weight=["wgt"]) == []
    assert warnings_of(people, publish=["haushalt_nr", "wgt"]) == []
    assert warnings_of(people, drop=["haushalt_nr"], keep=["wgt"]) == []


def test_a_household_that_is_published_as_it_is_is_warned_of(people):
    (one,) = warnings_of(people, keep=["haushalt_nr"], weight=["wgt"])
    assert "haushalt_nr" in one


def test_tuning_warns_too(people):
    with pytest.warns(SwapmeetWarning, match="'wgt': looks like a sampling weight"):
        sm.tune(people, ["matched-swap:k=3"], limit={}, repeats=1, final_repeats=1, workers=1,
                measures=["pscr"], drop=["haushalt_nr"])  # fmt: skip


def test_numbers_of_households_that_look_like_identifiers_may_be_given_their_role(people):
    named = people.rename(columns={"haushalt_nr": "hhid"})
    with pytest.warns(SwapmeetWarning, match=r"Or give its role: schema.assign\(household="):
        sm.Schema.infer(named)
