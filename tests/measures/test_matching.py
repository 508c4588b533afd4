"""What is said of the order of rows is believed only if the tables bear it out."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.errors import TableError
from swapmeet.measures.matching import UNCHECKED, UNRELATED, find_agreeing
from swapmeet.tables.microdata import Variable
from swapmeet.tables.schema import Kind

N = 400


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(4)
    return pd.DataFrame({
        "age": rng.integers(18, 90, N), "wage": rng.lognormal(10, 1, N),
        "sex": rng.choice(["f", "m"], N), "town": rng.choice(["Ulm", "Wien", "Bern"], N),
        "weight": rng.random(N),
    })  # fmt: skip


@pytest.fixture(scope="module")
def assess(people):
    def assessed(released, schema=None, original=people, **options):
        schema = schema or sm.Schema.infer(people)
        return sm.assess(original, released, schema=schema, measures=["pscr"], **options)

    return assessed


def mix(frame, seed=3):
    return frame.sample(frac=1, random_state=seed).reset_index(drop=True)


@pytest.mark.parametrize("role", ["keep", "strata"])
@pytest.mark.parametrize("name", ["weight", "town"])
def test_kept_columns_contradict_rows_that_were_mixed(people, assess, role, name):
    schema = sm.Schema.infer(people).assign(**{role: [name]})
    with pytest.raises(TableError) as caught:
        assess(mix(people), schema, match="rows")
    assert f"rows are not in the same order: {name!r} was kept, and differs in" in str(caught.value)
    assert assess(people, schema, match="rows").notes[0].startswith(f"{name}: published unmasked")


def test_a_few_rows_that_moved_are_enough(people, assess):
    rows = np.arange(N)
    rows[[3, 9]] = 9, 3
    schema = sm.Schema.infer(people).assign(keep=["weight"])
    with pytest.raises(TableError, match="differs in 2 of 400 rows"):
        assess(people.take(rows), schema, match="rows")


def test_kept_numbers_may_come_back_in_another_type(people, assess):
    schema = sm.Schema.infer(people).assign(keep=["weight", "sex", "age"])
    again = people.assign(
        weight=people["weight"].astype("float32"), age=people["age"].astype(float),
        sex=people["sex"].astype("category"),
    )  # fmt: skip
    assess(again, schema, match="rows")
    flags = people.assign(sex=people["sex"] == "f")
    schema = sm.Schema.infer(flags).assign(keep=["sex"], nominal=["sex"])
    assess(flags.assign(sex=flags["sex"].astype(int)), schema, original=flags, match="rows")


def test_kept_levels_may_come_back_under_other_names(people, assess):
    """SPSS trims blanks; a few levels that always meet the same other are no contradiction."""
    schema = sm.Schema.infer(people).assign(keep=["town", "weight"])
    again = people.assign(town=people["town"].str.cat([" "] * N))
    assess(again, schema, match="rows")
    with pytest.raises(TableError, match="rows are not in the same order"):
        assess(again.assign(town=mix(again)["town"]), schema, match="rows")


def test_without_a_kept_column_the_claim_is_noted(people, assess, masked):
    released = masked(people, sm.RWN(k=5), seed=1).data
    assert assess(released, match="rows").notes == (UNCHECKED,)
    constant, schema = people.assign(weight=1.0), sm.Schema.infer(people).assign(keep=["weight"])
    assert UNCHECKED in assess(constant, schema, original=constant, match="rows").notes


def test_rows_with_nothing_in_common_are_noted_not_refused(people, assess, masked):
    assert assess(mix(people), match="rows").notes == (UNCHECKED, UNRELATED)
    synthetic = pd.DataFrame({name: mix(people[[name]], i)[name]
                              for i, name in enumerate(people)})  # fmt: skip
    assert UNRELATED in assess(synthetic, match="rows").notes


@pytest.mark.parametrize(
    "method", [sm.RWN(k=10), sm.RankSwap(window=0.2), sm.Noise(level=0.5), sm.SJPPDS(bins=4)]
)
def test_masked_rows_in_order_raise_no_suspicion(people, assess, masked, method):
    numbers = people[["age", "wage", "weight"]]
    released = masked(numbers, method, seed=1).data
    card = assess(released, sm.Schema.infer(numbers), original=numbers, match="rows")
    assert card.notes == (UNCHECKED,)


def test_two_files_in_the_order_of_a_column_raise_suspicion_all_the_same(people, assess):
    one, other = (mix(people, seed).sort_values("town", ignore_index=True) for seed in (1, 2))
    assert (one["town"] == other["town"]).all()
    assert UNRELATED in assess(other, original=one, match="rows").notes


@pytest.mark.slow
def test_chance_rarely_passes_for_order(people, assess):
    """5 columns at 3 standard deviations: at most 0.7 % of mixed tables; 3 of 60 have p < 0.01."""
    silent = sum(
        UNRELATED not in assess(mix(people, seed), match="rows").notes for seed in range(60)
    )
    assert silent <= 3


@pytest.mark.parametrize("method", [sm.RWN(k=5), sm.MEDS(columns=["age", "wage"], k=5)])
def test_an_original_in_another_order_is_refused_by_the_record(people, assess, masked, method):
    release = masked(people, method, seed=1)
    options = {"audit": release.audit, "schema": release.schema}
    assess(release.shuffled(), **options)
    for released in (release.shuffled(), release.data):
        with pytest.raises(TableError, match="original, release and audit record do not belong"):
            assess(released, original=mix(people), **options)
    with pytest.raises(TableError, match="of 5 columns do not hold what the record says"):
        assess(release, original=mix(people))


def test_an_original_with_a_recoded_column_is_taken(people, assess, masked):
    release = masked(people, sm.RWN(k=5), seed=1)
    assess(release, original=people.assign(age=people["age"] + 1))


def test_an_older_record_is_still_held_against_the_donors(people, assess, masked):
    from dataclasses import replace

    release = masked(people, sm.RWN(k=5), seed=1)
    older = replace(release.audit, fingerprint=None)
    card = assess(release.shuffled(), audit=older, schema=release.schema)
    assert "no fingerprint" in card.notes[0]
    with pytest.raises(TableError, match="do not belong together"):
        assess(mix(release.data), audit=older, schema=release.schema)


def test_numbers_whose_difference_no_double_holds_do_not_agree():
    one = Variable("x", Kind.NUMERIC, np.array([1.7e308, 1.0, np.nan]))
    other = Variable("x", Kind.NUMERIC, np.array([-1.7e308, 1.0, np.nan]))
    assert find_agreeing(one, other).tolist() == [False, True, True]
