"""Files that are recoded as they are read."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import swapmeet as sm
from swapmeet.errors import SchemaError, TableError

STEPS = ["age: top 60", "job: suppress rare 40", "wage: suppress > 900", "age: round 5"]
METHOD = sm.RWN(k=4, weights=0.1)


@pytest.fixture
def people(tmp_path):
    random = np.random.default_rng(2)
    frame = pd.DataFrame(
        {
            "age": random.integers(18, 95, 400),
            "wage": random.integers(0, 1000, 400),
            "job": random.choice(["cook", "nurse", "pilot"], 400, p=[0.5, 0.45, 0.05]),
        }
    )
    frame.to_csv(tmp_path / "people.csv", index=False)
    pq.write_table(pa.Table.from_pandas(frame), tmp_path / "people.parquet")
    return frame


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_file_is_recoded_as_a_table_in_memory(people, tmp_path, suffix):
    done = sm.mask_file(
        tmp_path / f"people.{suffix}", tmp_path / f"out.{suffix}", METHOD, seed=3, recode=STEPS,
        block_rows=150, keep_order=True, audit=tmp_path / "record",
    )  # fmt: skip
    engine = sm.Local(block_rows=150)
    table = pa.Table.from_pandas(people)
    other = sm.mask(table, METHOD, seed=3, recode=STEPS, engine=engine)
    found = (pd.read_csv if suffix == "csv" else pd.read_parquet)(tmp_path / f"out.{suffix}")
    expected = other.data.to_pandas()
    for name in expected:
        assert found[name].astype(str).tolist() == expected[name].astype(str).tolist()
    assert done.recodes == other.recodes
    assert found["wage"].max() <= 900
    assert sm.AuditRecord.load(tmp_path / "record").recodes == tuple(STEPS)


def test_a_file_is_assessed_by_the_steps_of_its_record(people, tmp_path):
    source, out, record = (tmp_path / name for name in ("people.csv", "out.csv", "record"))
    sm.mask_file(source, out, METHOD, seed=3, recode=STEPS, block_rows=400, audit=record)
    measures = ["dbrl", "margins"]
    card = sm.assess_file(source, out, audit=record, measures=measures)
    frames = [pd.read_csv(path) for path in (source, out)]
    other = sm.assess(*frames, audit=sm.AuditRecord.load(record), measures=measures)
    for name in measures:
        assert card[name].value == pytest.approx(other[name].value)
    assert [step.changed for step in card.recodes] == [step.changed for step in other.recodes]


@pytest.mark.parametrize(
    ("step", "told"),
    [("age: cut 40, 60", "below the first bound"), ("agee: top 3", "no column 'agee'"),
     ("age: top 3", "leave one value"), ("job: top 3", "needs numbers")],
)  # fmt: skip
def test_bad_steps_are_refused_and_nothing_is_written(people, tmp_path, step, told):
    with pytest.raises((TableError, SchemaError), match=told):
        sm.mask_file(tmp_path / "people.csv", tmp_path / "out.csv", METHOD, recode=[step])
    assert not (tmp_path / "out.csv").exists()


def test_the_order_of_categories_is_known_in_memory_only(tmp_path):
    levels = pa.DictionaryArray.from_arrays([0, 1, 2, 1], ["a", "b", "c"], ordered=True)
    pq.write_table(pa.table({"x": levels, "y": [1, 2, 3, 4]}), tmp_path / "in.parquet")
    with pytest.raises(SchemaError, match="recoded in memory only"):
        sm.mask_file(tmp_path / "in.parquet", tmp_path / "out.parquet", METHOD, recode=["x: top b"])
