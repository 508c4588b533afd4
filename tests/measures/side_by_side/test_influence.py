from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from swapmeet.measures.side_by_side.models import compare_influence
from swapmeet.tables.formulas import Formula

RNG = np.random.default_rng(5)
PEOPLE = pd.DataFrame({"age": RNG.normal(40, 9, 300)})
PEOPLE["wage"] = 3.0 * PEOPLE["age"] + RNG.normal(0, 5, 300)
PEOPLE.loc[7, ["age", "wage"]] = [95.0, 2.0]
MODEL = Formula.parse("wage ~ age")


def cook(frame):
    import statsmodels.formula.api as smf

    return smf.ols("wage ~ age", frame).fit().get_influence().cooks_distance[0]


def test_counts_and_largest_are_those_of_statsmodels(compared):
    released = PEOPLE.assign(wage=np.roll(PEOPLE["wage"], 3))
    found = compare_influence(compared(PEOPLE, released), MODEL)
    for counts, largest, frame in (
        (found.original, found.largest_original, PEOPLE),
        (found.released, found.largest_released, released),
    ):
        distances = cook(frame)
        assert largest == pytest.approx(distances.max())
        assert list(counts) == np.histogram(distances, [-1.0, *found.edges, np.inf])[0].tolist()
        assert all(n == 0 or n >= found.least for n in counts)
    assert len(found.edges) >= 4
    assert found.formula == "wage ~ age"


def test_rows_outside_the_model_are_not_counted(compared):
    holed = PEOPLE.assign(age=PEOPLE["age"].where(np.arange(300) > 20))
    found = compare_influence(compared(PEOPLE, holed), MODEL)
    assert (sum(found.original), sum(found.released)) == (300, 279)


def test_a_model_of_few_rows_shows_no_counts(compared):
    few = PEOPLE.iloc[:8]
    found = compare_influence(compared(few, few), MODEL)
    assert (found.edges, found.original, found.released) == ((), (), ())


def test_a_perfect_fit_is_one_bin(compared):
    exact = pd.DataFrame({"age": np.arange(50.0), "wage": np.zeros(50)})
    found = compare_influence(compared(exact, exact), MODEL)
    assert (found.edges, found.original, found.largest_original) == ((), (50,), 0.0)
