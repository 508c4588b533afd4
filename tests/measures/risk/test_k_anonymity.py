from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.measures.risk.k_anonymity import KAnonymity, Uniqueness, _Found, _Sizes
from swapmeet.measures.risk.small_cells import SmallCells


def score(measure, original, released, known, *, match="rows", sensitive=()):
    columns = tuple(
        sm.Column(name, "nominal", "sensitive" if name in sensitive else "key") for name in original
    )
    card = sm.assess(
        original, released, schema=sm.Schema(columns), match=match, known=known,
        measures=[measure],
    )  # fmt: skip
    return card[measure.name]


# by hand

PEOPLE = pd.DataFrame({"sex": list("ffffmmm"), "town": list("aaabbbb"), "ill": list("xxyzxxy")})


def test_groups_their_mean_size_and_diversity():
    """Groups fa (3 rows: x x y), fb (1: z), mb (3: x x y)."""
    found = score(KAnonymity(), PEOPLE, PEOPLE, ["sex", "town"], sensitive=["ill"])
    assert found.value == 1
    assert found.details["MKA"] == pytest.approx((9 + 1 + 9) / 7)
    assert found.details["unique"] == 1
    assert found.details["shared by fewer than 5"] == 7
    assert found.details["L of ill"] == 1
    assert found.details["theta of ill"] == 1.0
    assert found.records.tolist() == [3, 3, 3, 1, 3, 3, 3]


def test_diversity_of_larger_groups():
    large = PEOPLE[PEOPLE["town"] != "b"]
    found = score(KAnonymity(), large, large, ["sex", "town"], sensitive=["ill"])
    assert found.details["L of ill"] == 2
    assert found.details["theta of ill"] == pytest.approx(2 / 3)


def test_unique_people_are_found_only_if_the_match_is_theirs():
    """fb is unique; in the first release it is another's row, in the second their own."""
    swapped = PEOPLE.assign(sex=list("fffmfmm"))
    found = score(Uniqueness(), PEOPLE, swapped, ["sex", "town"])
    assert (found.value, found.details["matched"], found.details["found"]) == (0.0, 1, 0)
    same = score(Uniqueness(), PEOPLE, PEOPLE, ["sex", "town"])
    assert same.value == pytest.approx(1 / 7)
    assert same.records.tolist() == [0, 0, 0, 1, 0, 0, 0]
    blind = score(Uniqueness(), PEOPLE, swapped, ["sex", "town"], match="unknown")
    assert blind.value == pytest.approx(1 / 7)
    assert blind.sentence.endswith(" at most.")


def test_small_cells_count_where_they_are_true():
    """Cells of fewer than 3: fb (1), and those with ill: fy, fz, az, ..."""
    found = score(SmallCells(least=2), PEOPLE, PEOPLE, ["sex", "town"])
    assert found.records.tolist() == [0, 0, 0, 1, 0, 0, 0]
    swapped = PEOPLE.assign(sex=list("fffmfmm"))
    assert score(SmallCells(least=2), PEOPLE, swapped, ["sex", "town"]).value == 0.0
    unknown = score(SmallCells(least=2), PEOPLE, swapped, ["sex", "town"], match="unknown")
    assert unknown.value == pytest.approx(1 / 7)


def test_missing_is_a_value_and_numbers_are_compared_exactly():
    frame = pd.DataFrame({"x": [1.5, 1.5, np.nan, np.nan, 2.5]})
    schema = sm.Schema((sm.Column("x", "numeric"),))
    card = sm.assess(frame, frame, schema=schema, match="rows", measures=["k-anonymity"])
    assert card["k-anonymity"].records.tolist() == [2, 2, 2, 2, 1]


# golden values


@pytest.mark.parametrize("name", ["fair", "anes96"])
@pytest.mark.parametrize("keys", ["K1", "K2", "K3"])
def test_frequencies_and_mka_are_those_of_sdcmicro(shared, name, keys):
    folder = shared / "reference" / "sdcmicro" / name
    summary = json.loads((folder / "categorical_risk_summary.json").read_text())
    if keys not in summary:
        pytest.skip(f"no {keys} for {name}")
    facts = summary[keys]
    golden = pd.read_csv(folder / f"categorical_risk_{keys}.csv")
    frame = sm.datasets.load(name)
    found = score(KAnonymity(), frame, frame, facts["keys"], sensitive=facts["sensitive"])
    assert np.array_equal(found.records, golden["fk"])
    assert found.details["MKA"] == pytest.approx(facts["mean_fk_MKA"], rel=1e-10)
    assert found.details["unique"] == facts["n_fk1"]
    assert found.details["shared by fewer than 3"] == facts["viol_3anon"]
    assert found.details["shared by fewer than 5"] == facts["viol_5anon"]
    for sensitive in facts["sensitive"]:
        least = golden[f"{sensitive}_Distinct_Ldiversity"].min()
        assert found.details[f"L of {sensitive}"] == least


@pytest.mark.parametrize(("m", "mka"), [(5, 480.92), (25, 1699.84)])
def test_mka_of_the_rwn_papers_table_1(svcensus, m, mka):
    frame = svcensus[["age", "educ", "wkswrkd", "gender"]].copy()
    frame["age"] = m * np.round(frame["age"] / m)
    found = score(KAnonymity(), frame, frame, list(frame))
    assert found.details["MKA"] == pytest.approx(mka, abs=0.005)


@pytest.mark.parametrize("swap", [False, True])
def test_pieces_are_merged_by_what_is_worst_in_any(swap):
    large, small = np.array([3, 3, 3]), np.array([2, 2])
    pieces = [
        _Found(_Sizes.of(large), _Sizes.of(small), ((3, 0.4), (1, 1.0)), None),
        _Found(_Sizes.of(small), _Sizes.of(large), ((2, 0.9), (2, 0.5)), None),
    ]
    first, second = reversed(pieces) if swap else pieces
    found = first + second
    assert found.before == found.after == _Sizes.of(np.append(large, small))
    assert (found.after.least, found.after.mean) == (2, 13 / 5)
    assert found.diversity == ((2, 0.9), (1, 1.0))
