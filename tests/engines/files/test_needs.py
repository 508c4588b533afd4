from __future__ import annotations

import re

import pytest

from swapmeet.engines.files.needs import BASE, Needs, bytes_of
from swapmeet.errors import UsageError

NEEDS = Needs(rows=10**9, stored=60.0, worked=500.0, columns=10)


def test_memory_is_wanted_for_blocks_that_chance_makes_larger_than_planned():
    """The sd of the size of a block is the root of its size; seven of them, and a few rows."""
    enough = BASE + 500 * (40_000 + 7 * 200 + 16)
    NEEDS.require_memory(40_000, enough, audited=False)
    with pytest.raises(UsageError, match="a block of 40000 rows needs about"):
        NEEDS.require_memory(40_000, enough - 1, audited=False)


def test_a_block_is_never_larger_than_the_table():
    table = Needs(rows=1_000, stored=60.0, worked=500.0, columns=10)
    table.require_memory(10**6, BASE + 500 * 1_000, audited=False)


def test_guests_take_half_of_what_rows_take():
    enough = BASE + 500 * 2 * (40_000 + 7 * 200 + 16)
    NEEDS.require_memory(40_000, enough, audited=False, guests=2.0)
    with pytest.raises(UsageError, match="guests"):
        NEEDS.require_memory(40_000, enough - 1, audited=False, guests=2.0)


@pytest.mark.parametrize("guests", [0.0, 1.5])
@pytest.mark.parametrize("rows_that_fit", [25, 60, 1_000, 20_000, 3_000_000])
def test_the_block_rows_that_a_refusal_proposes_fit(rows_that_fit, guests):
    """A tenth more than the most that fits would not; the proposal is rounded to two digits."""
    limit = BASE + int(500.0 * (1.0 + guests / 2.0) * rows_that_fit)
    with pytest.raises(UsageError) as refusal:
        NEEDS.require_memory(10**8, limit, audited=False, guests=guests)
    proposed = int(re.search(r"blocks of at most (\d+) rows", str(refusal.value))[1])
    assert proposed >= 1
    NEEDS.require_memory(proposed, limit, audited=False, guests=guests)
    with pytest.raises(UsageError):
        NEEDS.require_memory(proposed + proposed // 9 + 2, limit, audited=False, guests=guests)


def no_guests(rows):
    return 0.0


def test_block_rows_that_fit_are_taken_as_they_are():
    assert NEEDS.choose_block_rows(10**6, 4 * 10**9, audited=False, guests=no_guests) == 10**6


@pytest.mark.parametrize("columns", [10, 800, 5_000])
def test_block_rows_are_chosen_such_that_the_plan_fits_and_little_is_wasted(columns):
    needs = Needs(rows=200_000, stored=8 * columns, worked=82.0 * columns, columns=columns)
    limit = 2 * 10**9
    chosen = needs.choose_block_rows(10**6, limit, audited=False, guests=no_guests)
    needs.require_memory(chosen, limit, audited=False)
    if chosen < 10**6:
        with pytest.raises(UsageError):
            needs.require_memory(chosen + chosen // 8 + 2, limit, audited=False)


def test_guests_that_come_to_smaller_blocks_are_reckoned_with():
    def guests(rows):
        return 2.0 if rows < NEEDS.rows else 0.0

    chosen = NEEDS.choose_block_rows(10**8, 2 * 10**9, audited=False, guests=guests)
    NEEDS.require_memory(chosen, 2 * 10**9, audited=False, guests=2.0)


def test_where_the_least_block_does_not_fit_the_memory_that_would_do_is_named():
    wide = Needs(rows=200_000, stored=8e4, worked=8.2e5, columns=10_000)
    with pytest.raises(UsageError, match=r"even blocks of 1000 rows need about 1\.5 GB") as refusal:
        wide.choose_block_rows(10**6, 10**9, audited=False, guests=no_guests)
    needed = bytes_of(re.search(r"Give at least (.*?),", str(refusal.value))[1])
    assert wide.choose_block_rows(10**6, needed, audited=False, guests=no_guests) >= 1_000


def test_a_record_that_is_too_large_names_the_memory_that_would_do():
    with pytest.raises(UsageError, match="the audit record of 1,000,000,000 rows") as refusal:
        NEEDS.choose_block_rows(10**6, 10**9, audited=True, guests=no_guests)
    needed = bytes_of(re.search(r"Raise --memory to (.*?),", str(refusal.value))[1])
    assert NEEDS.choose_block_rows(10**6, needed, audited=True, guests=no_guests) == 10**6
