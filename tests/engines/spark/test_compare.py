"""Spark frames are assessed like tables in memory, whatever the tasks."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.engines.spark import compare as comparison
from swapmeet.engines.spark import pair as pairing
from swapmeet.engines.spark.provenance import DonorColumns
from swapmeet.errors import TableError, UsageError


@pytest.fixture(autouse=True)
def _several_tasks(monkeypatch):
    for module in (comparison, pairing):
        monkeypatch.setattr(module, "TASK_ROWS", 350)
    monkeypatch.setattr(comparison, "CLASS_ROWS", 700)


@pytest.fixture(scope="session")
def frame(spark, people, tmp_path_factory):
    import pyarrow.parquet as pq

    path = tmp_path_factory.mktemp("frames") / "people.parquet"
    pq.write_table(people.data, path)
    return spark.read.parquet(str(path))


def differences(whole, other):
    """Which figures of two cards differ by more than rounding."""
    found = []
    for score in whole:
        pairs = {"value": (score.value, other[score.measure].value)}
        pairs |= {
            name: (figure, other[score.measure].details.get(name))
            for name, figure in score.details.items()
            if isinstance(figure, int | float)
        }
        found += [
            (score.measure, name)
            for name, (one, two) in pairs.items()
            if two != pytest.approx(one, rel=1e-9, abs=1e-12, nan_ok=True)
        ]
        if score.undefined != other[score.measure].undefined:
            found.append((score.measure, "undefined"))
    return found


@pytest.mark.slow
def test_a_card_of_spark_frames_is_that_of_the_tables(frame, people, both):
    one, other = both(frame, sm.RWN(k=5), people)
    ask = {"schema": people.schema, "at_most": 300, "measures": "all"}
    card = sm.assess(frame, one, **ask)
    whole = sm.assess(people.data, other, **ask)
    assert differences(whole, card) == []
    assert (card.rows, card.known, card.ownership) == (whole.rows, whole.known, whole.ownership)
    assert card["uniqueness"].details["how"] == "all rows"
    assert card["pscr"].details["how"] == "300 random people against all rows"


@pytest.mark.slow
def test_it_is_known_whose_copies_stand_in_a_frame(spark, masked):
    """Six columns with few values, so that RWN brings many records back."""
    cells = np.random.default_rng(3).binomial(4, 0.4, size=(900, 6))
    table = pd.DataFrame(cells, columns=list("abcdef")).astype(str).assign(row=np.arange(900))
    schema = sm.Schema(tuple(sm.Column(name, "nominal") for name in "abcdef"))
    schema = sm.Schema((*schema.columns, sm.Column("row", "numeric", "keep")))
    ask, frame = {"schema": schema, "seed": 1}, spark.createDataFrame(table)
    engines = sm.Spark(block_rows=300, row_id="row"), sm.Local(block_rows=300)
    found, whole = (
        sm.assess(
            people, masked(people, sm.RWN(k=3), engine=engine, **ask), schema=schema,
            measures=["copies"], at_most=500,
        )["copies"]
        for people, engine in zip((frame, table), engines, strict=True)
    )  # fmt: skip
    assert 0 < whole.details["share of rows that are the person's own data"] < whole.value
    assert found.finding == whole.finding
    assert found.judged == pytest.approx(whole.judged)


@pytest.mark.slow
def test_rows_of_synthetic_data_are_nobodys(frame, people, both):
    one, other = both(frame, sm.Cart(), people)
    ask = {"schema": people.schema, "measures": ["dbrl", "dcr:scale=ranks"]}
    card, whole = sm.assess(frame, one, **ask), sm.assess(people.data, other, **ask)
    assert differences(whole, card) == []
    assert card["dbrl"].undefined


@pytest.mark.slow
def test_a_record_that_moved_as_a_whole_is_still_its_owners(frame, people):
    """Every value of a row comes from the next, but for one column: 9 of 10 move as one."""
    from swapmeet.engines.spark.names import ROW

    names = people.schema.published
    donors = {f"d{j}": "(row + 1) % 900" for j in range(len(people.schema.masked))}

    class Moved:
        schema, rows = people.schema, 900

    masked = frame.selectExpr(f"row as {ROW}", *(f"{text} as {n}" for n, text in donors.items()))
    share = len(donors) / len(names)
    assert DonorColumns(masked, Moved).find_owner() == ("d0" if share > 0.5 else ROW)
    assert share > 0.5


@pytest.mark.slow
def test_frames_are_matched_by_a_column(frame, people, spark):
    order = np.random.default_rng(0).permutation(len(people.data))
    shuffled = spark.createDataFrame(people.data.take(order))
    ask = {"schema": people.schema, "measures": ["pscr", "uniqueness", "correlations"]}
    card = sm.assess(frame, shuffled, match="row", **ask)
    whole = sm.assess(people.data, people.data, match="rows", **ask)
    assert differences(whole, card) == []
    unknown = sm.assess(frame, shuffled, **ask)
    assert "it is not known" in unknown["pscr"].undefined
    assert unknown["correlations"].value == pytest.approx(0.0, abs=1e-12)


def test_what_spark_frames_cannot_have_is_refused(frame, people, spark):
    with pytest.raises(UsageError, match="rows of Spark frames have no order"):
        sm.assess(frame, frame, schema=people.schema, match="rows")
    with pytest.raises(UsageError, match="must both be Spark frames"):
        sm.assess(frame, people.data, schema=people.schema)
    with pytest.raises(UsageError, match="`models` needs tables in memory"):
        sm.assess(frame, frame, schema=people.schema, models=["a ~ b"])
    with pytest.raises(TableError, match="has 900 rows and the release 7"):
        sm.assess(frame, frame.limit(7), schema=people.schema)
    with pytest.raises(UsageError, match="has no column 'nobody'"):
        sm.assess(frame, frame, schema=people.schema, match="nobody")
    with pytest.raises(TableError, match="does not tell the rows apart"):
        sm.assess(frame, frame, schema=people.schema, match="region")


@pytest.mark.slow
def test_many_rows_are_put_in_order_by_some_values(frame, people, monkeypatch):
    monkeypatch.setattr(comparison, "IN_ORDER", 300)
    ask = {"schema": people.schema, "match": "row", "measures": ["margins", "rid"]}
    card = sm.assess(frame, frame, **ask)
    assert card["rid"].details["how"] == "all rows, of columns in order one value for about 3 rows"
    assert card["rid"].value == pytest.approx(1.0)
    assert card["margins"].value == pytest.approx(0.0, abs=0.02)
