from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.comparison.score import Direction, Family, Score, Undefined
from swapmeet.measures.overall import UNMEASURED, Toll, describe_losses, overall


def card(**values):
    names = {name.replace("_", "-"): value for name, value in values.items()}
    return {
        name: Score(name, value, "So.", Direction.LOWER, (0.0, 1.0), Family.RISK,
                    undefined="" if value == value else "unknown")
        for name, value in names.items()
    }  # fmt: skip


LOSS = {"propensity": 0.3, "pil": 0.2, "cbil": 0.1}


def test_equation_4_is_the_mean_of_mean_risk_and_mean_loss():
    found = overall(card(dbrl=0.6, rid=0.3, sdid=0.0, **LOSS))
    assert (found.risk, found.loss) == pytest.approx((0.3, 0.2))
    assert found.score == pytest.approx((0.6 + 0.3 + 0.0 + 0.3 + 0.2 + 0.1) / 6)
    assert found.basis == "by the true owners"


def test_sorted_risk_counts_only_where_the_owners_are_unknown():
    both = {"dbrl": np.nan, "rid": 0.3, "sdid": 0.0, "dbrl_sorted": 0.1, "rid_sorted": 0.1,
            "sdid_sorted": 0.1}  # fmt: skip
    found = overall(card(**both, **LOSS))
    assert found.risk == pytest.approx(0.1)
    assert "may flatter" in found.sentence


def test_what_is_not_defined_is_named():
    with pytest.raises(Undefined, match="pil is not defined"):
        overall(card(dbrl=0.6, rid=0.3, sdid=0.0, propensity=0.3, cbil=0.1))


MEASURES = ("margins", "relations", "screened-propensity", "ties")
STREAM = np.random.default_rng(4)
ROWS = 600
AGE = STREAM.integers(18, 90, ROWS)
PEOPLE = pd.DataFrame({
    "age": AGE,
    "wage": AGE * 100.0 + STREAM.normal(0.0, 500.0, ROWS),
    "place": STREAM.choice(["town", "village", "city"], ROWS),
})  # fmt: skip


def losses(released, measures=MEASURES):
    return sm.assess(PEOPLE, released, match="rows", measures=measures).losses


def test_an_unchanged_release_loses_nothing():
    found = losses(PEOPLE)
    assert found.toll is Toll.LITTLE
    assert found.clauses == ()
    assert found.sentence.startswith("Little loss: no distribution and no relation")


def test_a_correlation_that_is_reversed_is_told_with_its_sign():
    order = np.argsort(PEOPLE.age.to_numpy())
    wage = PEOPLE.wage.to_numpy().copy()
    wage[order] = np.sort(wage)[::-1]
    found = losses(PEOPLE.assign(wage=wage))
    before = np.corrcoef(PEOPLE.age, PEOPLE.wage)[0, 1]
    after = np.corrcoef(PEOPLE.age, wage)[0, 1]
    assert found.toll is Toll.COSTLY
    assert found.clauses[0] == (
        f"the correlation of age and wage changed from {before:.2f} to {after:.2f}"
    )
    assert after < -0.9


def test_categories_that_moved_are_counted():
    place = PEOPLE.place.where(np.arange(ROWS) >= 240, "city")
    share = (place == "city").mean() - (PEOPLE.place == "city").mean()
    found = losses(PEOPLE.assign(place=place))
    assert f"{100 * share:.0f} % of place moved to another class" in found.clauses


def test_numbers_that_lie_closer_together_are_told():
    mean = PEOPLE.wage.mean()
    found = losses(PEOPLE.assign(wage=mean + (PEOPLE.wage - mean) * 0.6))
    assert "the standard deviation of wage is 40 % smaller" in found.clauses


def test_values_that_are_missing_now_are_told():
    age = PEOPLE.age.astype("float").where(np.arange(ROWS) >= 150)
    found = losses(PEOPLE.assign(age=age))
    assert "25 % of the values of age are missing now" in found.clauses


def test_missing_values_that_moved_to_other_rows_are_no_loss():
    age = PEOPLE.age.astype("float")
    people = PEOPLE.assign(age=age.where(np.arange(ROWS) >= 150))
    released = PEOPLE.assign(age=age.where(np.arange(ROWS) < ROWS - 150))
    card = sm.assess(people, released, match="rows", measures=MEASURES)
    assert not any("missing" in clause for clause in card.losses.clauses)


def test_what_no_longer_belongs_together_is_told():
    people = PEOPLE.assign(total=PEOPLE.age + PEOPLE.wage.round())
    people["wage"] = people.wage.round()
    released = people.assign(total=STREAM.permutation(people.total))
    card = sm.assess(people, released, match="rows", measures=MEASURES)
    assert any("holds in" in clause and "before)" in clause for clause in card.losses.clauses)


def test_the_worst_comes_first_and_there_are_three_at_most():
    mean = PEOPLE.wage.mean()
    released = PEOPLE.assign(
        wage=STREAM.permutation(mean + (PEOPLE.wage - mean) * 0.7),
        place=PEOPLE.place.where(np.arange(ROWS) >= 100, "city"),
        age=PEOPLE.age.astype("float").where(np.arange(ROWS) >= 30),
    )
    found = losses(released)
    assert len(found.clauses) == 3
    assert "correlation" in found.clauses[0] or "association" in found.clauses[0]


def test_without_measures_nothing_is_said_about_the_loss():
    found = describe_losses({}, None)
    assert (found.toll, found.sentence) == (Toll.UNKNOWN, UNMEASURED)


@pytest.mark.parametrize("form", [str, lambda card: card._repr_html_()])
def test_a_card_says_both_sides(form):
    card = sm.assess(PEOPLE, PEOPLE.sample(frac=1.0, random_state=1), match="rows")
    shown = " ".join(form(card).split())
    assert card.losses.toll in shown
    assert card.to_dict()["losses"]["sentence"] == card.losses.sentence
