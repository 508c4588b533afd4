from __future__ import annotations

import numpy as np
import pyarrow as pa

from swapmeet.tables.scan import ColumnScan
from swapmeet.tables.schema import Column, Kind


def test_moments_are_multiples_of_what_those_in_all_pieces_are():
    hours = np.array(["2020-01-01T06", "2020-01-02T07"], "datetime64[us]")
    days = np.array(["2020-01-03", "2020-01-04"], "datetime64[us]")
    kind = pa.timestamp("us")
    for pieces in ((hours, days), (days, hours)):
        scan = ColumnScan(Column("seen", Kind.NUMERIC), kind)
        for piece in pieces:
            scan.look(pa.table({"seen": pa.chunked_array([pa.array(piece, kind)])}))
        assert scan.grain == 3_600 * 10**6
