from __future__ import annotations

import json
from dataclasses import replace
from functools import reduce
from operator import add

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import swapmeet as sm
from swapmeet.comparison.comparison import Comparison, Ownership
from swapmeet.measures.side_by_side.facts import ColumnFacts, Extent, gather_facts

RNG = np.random.default_rng(15)
N = 400
PEOPLE = pd.DataFrame({"age": RNG.integers(18, 90, N), "sex": RNG.choice(["f", "m"], N)})
PEOPLE["wage"] = 100.0 * PEOPLE["age"] + RNG.normal(0, 900, N)


def facts_of(found):
    return {column.name: column for column in found.columns}


def test_an_unchanged_release_is_exact(compared):
    found = gather_facts(compared(PEOPLE, PEOPLE))
    assert {c.extent for c in found.columns} == {Extent.EXACT}
    assert found.same_rows == 1.0
    assert {c.spread for c in found.columns} == {1.0, None}
    assert found.correlations.size_before == found.correlations.size_after


def test_shares_are_those_of_the_rows_that_differ(compared):
    released = PEOPLE.assign(sex=PEOPLE["sex"].where(PEOPLE.index >= 3, "x"))
    released.loc[: N // 4 - 1, "wage"] *= 1.5
    found = gather_facts(compared(PEOPLE, released))
    facts = facts_of(found)
    assert [facts[n].changed for n in PEOPLE] == [0.0, 3 / N, 0.25]
    assert [facts[n].extent for n in PEOPLE] == [Extent.EXACT, Extent.HARDLY, Extent.PARTLY]
    assert found.same_rows == 0.75


def test_a_difference_that_nobody_notices_is_none_that_is_clear(compared):
    found = gather_facts(compared(PEOPLE, PEOPLE.assign(wage=PEOPLE["wage"] + 1e-6)))
    wage = facts_of(found)["wage"]
    assert wage.changed == 1.0
    assert wage.clearly_changed == 0.0
    assert wage.extent is Extent.HARDLY
    assert found.same_rows == 1.0


def test_an_outlier_does_not_hide_the_changes_of_others(compared):
    rich = PEOPLE.assign(wage=PEOPLE["wage"].where(PEOPLE.index > 0, 1e12))
    found = gather_facts(compared(rich, rich.assign(wage=rich["wage"] * 1.3)))
    assert facts_of(found)["wage"].extent is Extent.MOSTLY


def test_spread_is_the_ratio_of_standard_deviations(compared):
    smaller = PEOPLE.assign(
        wage=PEOPLE["wage"].mean() + 0.5 * (PEOPLE["wage"] - PEOPLE["wage"].mean())
    )
    facts = facts_of(gather_facts(compared(PEOPLE, smaller)))
    assert facts["wage"].spread == pytest.approx(0.5)
    assert facts["age"].spread == 1.0
    assert facts["sex"].spread is None


def test_constant_and_infinite_columns_have_no_spread(compared):
    odd = PEOPLE.assign(age=5.0, wage=PEOPLE["wage"].where(PEOPLE.index > 0, np.inf))
    found = gather_facts(compared(odd, odd))
    assert {c.spread for c in found.columns} == {None}
    assert found.correlations is None
    assert {c.extent for c in found.columns} == {Extent.EXACT}
    json.dumps(found.to_dict(), allow_nan=False)


def test_missing_and_suppressed_values_are_counted(compared):
    holed = PEOPLE.assign(age=PEOPLE["age"].where(PEOPLE.index >= 40))
    released = holed.assign(age=holed["age"].where(PEOPLE.index >= 100))
    age = facts_of(gather_facts(compared(holed, released)))["age"]
    assert (age.missing_before, age.missing_after) == (0.1, 0.25)
    assert age.suppressed == age.changed == 0.15


def test_the_largest_change_of_a_correlation_has_its_pair_and_both_values(compared):
    shuffled = PEOPLE.assign(wage=RNG.permutation(PEOPLE["wage"]))
    found = gather_facts(compared(PEOPLE, shuffled)).correlations
    assert found.pair == ("age", "wage")
    assert found.before == pytest.approx(PEOPLE["age"].corr(PEOPLE["wage"]))
    assert found.after == pytest.approx(shuffled["age"].corr(shuffled["wage"]))
    assert found.size_after < 0.2 < found.size_before


@pytest.mark.parametrize("ownership", [Ownership.UNKNOWN, Ownership.NOBODY])
def test_without_owners_nothing_is_said_of_who_changed(compared, ownership):
    unknown = replace(compared(PEOPLE, PEOPLE), ownership=ownership)
    for found in (gather_facts(unknown), gather_facts(compared(PEOPLE, PEOPLE), doubtful=True)):
        assert {c.extent for c in found.columns} == {Extent.UNKNOWN}
        assert {c.changed for c in found.columns} == {c.suppressed for c in found.columns} == {None}
        assert found.same_rows is None
        assert facts_of(found)["wage"].spread == 1.0


class InPieces(Comparison):
    def gather(self, look, names=None):
        return reduce(add, (look(self.pick_rows(rows)) for rows in np.array_split(np.arange(N), 7)))


def test_pieces_add_up_to_the_whole(compared):
    released = sm.mask(PEOPLE, sm.RWN(k=10, q=0.4, weights={"sex": 0}), seed=1).data
    whole = compared(PEOPLE, released)
    pieces = InPieces(whole.original, whole.released, whole.masked, whole.known)
    one, other = gather_facts(pieces), gather_facts(whole)
    assert (one.columns, one.same_rows) == (other.columns, other.same_rows)
    assert one.correlations.size_after == pytest.approx(other.correlations.size_after)


def test_a_release_and_its_file_with_an_audit_record_have_the_same_facts():
    release = sm.mask(PEOPLE, sm.RWN(k=10, q=0.4, weights={"sex": 0}), seed=1)
    one = sm.assess(PEOPLE, release, measures=["margins"])
    other = sm.assess(PEOPLE, release.shuffled(), audit=release.audit, measures=["margins"])
    assert one.facts == other.facts
    told = json.loads(json.dumps(one.to_dict(), allow_nan=False))["facts"]
    assert [c["name"] for c in told["columns"]] == list(PEOPLE)


def test_rows_in_an_order_that_is_not_borne_out_have_no_owners():
    card = sm.assess(
        PEOPLE, PEOPLE.sample(frac=1, random_state=3).reset_index(drop=True), match="rows",
        measures=["margins"],
    )  # fmt: skip
    assert card.doubt
    assert card.facts.same_rows is None


@given(st.floats(0.0, 1.0), st.floats(0.0, 1.0))
def test_every_share_has_one_extent(changed, clearly):
    column = ColumnFacts(
        name="a", kind="numeric", masked=True, changed=max(changed, clearly),
        clearly_changed=clearly,
    )  # fmt: skip
    assert (column.extent is Extent.EXACT) == (max(changed, clearly) == 0.0)
    assert (column.extent is Extent.MOSTLY) == (clearly >= 0.5)


def test_suppressed_values_do_not_hide_that_the_others_stayed():
    column = ColumnFacts(
        name="age", kind="numeric", masked=True, changed=0.5, clearly_changed=0.5, suppressed=0.5
    )
    assert column.extent is Extent.HARDLY
