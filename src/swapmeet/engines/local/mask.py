"""From a table in memory to its release."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from swapmeet.core.release.apply import apply_outcome, extend_to_all_columns
from swapmeet.core.release.audit import AuditRecord
from swapmeet.core.release.fingerprint import Fingerprint
from swapmeet.core.release.release import Release
from swapmeet.core.tables.frame import Table
from swapmeet.core.tables.microdata import Microdata
from swapmeet.core.tables.traces import describe_left_out, remove_traces
from swapmeet.engines.checks import require_something_to_mask
from swapmeet.engines.local.save import save_table
from swapmeet.engines.numbers import deal_numbers
from swapmeet.engines.tally import Tally
from swapmeet.engines.unit_checks import check_units, describe_units

if TYPE_CHECKING:
    from swapmeet.core.base.seeds import Seed
    from swapmeet.core.tables.schema import Schema
    from swapmeet.engines.local.engine import Local
    from swapmeet.methods import Method


def mask_table(engine: Local, table: Table, method: Method, schema: Schema, seed: Seed) -> Release:
    """Run the method on the masked columns, move the values, and write down what was done."""
    require_something_to_mask(len(table), schema)
    data = Microdata.of(table, schema, method.find_context(schema))
    check_units(table, data, schema)
    outcome = engine.run(method, data, seed)
    numbers = deal_numbers(table, data, schema, seed)
    released = apply_outcome(outcome, table, data, schema.published, numbers=numbers)
    tally = Tally(schema, len(table), audited=False)
    tally.add(0, np.arange(len(table)), data, outcome, released)
    published, traces = remove_traces(released.native)
    audit = AuditRecord(
        seed,
        schema.published,
        extend_to_all_columns(outcome.donors, data.names, schema.published, numbers),
        seed.stream("order").permutation(len(table)),
        outcome.stuck,
        tally.is_owned(method),
        method,
        Fingerprint.of(seed, Table(published), schema.published),
        recodes=schema.recodes,
    )
    remarks = (*describe_units(data, method), *describe_left_out(traces))
    summary = tally.summarize(method, seed, remarks)
    return Release(**summary, data=published, audit=audit, writer=save_table)
