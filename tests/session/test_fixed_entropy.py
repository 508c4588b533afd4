from __future__ import annotations

import pytest

from swapmeet.base.seeds import Seed

KEYS = []


@pytest.mark.parametrize("turn", range(2))
def test_no_two_seeds_are_the_same(turn):
    KEYS.extend(Seed.fresh().key for _ in range(2))
    assert len(set(KEYS)) == len(KEYS)


def test_the_seeds_of_a_test_are_the_same_in_each_run():
    assert Seed.fresh().key.hex().startswith("915708a5")


@pytest.mark.real_entropy
def test_whoever_asks_gets_seeds_of_the_system(monkeypatch):
    monkeypatch.setattr("secrets.token_bytes", lambda size: b"x" * size)
    assert Seed.fresh().key == b"x" * 32
