from __future__ import annotations

import pytest

from swapmeet import datasets
from swapmeet.errors import UsageError
from swapmeet.tables.schema import Kind, Role

SHAPES = {
    "fair": (6366, 9),
    "randhie": (20190, 10),
    "anes96": (944, 11),
    "diabetes": (442, 11),
    "breast_cancer": (569, 31),
}


def test_every_data_set_is_known_by_its_shape():
    assert set(SHAPES) == set(datasets.DATASETS)


@pytest.mark.parametrize("name", SHAPES)
def test_data_come_with_a_schema_that_fits(name):
    frame = datasets.load(name)
    assert frame.shape == SHAPES[name]
    schema = datasets.schema(name)
    schema.check(frame)
    assert schema.names == tuple(frame.columns)
    assert schema.having(Role.SENSITIVE)


@pytest.mark.parametrize("name", SHAPES)
def test_every_column_that_a_data_set_names_is_there(name):
    known = datasets.DATASETS[name]
    named = {*known.nominal, *known.ordinal, *known.sensitive}
    assert named <= set(datasets.load(name).columns)
    assert not set(known.nominal) & set(known.ordinal)
    assert known.description


def test_kinds_are_those_declared():
    schema = datasets.schema("fair")
    assert schema["occupation"].kind is Kind.NOMINAL
    assert schema["educ"].kind is Kind.ORDINAL
    assert schema["age"].kind is Kind.NUMERIC


def test_values_are_those_of_the_packages():
    import statsmodels.api as sm
    from sklearn.datasets import load_breast_cancer, load_diabetes

    for name in ("fair", "randhie", "anes96"):
        theirs = getattr(sm.datasets, name).load_pandas().data
        assert (datasets.load(name)[list(theirs)] == theirs).all(axis=None)
    raw = load_diabetes(scaled=False)
    assert (datasets.load("diabetes").to_numpy()[:, :10] == raw.data).all()
    cancer = load_breast_cancer()
    frame = datasets.load("breast_cancer")
    assert list(frame.columns[:30]) == list(cancer.feature_names)
    assert (frame.to_numpy()[:, :30].astype(float) == cancer.data).all()
    assert (frame["diagnosis"] == cancer.target_names[cancer.target]).all()


def test_loading_twice_gives_frames_of_their_own():
    first = datasets.load("diabetes")
    first.loc[:, "age"] = 0
    assert datasets.load("diabetes")["age"].min() > 0


def test_unknown_data_set_is_refused_with_a_hint():
    with pytest.raises(UsageError) as caught:
        datasets.load("fairs")
    assert str(caught.value).startswith("no built-in data set 'fairs'; did you mean 'fair'? There")


def test_the_data_set_that_may_not_be_passed_on_is_not_in_the_package():
    files = {file.name for file in datasets._DATA.iterdir()}
    assert files == {f"{name}.parquet" for name in SHAPES if name != "fair"} | {"LICENSES.txt"}


def test_every_data_set_is_listed_with_its_licence():
    text = (datasets._DATA / "LICENSES.txt").read_text()
    for name in SHAPES:
        assert (f"{name}.parquet" in text) == (name != "fair")
    assert "Not included: fair" in text


def test_a_data_set_of_another_package_names_the_extra_that_brings_it(hide):
    hide("statsmodels")
    with pytest.raises(UsageError) as refusal:
        datasets.load("fair")
    assert str(refusal.value) == (
        "the data set 'fair' needs statsmodels, which is not installed. "
        'Run: pip install "swapmeet[data]"'
    )
    assert datasets.load("diabetes").shape == (442, 11)


def test_without_pandas_there_are_tables_of_pyarrow(hide):
    hide("pandas")
    with pytest.raises(UsageError, match="data frames need pandas, which is not installed"):
        datasets.load("diabetes")
    assert datasets.load_arrow("diabetes").num_rows == 442
