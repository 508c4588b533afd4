"""Codes for missing values: they count as missing everywhere, and come out as they went in."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

import swapmeet as sm
from swapmeet.errors import SchemaError
from swapmeet.tables.missing_codes import flag_codes

CODES = {"income": [-9, -8], "job": ["refused"], "grade": 99}
METHODS = (
    sm.RWN(k=5, weights=0.2),
    sm.MatchedSwap(k=4),
    sm.RankSwap(),
    sm.Microaggregation(k=5),
    sm.Noise(level=0.2),
    sm.Cart(),
)


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 90, 300),
            "income": rng.integers(1_000, 9_000, 300),
            "grade": rng.integers(1, 11, 300),
            "job": rng.choice(["cook", "baker", "smith"], 300),
        }
    )
    frame.loc[rng.random(300) < 0.1, "income"] = -9
    frame.loc[rng.random(300) < 0.05, "income"] = -8
    frame.loc[rng.random(300) < 0.1, "grade"] = 99
    frame.loc[rng.random(300) < 0.1, "job"] = "refused"
    return frame


def blank(people):
    """The same with gaps in place of the codes."""
    return people.assign(
        income=people.income.where(people.income >= 0).astype("Int64"),
        grade=people.grade.where(people.grade < 99).astype("Int64"),
        job=people.job.where(people.job != "refused", None),
    )


def mask(frame, method, **roles):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return sm.mask(frame, method, seed=3, **roles)


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_codes_move_as_gaps_would(people, method):
    keep = ["grade", "job"] if method.name == "noise" else []
    coded = mask(people, method, missing=CODES, keep=keep)
    gaps = mask(blank(people), method, keep=keep)
    assert np.array_equal(coded.audit.donors, gaps.audit.donors)
    pd.testing.assert_frame_equal(blank(coded.data), gaps.data.astype(blank(people).dtypes))


def test_the_release_has_the_codes_of_the_original_and_its_types(people):
    release = mask(people, sm.MatchedSwap(k=4), missing=CODES)
    assert (release.data.dtypes == people.dtypes).all()
    for name in people:
        assert sorted(release.data[name]) == sorted(people[name])


def test_a_swap_without_the_codes_is_another_one(people):
    coded, plain = (mask(people, sm.RWN(k=5), missing=codes) for codes in (CODES, ()))
    assert not np.array_equal(coded.audit.donors, plain.audit.donors)


def test_measures_take_codes_for_gaps(people):
    release = mask(people, sm.RWN(k=5, weights=0.2), missing=CODES)
    same = mask(blank(people), sm.RWN(k=5, weights=0.2))
    names = ["correlations", "margins", "dbrl", "pscr"]
    one, other = (
        sm.assess(people, release, measures=names),
        sm.assess(blank(people), same, measures=names),
    )
    assert [one[name].value for name in names] == [other[name].value for name in names]


def test_roles_of_an_assessment_may_declare_them(people):
    elsewhere = mask(people, sm.RWN(k=5, weights=0.2), missing=CODES).data
    told = sm.assess(people, elsewhere, match="rows", measures=["correlations"], missing=CODES)
    blind = sm.assess(people, elsewhere, match="rows", measures=["correlations"])
    assert told["correlations"].value != blind["correlations"].value


def test_files_take_codes_for_gaps_as_memory_does(people, tmp_path):
    pc.write_csv(pa.Table.from_pandas(people), tmp_path / "people.csv")
    schema = sm.Schema.infer(people).assign(missing=CODES)
    method = sm.RWN(k=5, weights=0.2)
    sm.mask_file(
        tmp_path / "people.csv", tmp_path / "out.csv", method, schema=schema, seed=3,
        keep_order=True, memory="2GB",
    )  # fmt: skip
    there = pd.read_csv(tmp_path / "out.csv")
    assert there.equals(sm.mask(people, method, schema=schema, seed=3).data)
    files = sm.assess_file(
        tmp_path / "people.csv", tmp_path / "out.csv", match="rows", schema=schema,
        measures=["correlations", "margins"],
    )  # fmt: skip
    memory = sm.assess(
        people, there, match="rows", schema=schema, measures=["correlations", "margins"]
    )
    assert files["correlations"].value == pytest.approx(memory["correlations"].value)
    assert files["margins"].value == pytest.approx(memory["margins"].value)


def test_few_values_beside_a_code_are_categories(people):
    assert mask(people, sm.RWN(k=5)).schema["grade"].kind == "numeric"
    assert mask(people, sm.RWN(k=5), missing=99).schema["grade"].kind == "nominal"


def test_codes_of_one_column_leave_the_others_alone(people):
    schema = sm.Schema.infer(people).assign(missing=[-9]).assign(missing={"age": []})
    assert schema["age"].missing == ()
    assert schema["income"].missing == (-9,)


def test_a_schema_writes_them_down_and_reads_them_again(people):
    schema = sm.Schema.infer(people).assign(missing=CODES)
    again = sm.Schema.from_dict(schema.to_dict())
    assert [c.missing for c in again] == [c.missing for c in schema]


def test_wrong_codes_are_refused(people):
    schema = sm.Schema.infer(people)
    with pytest.raises(SchemaError, match="'incme'; did you mean 'income'"):
        schema.assign(missing={"incme": -9})
    with pytest.raises(SchemaError, match="a number or a text"):
        schema.assign(missing=[None])
    with pytest.raises(SchemaError, match="a number or a text"):
        sm.Schema.from_dict({"age": {"kind": "numeric", "missing": [True]}})


def test_dates_are_blanked_by_their_text_only():
    dates = pa.array(["1999-01-01", "9999-12-31", None]).cast(pa.date32())
    assert flag_codes(dates, ("9999-12-31", 99)).tolist() == [False, True, False]


@given(
    st.lists(st.one_of(st.none(), st.integers(-10, 10)), max_size=20), st.sets(st.integers(-10, 10))
)
def test_the_same_cells_are_codes_whatever_their_type(values, codes):
    want = [value in codes for value in values]
    column, listed = pa.array(values, pa.int64()), tuple(codes)
    for kind in (pa.float64(), pa.string(), pa.large_string(), pa.decimal128(19, 0), pa.int8()):
        cells = column.cast(kind)
        assert flag_codes(cells, listed).tolist() == want
    assert flag_codes(column.cast(pa.string()).dictionary_encode(), listed).tolist() == want
    assert flag_codes(column.dictionary_encode(), listed).tolist() == want
