"""What Spark tells of the donors of some rows is what is known of them in memory."""

from __future__ import annotations

import numpy as np
import pytest

import swapmeet as sm
from swapmeet.engines.spark.pair import pair_release
from swapmeet.engines.spark.provenance import _FindRows, _renumber
from swapmeet.release.provenance import Provenance

pytestmark = pytest.mark.filterwarnings("ignore::swapmeet.SwapmeetWarning")


@pytest.mark.slow
@pytest.mark.parametrize(
    "method", [sm.RWN(k=5), sm.Cart(), sm.Microaggregation(k=4)], ids=lambda m: m.name
)
def test_provenance_is_that_of_the_audit_record(spark, people, both, method):
    one, other = both(spark.createDataFrame(people.data), method, people)
    record, rows = other.audit, np.array([7, 3, 500, 42, 899, 0])
    whole = Provenance.of(record.map, record.columns, method, owned=record.owned)
    with pair_release(one) as sides:
        found, expected = sides.provenance.sample(rows), whole.sample(rows)
        assert found.columns == expected.columns
        assert np.array_equal(found.donors, expected.donors)
        assert np.array_equal(found.place, expected.place)
        assert found.method == method
        assert (sides.provenance.owned, sides.provenance.made) == (whole.owned, whole.made)
        names = people.schema.published
        assert sides.provenance.list_blocks(names) == whole.list_blocks(names)
        pairs = [
            set(zip(*map(list, one.find_rows_of(rows)), strict=True))
            for one in (sides.provenance, whole)
        ]
        assert pairs[0] == pairs[1]


def test_people_are_numbered_by_the_sample():
    rows = np.array([9, 2, 5])
    people = np.array([2, 9, 5, 4, -1, -2, 100])
    assert _renumber(people, rows).tolist() == [1, 0, 2, -3, -1, -2, -3]


def test_nobody_has_no_rows():
    import pyarrow as pa

    batch = pa.record_batch({"row": [0, 1], "stands": [0, 1], "d0": [1, -2]})
    nobody, one = np.zeros(0, np.int64), np.array([1])
    assert _FindRows(nobody, 0)(batch).num_rows == 0
    assert _FindRows(one, 2)(batch).to_pydict() == {"who": [0], "row": [0]}
