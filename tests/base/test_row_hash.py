from __future__ import annotations

import numpy as np
import pytest

from swapmeet.base.row_hash import RowHash

HASHING = RowHash.of(np.random.Generator(np.random.PCG64(1)))
ROWS = np.arange(100_000)


def test_every_part_is_as_likely():
    counts = np.bincount(HASHING.number_below(ROWS, 10), minlength=10)
    assert ((counts - 10_000) ** 2 / 10_000).sum() < 40


def test_each_row_may_have_a_number_of_parts_of_its_own():
    parts = np.where(ROWS % 2, 3, 7)
    found = HASHING.number_below(ROWS, parts)
    assert found[ROWS % 2 == 1].max() == 2
    assert found[ROWS % 2 == 0].max() == 6


@pytest.mark.parametrize("share", [0.0, 0.1, 1.0])
def test_a_share_is_chosen_whatever_the_order(share):
    chosen = HASHING.in_sample(ROWS, share)
    assert chosen.mean() == pytest.approx(share, abs=0.01)
    assert np.array_equal(HASHING.in_sample(ROWS[::-1], share), chosen[::-1])


def test_another_key_chooses_others():
    other = RowHash.of(np.random.Generator(np.random.PCG64(2)))
    both = HASHING.in_sample(ROWS, 0.5) & other.in_sample(ROWS, 0.5)
    assert both.mean() == pytest.approx(0.25, abs=0.01)


def test_repr_keeps_the_key():
    assert repr(HASHING) == "<RowHash>"


def test_a_row_has_the_same_bits_whatever_rows_are_asked_for_with_it():
    all_bits = HASHING.bits(ROWS)
    for rows in ([5], [0, 99_999], [7, 7, 6], [99_998, 3, 99_999], []):
        some = np.array(rows, np.int64)
        assert np.array_equal(HASHING.bits(some), all_bits[some])


def test_the_bits_of_a_row_are_those_of_the_cipher_at_its_place():
    ciphers = pytest.importorskip("cryptography.hazmat.primitives.ciphers")
    key = HASHING.key.astype("<u4").tobytes()
    cipher = ciphers.Cipher(ciphers.algorithms.ChaCha20(key, bytes(16)), None)
    expected = np.frombuffer(cipher.encryptor().update(bytes(8 * len(ROWS))), "<u8")
    assert np.array_equal(HASHING.bits(ROWS), expected)


def test_rows_beyond_32_bits_have_bits_of_their_own():
    far = ROWS[:1000] + 2**40
    assert not np.isin(HASHING.bits(far), HASHING.bits(ROWS)).any()
