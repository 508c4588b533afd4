"""Passes over a file: what must be known of the whole before a block is masked."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from swapmeet.tables.frame import Table
from swapmeet.tables.scan import Combinations, Scan, Strata, columns_to_scan, require_few_levels
from swapmeet.tables.schema import Role, Schema
from swapmeet.tables.schema_guess import FewValues, correct_kinds, uncertain_columns

if TYPE_CHECKING:
    from swapmeet.base.parallel import Workers
    from swapmeet.io.stream import Source

PIECE = 1 << 20


def scan(source: Source, schema: Schema, piece_rows: int, limit: int, workers: Workers) -> Scan:
    """Read all rows once, but only the columns that tell something."""
    wanted = columns_to_scan(schema, source.schema)
    seen = Combinations(len(schema.having(Role.STRATA)))
    done = 0
    with ThreadPoolExecutor(workers.threads) as pool:
        for _, table in source.pieces([column.name for column in wanted], piece_rows):
            list(pool.map(lambda column, part=table: column.look(part), wanted))
            seen.add([column.codes for column in wanted if column.is_stratum], len(table))
            require_few_levels(wanted, limit)
            done += len(table)
            workers.progress("scanning", done, source.rows)
    return Scan(
        schema=schema,
        rows=done,
        statistics={c.name: c.gathered.statistics() for c in wanted if c.gathered is not None},
        codings={c.name: c.coding for c in wanted if c.coding is not None},
        strata=Strata.of(seen),
        grains={c.name: c.grain for c in wanted if c.grain},
        used={c.name: c.used_levels() for c in wanted if c.is_dictionary},
    )


def infer_schema(file: Source) -> Schema:
    """The kinds that `Schema.infer` would find in the whole file.

    What looks like an identifier is judged by the first 65,536 rows, or 64 MB.
    """
    guessed = Schema.guess(file.head, {})
    if file.rows <= len(file.head):
        return guessed
    return correct_kinds(
        guessed, _with_many_values(file, uncertain_columns(guessed, Table(file.head)))
    )


def _with_many_values(file: Source, names: list[str]) -> set[str]:
    """Choose the integer columns that have more than a few distinct values."""
    seen = FewValues(names)
    for _, table in file.pieces(names, PIECE) if names else ():
        seen.add(table)
        if seen.is_decided:
            break
    return seen.many
