from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

import swapmeet as sm
from swapmeet.errors import FileError, UsageError


def make_people(n=60):
    rng = np.random.default_rng(5)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 90, n),
            "sex": rng.choice([1.0, 2.0], n),
            "region": rng.choice(["Nord", "Süd, West", 'das "Eck"'], n),
        }
    )


@pytest.fixture(scope="module")
def people():
    return make_people()


@pytest.fixture(scope="module")
def release(people):
    return sm.mask(people, sm.RWN(k=45, weights=0.01), seed=3)


@pytest.mark.parametrize(
    ("name", "read"),
    [("r.csv", pd.read_csv), ("r.parquet", pd.read_parquet), ("r.xlsx", pd.read_excel),
     ("r.feather", pd.read_feather)],
)  # fmt: skip
def test_the_name_decides_the_format_and_the_rows_are_shuffled(release, tmp_path, name, read):
    release.save(tmp_path / name)
    saved, published = read(tmp_path / name), release.shuffled()
    pd.testing.assert_frame_equal(saved, published, check_dtype=False)
    assert saved["age"].tolist() != release.data["age"].tolist()


def test_polars_tables_are_saved_too(people, tmp_path):
    release = sm.mask(pl.DataFrame(people), sm.RWN(k=45, weights=0.01), seed=3)
    release.save(tmp_path / "r.csv")
    assert pl.read_csv(tmp_path / "r.csv").equals(release.shuffled())


def test_the_audit_record_knows_the_rows_of_the_file_and_is_not_in_it(people, release, tmp_path):
    release.save(tmp_path / "r.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["r.csv"]
    card = sm.assess(people, pd.read_csv(tmp_path / "r.csv"), audit=release.audit,
                     measures=["pscr"])  # fmt: skip
    assert card["pscr"].value == sm.assess(people, release, measures=["pscr"])["pscr"].value


def test_a_file_that_exists_is_replaced_only_on_demand(release, tmp_path):
    target = tmp_path / "r.csv"
    target.write_text("mine")
    with pytest.raises(UsageError, match="exists already"):
        release.save(target)
    assert target.read_text() == "mine"
    release.save(target, overwrite=True)
    assert target.read_text().startswith("age,sex,region\n")


@pytest.mark.parametrize(
    ("name", "message"),
    [("r.foo", "unknown file format"), ("r.sas7bdat", "cannot"), ("no/r.csv", "does not exist")],
)
def test_what_cannot_be_written_is_refused_and_nothing_appears(release, tmp_path, name, message):
    with pytest.raises(sm.SwapmeetError, match=message):
        release.save(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["r.sav", "r.dta"])
def test_labels_come_from_the_file_that_the_table_was_read_from(people, tmp_path, name):
    pyreadstat = pytest.importorskip("pyreadstat")
    labels = {1.0: "male", 2.0: "female", 9.0: "nobody has this"}
    source = tmp_path / "people.sav"
    pyreadstat.write_sav(
        people, source, column_labels={"sex": "Sex"}, variable_value_labels={"sex": labels}
    )
    frame, _ = pyreadstat.read_sav(source)
    sm.mask(frame, sm.RWN(k=45, weights=0.01)).save(tmp_path / name, like=source)
    _, told = getattr(pyreadstat, f"read_{name[2:]}")(tmp_path / name)
    assert told.column_names_to_labels["sex"] == "Sex"
    assert told.variable_value_labels == {"sex": {1: "male", 2: "female"}}


def test_the_original_is_never_replaced(release, tmp_path):
    source = tmp_path / "people.csv"
    source.write_text("age,sex,region\n1,1,a\n")
    with pytest.raises(UsageError, match="is the original"):
        release.save(source, like=source, overwrite=True)
    with pytest.raises(FileError, match="no such file"):
        release.save(tmp_path / "r.csv", like=tmp_path / "absent.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["people.csv"]
