from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.comparison.comparison import Comparison
from swapmeet.comparison.knowledge import Knowledge
from swapmeet.errors import SwapmeetWarning
from swapmeet.intruders.guesses import guess_result as module
from swapmeet.intruders.guesses.secrets import find_tolerance
from swapmeet.measures.risk.inference import Inference
from swapmeet.release.provenance import Provenance
from swapmeet.tables.frame import Table
from swapmeet.tables.microdata import Microdata, Variable
from swapmeet.tables.schema import Kind

N = 600


def make_households(n=N, seed=0):
    """Spending and saving go with income; age and region hardly do."""
    rng = np.random.default_rng(seed)
    income = np.exp(rng.normal(10, 0.6, n)).round(0)
    return pd.DataFrame({
        "age": rng.integers(18, 90, n).astype(float),
        "region": rng.choice(list("abcdefgh"), n),
        "expenditure": (income * rng.uniform(0.4, 0.9, n)).round(0),
        "income": income,
        "savings": (income * rng.uniform(0.0, 2.0, n)).round(0),
    })  # fmt: skip


SCHEMA = sm.Schema.infer(make_households()).assign(sensitive=["income", "savings"])


def score(original, release, *, schema=SCHEMA, **options):
    options = {"measures": [Inference()], "threads": 1, **options}
    return sm.assess(original, release, schema=schema, **options)["inference"]


def mask(table, method, *, schema=SCHEMA, seed=1):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SwapmeetWarning)
        return sm.mask(table, method, schema=schema, seed=seed)


def shuffle(table, seed):
    rng = np.random.default_rng(seed)
    return table.apply(lambda column: rng.permutation(column.to_numpy()))


@pytest.mark.slow
def test_columns_that_trade_together_are_read_by_who_knows_one_of_them():
    """MEDS moves expenditure, income and savings as one: who knows the first reads the others."""
    people = make_households()
    method = sm.MEDS(k=5, columns=("expenditure", "income", "savings"))
    release = mask(people, method)
    found = score(people, release, known=["expenditure"])
    assert found.details["share guessed"] > 0.98
    assert found.value == pytest.approx(
        found.details["share guessed"] - found.details["share guessed from strangers"]
    )
    assert found.details["share guessed from strangers"] < 0.35
    assert not found.keeps(0.1)
    assert "who knows expenditure guesses the" in found.finding


def test_knowing_what_did_not_move_does_not_help_the_curator():
    people = make_households()
    method = sm.MEDS(k=5, columns=("expenditure", "income", "savings"))
    release = mask(people, method)
    found = score(people, release, known=["age", "region", "expenditure"])
    assert found.details["share guessed"] > 0.98


def test_an_unchanged_release_tells_all_but_what_strangers_tell():
    people = make_households()
    found = score(people, people, match="rows")
    assert found.details["share guessed"] == 1.0
    assert found.value == pytest.approx(1.0 - found.details["share guessed from strangers"])
    assert found.value > 0.6


def test_whole_records_in_another_order_are_found_without_an_audit_record():
    people = make_households()
    moved = people.sample(frac=1.0, random_state=1).reset_index(drop=True)
    assert score(people, moved).value == pytest.approx(score(people, people).value, abs=0.02)


def test_a_method_that_publishes_whole_records_of_neighbours_does_not_pass():
    people = make_households()
    found = score(people, mask(people, sm.RWN(k=1, q=0.99)))
    assert found.value > 0.3


def test_relations_are_no_risk():
    """Income is a function of group, and every released value is a stranger's."""
    rng = np.random.default_rng(0)
    people = pd.DataFrame({"group": rng.choice(list("abcd"), N), "age": rng.normal(size=N)})
    people["income"] = people["group"].map({"a": "low", "b": "low", "c": "high", "d": "high"})
    schema = sm.Schema.infer(people).assign(sensitive=["income"])
    found = score(people, mask(people, sm.RWN(k=50), schema=schema, seed=1), schema=schema)
    assert found.details["share guessed"] > 0.9
    assert found.value < 0.05
    assert found.keeps(0.1)


def test_a_release_that_keeps_relations_but_moves_values_keeps_the_limit():
    people = make_households(1_500)
    release = mask(people, sm.RWN(k=50))
    assert score(people, release).keeps(0.1)


@pytest.mark.slow
def test_shuffled_columns_tell_nothing():
    """Of 20 tables, none gains more than 0.05: five standard errors of each."""
    for seed in range(20):
        people = make_households(400, seed)
        assert score(people, shuffle(people, seed), match="rows").value < 0.05


@pytest.mark.parametrize("seed", range(10))
def test_shuffled_by_a_known_hand_tells_nothing(seed):
    """The audit record is at hand, so that the person's own rows are left out: no false alarm."""
    people = make_households(400, seed)
    numbers = [name for name in people if name != "region"]
    people = people[numbers]
    schema = sm.Schema.infer(people).assign(sensitive=["income", "savings"])
    release = mask(people, sm.SJPPDS(bins=1), schema=schema, seed=seed)
    found = score(people, release, schema=schema)
    assert found.value < 0.05


@pytest.mark.slow
def test_no_false_alarm_in_200_shuffled_tables():
    """At most 2 of 200 miss a limit of 0.1, and the mean gain is below 0.01."""
    found = [
        score(make_households(500, seed), shuffle(make_households(500, seed), seed), match="rows")
        for seed in range(200)
    ]
    assert sum(not one.keeps(0.1) for one in found) <= 2
    assert np.mean([one.value for one in found]) < 0.01


@pytest.mark.slow
@pytest.mark.parametrize("match", ["rows", "unknown"])
def test_a_release_of_other_people_of_the_population_tells_nothing(match):
    gains = []
    for seed in range(10):
        people, others = make_households(400, seed), make_households(400, seed + 1_000)
        release = mask(others, sm.RWN(k=3), schema=SCHEMA, seed=seed).data
        gains.append(score(people, release, match=match).value)
    assert np.mean(gains) < 0.02
    assert max(gains) < 0.08


def test_more_knowledge_is_shown_beside_and_is_never_less_risk():
    people = make_households()
    release = mask(people, sm.RWN(k=3))
    found = score(people, release, known=["age"])
    beside = found.details["excess knowing every other column"]
    assert beside > found.value
    assert found.details["at most, knowing every other column"] >= beside


def test_hand_worked():
    """Four people in two towns; two swapped jobs inside a town. Who knows town and age reads rows.

    Ages did not move, so every age points to one row. Persons 0 and 1 have each other's job there,
    2 and 3 their own. Without 2's row, the row of 3 in the same town is nearest, with another job.
    """
    people = pd.DataFrame({
        "town": ["a", "a", "b", "b"], "age": [1.0, 2.0, 8.0, 9.0], "job": ["p", "q", "r", "s"]
    })  # fmt: skip
    release = people.assign(job=["q", "p", "r", "s"])
    schema = sm.Schema(
        (sm.Column("town", "nominal"), sm.Column("age", "numeric"), sm.Column("job", "nominal"))
    ).assign(sensitive=["job"])
    found = score(people, release, schema=schema, match="rows", known=["town", "age"])
    assert found.details["job: guessed"] == 0.5
    assert found.details["job: from strangers"] == 0.0
    assert found.details["blind guess"] == 0.25
    assert "The table is small (4 people)" in found.sentence
    assert not found.keeps(0.1)


def test_missing_values_are_not_guessed_and_guess_nothing():
    people = make_households()
    people.loc[::3, "income"] = np.nan
    people.loc[1::3, "age"] = np.nan
    found = score(people, people, match="rows")
    assert found.details["income: guessed"] == 1.0


def test_a_column_that_is_missing_for_all_is_no_secret():
    people = make_households(50).assign(savings=np.nan)
    found = score(people, people, match="rows")
    assert not any(name.startswith("savings") for name in found.details)


def test_nothing_known_is_undefined():
    people = make_households(50)[["income"]]
    found = score(people, people, schema=sm.Schema.infer(people), match="rows")
    assert found.undefined


def test_order_of_released_rows_does_not_matter():
    people = make_households(300)
    release = mask(people, sm.RWN(k=5)).data
    moved = release.sample(frac=1.0, random_state=3)
    values = [score(people, table).value for table in (release, moved)]
    assert values[0] == pytest.approx(values[1], abs=0.03)


def test_infinite_values_are_only_far_away():
    people = make_households(200)
    people.loc[0, "savings"] = np.inf
    assert score(people, people, match="rows").value > 0.5


def test_few_people_are_judged_where_columns_are_many(monkeypatch):
    monkeypatch.setattr(module, "EFFORT", 1)
    monkeypatch.setattr(module, "FEWEST_PEOPLE", 30)
    people = make_households(100)
    assert score(people, people, match="rows").details["people judged"] == 30
    assert score(people, people, match="rows", at_most=10).details["people judged"] == 10


def test_numbers_may_be_off_by_a_twentieth_of_their_spread():
    values = np.arange(100.0)
    column = Variable("x", Kind.NUMERIC, values)
    assert find_tolerance(column) == pytest.approx(0.05 * values.std())
    assert find_tolerance(replace(column, values=values % 20)) == 0.0
    assert find_tolerance(replace(column, values=np.zeros(100))) == 0.0


def test_no_value_of_a_cell_is_told():
    people = make_households(200).assign(region="Xanadu-17")
    people.loc[::2, "region"] = "Ruritania-4"
    schema = sm.Schema.infer(people).assign(sensitive=["region"])
    found = score(people, people, schema=schema, match="rows")
    assert "Xanadu" not in str(found.to_dict())
    assert "Ruritania" not in str(found.to_dict())


def test_the_level_of_knowledge_is_respected():
    assert Knowledge.EVERYTHING in Knowledge
    people = make_households()
    release = mask(people, sm.RWN(k=3))
    some = score(people, release, known=["age"])
    every = score(people, release, known=["age"], intruder="everything")
    assert every.value == pytest.approx(some.details["excess knowing every other column"])


def compare(people, release, control):
    """A comparison with people who were held out before masking."""
    numbers = [column for column in release.schema.columns if column.kind is Kind.NUMERIC]
    tables = [Table(table) for table in (people, release.data, control)]
    original, released = Microdata.of_both(*tables[:2], numbers)
    audit = release.audit
    names = original.names
    chosen = [audit.columns.index(name) for name in names]
    return Comparison(
        original, released, names, names, keys=names, control=Microdata.of_both(
            tables[2], tables[1], numbers
        )[0],
        provenance=Provenance(names, audit.donors[:, chosen], np.arange(len(people))),
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("method", [sm.RWN(k=10), sm.RWN(k=5, q=0.5), sm.Cart(min_leaf=5)], ids=str)
def test_leaving_own_rows_out_agrees_with_holding_people_out(method):
    """Of 700 people each the standard error of the difference is 0.03."""
    people = make_households(1_400).drop(columns="region")
    inside, outside = people[:700], people[700:].reset_index(drop=True)
    schema = sm.Schema.infer(people)
    comparison = compare(inside, mask(inside, method, schema=schema), outside)
    held_out = Inference().score(comparison)
    left_out = Inference().score(replace(comparison, control=None))
    assert left_out.value == pytest.approx(held_out.value, abs=0.1)


def test_strangers_of_the_control_are_no_better_known_where_nothing_is_to_be_found():
    people = make_households(1_400).drop(columns="region")
    inside, outside = people[:700], people[700:].reset_index(drop=True)
    schema = sm.Schema.infer(people)
    release = mask(inside, sm.SJPPDS(bins=1), schema=schema)
    assert Inference().score(compare(inside, release, outside)).value < 0.06


def test_in_a_sample_of_rows_those_are_judged_whose_values_are_there():
    """Trades lead out of the sample for half of the people, who would seem safe."""
    people = make_households(1_000).drop(columns="region")
    method = sm.MEDS(k=5, columns=("expenditure", "income", "savings"))
    schema = sm.Schema.infer(people).assign(sensitive=["income"])
    whole = compare(people, mask(people, method, schema=schema), people)
    whole = replace(whole, control=None, keys=("expenditure",))
    rows = np.sort(np.random.default_rng(1).choice(1_000, 500, replace=False))
    found = Inference().score(whole.sample(rows))
    assert found.details["people judged"] < 500
    assert found.details["share guessed"] > 0.98
