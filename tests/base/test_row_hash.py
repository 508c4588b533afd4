from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swapmeet.base.row_hash import BLOCKS_AT_ONCE, RowHash, make_blocks
from swapmeet.base.seeds import Seed

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


KEY = np.frombuffer(bytes(range(32)), "<u4")


def encrypt_nothing(key, counter, nonce, size):
    """The key stream, by an implementation that is not ours."""
    ciphers = pytest.importorskip("cryptography.hazmat.primitives.ciphers")
    start = counter.to_bytes(8, "little") + nonce
    cipher = ciphers.Cipher(ciphers.algorithms.ChaCha20(key, start), None)
    return cipher.encryptor().update(bytes(size))


def test_the_block_of_the_standard():
    """RFC 8439, 2.3.2; its nonce of 96 bits reaches into our counter."""
    counter = np.array([1 | 0x09000000 << 32], np.uint64)
    block = make_blocks(KEY, counter, (0x4A000000, 0))[0]
    assert block.astype("<u4").tobytes().hex() == (
        "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e"
        "d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e"
    )


@given(
    key=st.binary(min_size=32, max_size=32),
    nonce=st.binary(min_size=8, max_size=8),
    counter=st.tuples(st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 9)),
    count=st.integers(1, 8),
)
def test_the_blocks_are_those_of_another_implementation(key, nonce, counter, count):
    counter = counter[0] << 32 | counter[1]
    counters = np.arange(counter, counter + count, dtype=np.uint64)
    words = tuple(np.frombuffer(nonce, "<u4").tolist())
    blocks = make_blocks(np.frombuffer(key, "<u4"), counters, words)
    expected = encrypt_nothing(key, counter, nonce, 64 * count)
    assert blocks.astype("<u4").tobytes() == expected


def test_many_blocks_are_the_same_as_few():
    counters = np.arange(2 * BLOCKS_AT_ONCE + 3, dtype=np.uint64)
    some = counters[[0, BLOCKS_AT_ONCE, -1]]
    assert np.array_equal(make_blocks(KEY, counters)[some], make_blocks(KEY, some))


@pytest.mark.parametrize("number", [0, 7, 2**256 - 1])
def test_the_streams_of_a_seed_are_those_of_another_implementation(number):
    """Whatever library makes them: with the same words, a seed gives the same release."""
    seed = Seed.chosen_by_user(number)
    words = seed.stream("rwn", "age", 3).bit_generator.random_raw(1000)
    expected = encrypt_nothing(seed._key_of("rwn", "age", 3), 0, bytes(8), 8000)
    assert words.astype("<u8").tobytes() == expected
