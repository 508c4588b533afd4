from __future__ import annotations

import copy
import pickle
import sys

import pytest
from modes import is_private

import swapmeet as sm
from swapmeet.base.secret import BYTES, FOLDER_VARIABLE, _load, find_state_folder, load_own_key
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


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "state"))
    return tmp_path / "state"


def test_it_is_made_once_and_only_its_owner_may_read_it(folder):
    key = load_own_key()
    assert len(key) == BYTES
    assert (folder / "key").read_bytes() == key
    _load.cache_clear()
    assert load_own_key() == key
    assert is_private(folder / "key")
    assert is_private(folder)


@pytest.mark.parametrize("damaged", [b"", b"short", bytes(BYTES + 1)])
def test_a_damaged_file_is_made_anew(folder, damaged):
    folder.mkdir()
    (folder / "key").write_bytes(damaged)
    _load.cache_clear()
    assert len(load_own_key()) == BYTES
    assert (folder / "key").read_bytes() == load_own_key()


def test_where_no_file_can_be_kept_it_lasts_as_long_as_the_process(tmp_path, monkeypatch):
    (tmp_path / "state").write_text("a file, not a folder")
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "state"))
    assert load_own_key() == load_own_key()
    assert len(load_own_key()) == BYTES


def test_its_folder_is_that_of_the_system(monkeypatch, tmp_path):
    monkeypatch.delenv(FOLDER_VARIABLE)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert find_state_folder() == tmp_path / "swapmeet"
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert find_state_folder() == tmp_path / ".local" / "state" / "swapmeet"
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "local"))
    assert find_state_folder() == tmp_path / "local" / "swapmeet"
