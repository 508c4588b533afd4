"""An audit record belongs to one release, in whatever order its rows are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import swapmeet as sm
from swapmeet.engines.local.pair import TableRows
from swapmeet.errors import TableError
from swapmeet.release.record_check import REORDERED, UNCHECKED, check_record, count_common
from swapmeet.tables.frame import Table, reorder

N = 200


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(2)
    return pd.DataFrame({
        "age": rng.integers(18, 90, N), "wage": rng.lognormal(10, 1, N).round(2),
        "sex": rng.choice(["f", "m"], N), "town": rng.choice(["Ulm", "Wien", "Bern"], N),
    })  # fmt: skip


@pytest.fixture(scope="module")
def release(people, masked):
    return masked(people, sm.RWN(k=5), seed=1)


def check(release, frame, **changes):
    return check_record(replace(release.audit, **changes), TableRows(Table(frame)))


def test_the_release_as_published_is_taken_as_it_is(release):
    audit, notes = check(release, release.shuffled())
    assert np.array_equal(audit.owner, release.audit.owner)
    assert notes == ()


def test_reordered_rows_are_found_by_their_content(release):
    order = np.random.default_rng(9).permutation(N)
    published = release.shuffled().iloc[order]
    audit, notes = check(release, published)
    assert sorted(audit.owner) == list(range(N))
    assert published.reset_index(drop=True).equals(reorder(release.data, audit.owner))
    assert notes == (REORDERED,)


def test_rows_in_the_order_of_the_original_are_found_too(release):
    audit = check(release, release.data).audit
    assert release.data.equals(reorder(release.data, audit.owner))
    assert (audit.owner == np.arange(N)).mean() > 0.9


def test_rows_that_are_alike_may_take_each_others_place(masked):
    few = pd.DataFrame({"sex": ["f", "m"] * 50, "age": [30, 30, 40, 40] * 25})
    release = masked(few, sm.RWN(k=40), seed=1)
    published = release.shuffled().sort_values(["sex", "age"])
    audit, notes = check(release, published)
    assert notes == (REORDERED,)
    assert sorted(audit.owner) == list(range(100))
    assert (published.to_numpy() == release.data.to_numpy()[audit.owner]).all()


def test_rows_that_differ_less_than_files_keep_cannot_be_told_apart(masked):
    wage = np.repeat([10.1, np.nextafter(10.1, 11.0), 99.5], 20)
    release = masked(pd.DataFrame({"wage": wage}), sm.RankSwap(window=0.5), seed=1)
    check(release, release.shuffled())
    with pytest.raises(TableError, match="too similar to tell whose they are"):
        check(release, release.shuffled().sort_values("wage"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.assign(age=d["age"].where(d.index != 3, 1)),
         "199 of 200 released rows are among the 200 rows of the record. Other values than those"),
        (lambda d: d.assign(age=1), "Other values than those of the record: age."),
        (lambda d: d.iloc[:-2], "198 of 198 released rows are among the 200 rows of the record."),
        (lambda d: pd.concat([d, d[:3]]), "200 of 203 released rows are among the 200 rows"),
        (lambda d: d.assign(wage=d["wage"].to_numpy()[::-1]),
         "Every column holds the values of the record, but not in the same rows."),
        (lambda d: d + d, "0 of 200 released rows are among the 200 rows of the record. Give the"),
        (lambda d: d.drop(columns="sex"), "it has no column 'sex'."),
    ],
)  # fmt: skip
def test_a_changed_release_is_refused_with_counts(release, change, message):
    with pytest.raises(TableError) as caught:
        check(release, change(release.shuffled()))
    assert message in str(caught.value)
    assert "belongs to another release, or this one was changed" in str(caught.value)


def test_the_record_of_another_run_is_refused(release, people, masked):
    other = masked(people, sm.RWN(k=5), seed=2)
    with pytest.raises(TableError, match="belongs to another release"):
        check(other, release.shuffled())


def test_columns_that_were_added_do_no_harm(release):
    assert check(release, release.shuffled().assign(number=range(N))).notes == ()


def test_an_older_record_is_taken_with_a_note(release):
    assert check(release, release.shuffled()[::-1], fingerprint=None).notes == (UNCHECKED,)


@given(st.lists(st.integers(0, 5), max_size=12), st.lists(st.integers(0, 5), max_size=12))
def test_common_rows_are_counted_once_each(one, other):
    wanted = sum(min(one.count(x), other.count(x)) for x in set(one))
    assert count_common(np.array(one, np.uint64), np.array(other, np.uint64)) == wanted
