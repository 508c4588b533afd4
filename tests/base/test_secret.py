from __future__ import annotations

import copy
import pickle

import pytest

import swapmeet as sm
from swapmeet.errors import UsageError


@pytest.fixture(scope="module")
def table():
    return sm.datasets.load("diabetes").iloc[:60]


@pytest.fixture(scope="module")
def release(table, masked):
    return masked(table, sm.MatchedSwap(k=5))


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_neither_a_release_nor_its_record_becomes_a_pickle(release, protocol):
    for secret, remedy in ((release, "Publish what `shuffled` gives"), (release.audit, "`save`")):
        with pytest.raises(UsageError, match="so no pickle is made of it") as caught:
            pickle.dumps({"kept": secret}, protocol)
        assert remedy in str(caught.value)


def test_what_may_be_pickled_has_neither_seed_nor_donors(table, release):
    card = sm.assess(table, release)
    donors = release.audit.donors
    for result in (card, sm.inspect(table), release.shuffled(), release.schema):
        content = pickle.dumps(result)
        assert release.audit.seed.key not in content
        for column in donors.T:
            assert column[:8].tobytes() not in content


def test_a_copy_shares_the_record_and_a_deep_one_has_data_of_its_own(release):
    assert copy.copy(release) is release
    assert copy.deepcopy(release.audit) is release.audit
    other = copy.deepcopy(release)
    assert other.audit is release.audit
    assert other.data is not release.data
    assert other.data.equals(release.data)
