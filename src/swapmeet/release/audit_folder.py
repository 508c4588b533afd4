"""The audit record of a release that a cluster wrote: a folder, with donors as Parquet files."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import numpy as np

from swapmeet.base.seeds import Seed
from swapmeet.release.apply import extend_to_all_columns
from swapmeet.release.donors import DonorMap
from swapmeet.release.fingerprint import Fingerprint
from swapmeet.release.record_archive import parse_facts
from swapmeet.release.stored_method import StoredMethod, describe_method
from swapmeet.tables.role import Role

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from swapmeet.release.fingerprint import RowPrinter
    from swapmeet.tables.schema import Schema

FORMAT = "swapmeet Spark audit record 1"
DONORS = "donors"
SEED = "seed.json"
ROW, STUCK, PRINT = "__swapmeet_row", "__swapmeet_stuck", "__swapmeet_print"
"""Columns beside the donors: the row that a released row stands for, its stuck cells, its bits."""


def save_seed(
    folder: Path,
    schema: Schema,
    printer: RowPrinter,
    method: Any,
    *,
    owned: bool,
) -> None:
    """Write the seed and what else there is besides donors; only the owner may read it."""
    seed = printer.seed
    content = {
        "format": FORMAT,
        "seed": seed.key.hex(),
        "chosen": seed.chosen,
        "columns": list(schema.published),
        "masked": list(schema.masked),
        "derived": list(schema.having(Role.DERIVED)),
        "rests": list(schema.ties.rests),
        "owned": owned,
        "method": describe_method(method),
        "precisions": dict(printer.precisions),
        **({"recode": list(schema.recodes)} if schema.recodes else {}),
    }
    handle = os.open(folder / SEED, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump(content, file)


def read_folder(folder: Path) -> dict[str, Any]:
    """Return the parts of the audit record by field; ValueError if the format is another.

    Its rows are in the order of the release, whose parts are read in the order of their names.
    """
    return _fields(read_folder_facts(folder), _read_parts(folder / DONORS))


def read_folder_facts(folder: Path) -> dict[str, Any]:
    """Return all that is there besides donors; ValueError if the format is another."""
    content = parse_facts((folder / SEED).read_text(encoding="utf-8"))
    if content["format"] != FORMAT:
        raise ValueError
    return content


def _read_parts(folder: Path) -> Any:
    import pyarrow as pa
    import pyarrow.parquet as pq

    return pa.concat_tables([pq.read_table(part) for part in sorted(folder.glob("*.parquet"))])


def _fields(content: Mapping[str, Any], table: Any) -> dict[str, Any]:
    masked, columns = tuple(content["masked"]), tuple(content["columns"])
    derived = tuple(content.get("derived", ()))
    owner = table[ROW].to_numpy()
    if owner.dtype.kind != "i" or not np.array_equal(np.sort(owner), np.arange(len(owner))):
        raise ValueError
    donors = np.empty((len(owner), len(masked)), np.int64)
    for j, name in enumerate(masked):
        donors[owner, j] = table[name].to_numpy()
    return {
        "seed": Seed(bytes.fromhex(content["seed"]), chosen=bool(content["chosen"])),
        "columns": columns,
        "map": extend_to_all_columns(DonorMap(donors), masked, columns, derived=derived),
        "derived": derived,
        "rests": tuple(content.get("rests", ())),
        "owner": owner,
        "stuck": _stuck(table[STUCK].combine_chunks(), owner, masked),
        "owned": bool(content["owned"]),
        "method": StoredMethod.read(content.get("method")),
        "fingerprint": _fingerprint(content, table, owner),
        "recodes": tuple(map(str, content.get("recode", ()))),
    }


def _fingerprint(content: Mapping[str, Any], table: Any, owner: Any) -> Fingerprint | None:
    """The bits of rows, in the order of the rows they stand for; older records have none."""
    if "precisions" not in content:
        return None
    rows = np.empty(len(owner), np.uint64)
    rows[owner] = table[PRINT].to_numpy().view(np.uint64)
    facts = {"precisions": content["precisions"], "totals": []}
    return Fingerprint.read(facts, rows, len(owner))


def _stuck(lists: Any, owner: Any, masked: tuple[str, ...]) -> dict[str, Any]:
    """List the rows that found no partner, by column."""
    import pyarrow.compute as pc

    columns = pc.list_flatten(lists).to_numpy(zero_copy_only=False)
    rows = owner[pc.list_parent_indices(lists).to_numpy(zero_copy_only=False)]
    return {masked[j]: np.sort(rows[columns == j]) for j in np.unique(columns).tolist()}
