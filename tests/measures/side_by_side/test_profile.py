from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.errors import UsageError
from swapmeet.measures.side_by_side.profile import make_profile
from swapmeet.tables.formulas import Formula

RNG = np.random.default_rng(9)
N = 400
PEOPLE = pd.DataFrame(
    {
        "age": RNG.normal(40, 10, N),
        "wage": RNG.lognormal(10, 1, N),
        "job": RNG.choice(["Archivist", "Baker"], N),
        "region": RNG.choice(["North", "South"], N),
    }
)
PEOPLE.loc[0, ["age", "wage", "job"]] = [99.87654321, 87654321.25, "Zookeeper"]
SCHEMA = sm.Schema.infer(PEOPLE).assign(keep=["region"])


@pytest.fixture(scope="module")
def found(compared):
    released = PEOPLE.assign(age=np.roll(PEOPLE["age"], 1))
    return make_profile(
        compared(PEOPLE, released, SCHEMA),
        formulas=[Formula.parse("wage ~ age")],
        selectivities=[("job", "age")],
    )


def test_a_profile_has_all_that_pictures_show(found):
    assert found.correlations.columns == found.components.columns == ("age", "wage")
    assert [d.column for d in found.distributions] == ["age", "wage", "job"]
    assert [i.formula for i in found.influences] == ["wage ~ age"]
    assert [(s.target, s.column) for s in found.selectivities] == [("job", "age")]


def test_a_profile_becomes_json_without_values_of_cells(found):
    told = json.dumps(found.to_dict(), allow_nan=False)
    assert set(json.loads(told)) == set(vars(found))
    for secret in ("Archivist", "Zookeeper", "North", "99.8", "876543", "87,654"):
        assert secret not in told


def test_without_numbers_there_are_no_correlations(compared):
    names = PEOPLE[["job"]]
    found = make_profile(compared(names, names))
    assert found.correlations is found.components is None
    assert found.to_dict()["correlations"] is None


def test_what_is_no_pair_of_columns_is_refused(compared):
    for strange in ("job", ("job", "age", "wage")):
        with pytest.raises(UsageError, match="give pairs of columns"):
            make_profile(compared(PEOPLE, PEOPLE), selectivities=[strange])


def test_the_public_sees_few_digits_and_nothing_of_single_records(found):
    coarse = found.coarse()
    assert coarse.influences == coarse.selectivities == ()
    for matrix in (coarse.correlations.original, coarse.correlations.released):
        assert all(value == round(value, 2) for row in matrix for value in row)
    assert all(share == round(share, 2) for share in coarse.components.original_shares)
    for one, other in zip(found.distributions, coarse.distributions, strict=True):
        assert all(count % 10 == 0 for count in (*other.original, *other.released))
        assert np.abs(np.subtract(one.original, other.original)).max() <= 5
    assert coarse.correlations != found.correlations
