"""From a table in memory to its release."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from swapmeet.core.release.apply import extend_to_all_columns
from swapmeet.core.release.audit import AuditRecord
from swapmeet.core.release.fingerprint import Fingerprint
from swapmeet.core.release.release import Release
from swapmeet.core.tables.frame import Table
from swapmeet.core.tables.microdata import Microdata
from swapmeet.core.tables.schema import Role
from swapmeet.core.tables.traces import describe_left_out, remove_traces
from swapmeet.engines.checks import require_something_to_mask
from swapmeet.engines.local.save import write_release
from swapmeet.engines.numbers import deal_numbers
from swapmeet.engines.place_checks import require_nested_places
from swapmeet.engines.tally import Tally
from swapmeet.engines.ties import fit_ties
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
    if not method.moves_units:
        require_nested_places(data)
    rows, ties = np.arange(len(table)), fit_ties(schema, lambda: [table])
    numbers = deal_numbers(table, data, schema, seed)
    tied = ties.apply(
        engine.run(method, data, seed), table, data, schema.published, seed, rows, numbers=numbers
    )
    outcome = tied.outcome
    tally = Tally(schema, len(table), audited=False)
    tally.add(0, rows, data, tied)
    published, traces = remove_traces(tied.released.native)
    derived = schema.having(Role.DERIVED)
    audit = AuditRecord(
        seed,
        schema.published,
        extend_to_all_columns(outcome.donors, data.names, schema.published, numbers, derived),
        seed.stream("order").permutation(len(table)),
        outcome.stuck,
        tally.is_owned(method),
        method,
        Fingerprint.of(seed, Table(published), schema.published),
        recodes=schema.recodes,
        derived=derived,
    )
    remarks = (*describe_units(data, method), *ties.list_facts(), *describe_left_out(traces))
    summary = tally.summarize(method, seed, remarks)
    return Release(**summary, data=published, audit=audit, writer=write_release)
