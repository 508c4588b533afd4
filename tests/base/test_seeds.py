from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from swapmeet.base.seeds import ROWS_PER_STREAM, Seed
from swapmeet.errors import ParameterError

pytestmark = pytest.mark.real_entropy

LABELS = st.lists(st.one_of(st.text(max_size=5), st.integers(-5, 5)), max_size=4).map(tuple)


def first(seed, *label):
    return seed.stream(*label).bit_generator.random_raw(4).tolist()


def test_two_fresh_seeds_differ():
    one, two = Seed.fresh(), Seed.fresh()
    assert one.key != two.key
    assert len(one.key) == 32
    assert first(one, "a") != first(two, "a")


def test_a_chosen_seed_gives_the_same_stream_again():
    assert first(Seed.chosen_by_user(7), "a", 1) == first(Seed.chosen_by_user(7), "a", 1)


def test_neighbouring_seeds_give_different_streams():
    assert first(Seed.chosen_by_user(7), "a") != first(Seed.chosen_by_user(8), "a")
    assert first(Seed.chosen_by_user(0), "a") != first(Seed.chosen_by_user(1 << 255), "a")


@given(LABELS, LABELS)
def test_different_labels_give_different_streams(one, two):
    seed = Seed.chosen_by_user(1)
    alike = [(type(part), part) for part in one] == [(type(part), part) for part in two]
    assert (first(seed, *one) == first(seed, *two)) == alike


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (("a", "bc"), ("ab", "c")),
        (("abc",), ("a", "bc")),
        ((1,), ("1",)),
        ((), ("",)),
        (("a",), ("a", "")),
        (("int:1",), (1,)),
        (("a", 12), ("a1", 2)),
    ],
)
def test_labels_that_look_alike_when_joined_are_told_apart(one, two):
    seed = Seed.chosen_by_user(1)
    assert first(seed, *one) != first(seed, *two)


def test_within_only_lengthens_the_label():
    seed = Seed.chosen_by_user(3)
    assert first(seed.within("a").within("b", 2), "c") == first(seed, "a", "b", 2, "c")


def test_a_derived_seed_is_the_same_again_and_another_for_every_label():
    root = Seed.chosen_by_user(3)
    keys = [root.derive(*label).key for label in (("a", 0), ("a", 1), ("b", 0), ("a",), ())]
    assert keys[0] == Seed.chosen_by_user(3).derive("a", 0).key
    assert len({root.key, *keys}) == 6
    assert all(len(key) == 32 for key in keys)
    assert Seed.chosen_by_user(4).derive("a", 0).key != keys[0]


def test_a_derived_seed_gives_no_stream_of_its_root():
    root = Seed.chosen_by_user(3)
    derived = root.derive("a")
    assert derived.key != root._key_of("a")
    assert first(derived, "a") != first(root, "a")
    assert first(derived) != first(root, "a")
    assert first(derived, "b") != first(root, "a", "b")


def test_a_derived_seed_is_chosen_if_its_root_was():
    assert Seed.chosen_by_user(3).derive("a").chosen
    assert not Seed.fresh().derive("a").chosen
    assert repr(Seed.chosen_by_user(3).derive("a")) == "<Seed, chosen by the user>"


def test_a_label_with_half_a_surrogate_pair_is_a_label_too():
    assert first(Seed.chosen_by_user(3), "\ud800") != first(Seed.chosen_by_user(3), "\ud801")


def test_streams_do_not_depend_on_the_order_of_work():
    seed = Seed.chosen_by_user(3)
    a = seed.stream("a")
    b_after = (a.random(10), seed.stream("b").random(10))[1]
    assert np.array_equal(b_after, seed.stream("b").random(10))


@pytest.mark.parametrize(
    "n", [0, 1, ROWS_PER_STREAM - 1, ROWS_PER_STREAM, ROWS_PER_STREAM + 1, 2 * ROWS_PER_STREAM + 7]
)
def test_words_of_a_row_do_not_depend_on_how_many_rows_follow(n):
    streams = Seed.chosen_by_user(5).within("x")
    longest = streams.random_bits(3 * ROWS_PER_STREAM, "age")
    assert np.array_equal(streams.random_bits(n, "age"), longest[:n])


def test_blocks_have_streams_of_their_own():
    words = Seed.chosen_by_user(5).within("x").random_bits(2 * ROWS_PER_STREAM, "age")
    assert not (words[:ROWS_PER_STREAM] == words[ROWS_PER_STREAM:]).any()


def test_the_size_of_a_block_is_part_of_every_result():
    assert ROWS_PER_STREAM == 65_536
    words = Seed.chosen_by_user(1).within("rwn").random_bits(ROWS_PER_STREAM + 1, "age")
    expected = Seed.chosen_by_user(1).stream("rwn", "age", 1).bit_generator.random_raw()
    assert words[ROWS_PER_STREAM] == expected >> 1


def test_golden_words_stay_the_same_for_ever():
    words = Seed.chosen_by_user(1).within("rwn").random_bits(2, "age")
    assert words.tolist() == [417_865_889_940_578_960, 8_923_920_421_568_168_211]


def test_words_are_uniform_over_63_bits():
    """Kolmogorov-Smirnov and, for each bit, a binomial test: false alarm in 1e-4 of all seeds."""
    words = Seed.chosen_by_user(11).within("x").random_bits(100_000, "a")
    assert words.dtype == np.int64
    assert words.min() >= 0
    assert stats.kstest(words * 2.0**-63, "uniform").pvalue > 5e-5
    ones = [int(((words >> bit) & 1).sum()) for bit in range(63)]
    assert max(abs(count - 50_000) for count in ones) < 5.1 * np.sqrt(25_000)


def test_words_of_two_columns_are_uncorrelated():
    """False alarm in less than 1e-4 of all seeds (3.9 sigma)."""
    streams = Seed.chosen_by_user(12).within("x")
    a, b = (streams.random_bits(100_000, name) * 2.0**-63 for name in "ab")
    assert abs(np.corrcoef(a, b)[0, 1]) < 3.9 / np.sqrt(100_000)


@pytest.mark.parametrize("number", [0, 1, (1 << 256) - 1, np.int64(5), np.uint8(5)])
def test_whole_numbers_of_256_bits_are_seeds(number):
    seed = Seed.chosen_by_user(number)
    assert seed.chosen
    assert int.from_bytes(seed.key, "little") == number


@pytest.mark.parametrize("number", [-1, 1 << 256, 1.5, "918273", None, True, np.float64(3)])
def test_anything_else_is_refused_without_being_shown(number):
    with pytest.raises(ParameterError) as caught:
        Seed.chosen_by_user(number)
    assert str(caught.value) == "`seed` must be a whole number from 0 to 2**256 - 1."


def test_repr_hides_the_key():
    seed = Seed.chosen_by_user(918_273_645)
    streams = seed.within("rwn", "age")
    for text in (repr(seed), str(seed), f"{seed}", repr(streams), str(streams)):
        assert "918273645" not in text
        assert repr(seed.key)[2:10] not in text
        assert seed.key.hex()[:8] not in text
    assert repr(seed) == "<Seed, chosen by the user>"
    assert repr(Seed.fresh()) == "<Seed, from the operating system>"
