"""The rows of a Spark frame that cells in space are made from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pyarrow as pa

from swapmeet.core.tables.frame import reorder
from swapmeet.core.tables.schema import Role
from swapmeet.engines.spark.names import ROW, plainly_named

if TYPE_CHECKING:
    from swapmeet.core.tables.microdata import Microdata
    from swapmeet.core.tables.scan.scan import Scan
    from swapmeet.engines.cell_layout import Sampling


def sampled(frame: Any, scan: Scan, sampling: Sampling) -> Microdata:
    """The chosen rows of a numbered frame, in order; they come to the driver, a bounded number."""
    from pyspark.sql import functions as F  # noqa: N812
    from pyspark.sql.pandas.functions import arrow_udf

    def chosen(rows: pa.Array) -> pa.Array:
        return pa.array(sampling.chosen(rows.to_numpy()))

    names = [*scan.schema.masked, *scan.schema.having(Role.STRATA), ROW]
    some = frame.filter(cast("Any", arrow_udf)(chosen, "boolean")(F.col(ROW)))
    table = plainly_named(some, names).toArrow().rename_columns(names)
    order = np.argsort(table[ROW].to_numpy())
    return scan.microdata(reorder(table.combine_chunks(), order), as_in_the_whole=True)
