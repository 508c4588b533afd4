"""The files of an audit record, and the method in it: an archive, or the folder of a cluster."""

from __future__ import annotations

import json
import math
import os
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, Any
from zipfile import BadZipFile, ZipFile, ZipInfo

import numpy as np

from swapmeet.base.params import is_count
from swapmeet.base.seeds import Seed
from swapmeet.errors import UsageError
from swapmeet.release.donors import DonorMap
from swapmeet.release.fingerprint import Fingerprint, RowPrinter
from swapmeet.release.outcome import extend_to_all_columns
from swapmeet.tables.role import Role

if TYPE_CHECKING:
    from pathlib import Path

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


DAMAGE = (OSError, ValueError, TypeError, LookupError, AttributeError, ArithmeticError, EOFError,
          RuntimeError, MemoryError, UsageError, BadZipFile, zlib.error)  # fmt: skip
"""Errors that reading a damaged audit record, or another file, may raise."""
DENSEST = 100
"""Row numbers, each once, take no less than this part of their size in any archive."""


def read_facts(path: Path) -> dict[str, Any]:
    """Read all of a record but its arrays."""
    with ZipFile(path) as archive:
        return parse_facts(str(_read_member(archive, "facts")))


def read_archive(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """The facts, and the arrays by name; one of `DAMAGE` where it is no record.

    The rows' own numbers are read first: whatever is to have as many rows is then no larger than
    the file allows.
    """
    with ZipFile(path) as archive:
        facts = parse_facts(str(_read_member(archive, "facts")))
        _require_plausible(archive.getinfo("owner.npy"))
        owner = _read_member(archive, "owner")
        if owner.dtype.kind != "i" or not np.array_equal(np.sort(owner), np.arange(len(owner))):
            raise ValueError
        limit = 8 * (len(owner) + 1) * (len(facts["columns"]) + 1)
        names = [name.removesuffix(".npy") for name in archive.namelist() if name != "facts.npy"]
        return facts, {name: _read_member(archive, name, limit) for name in names}


def parse_facts(text: str) -> dict[str, Any]:
    """Facts written as JSON; ValueError or TypeError where they are none."""
    facts = json.loads(text)
    if not isinstance(facts, dict):
        raise TypeError
    for name in ("columns", "masked", "derived", "recode", "rests"):
        if not isinstance(facts.get(name, []), list):
            raise TypeError
        if not all(isinstance(one, str) for one in facts.get(name, ())):
            raise TypeError
    for name in ("stuck", "method", "fingerprint", "precisions"):
        if not isinstance(facts.get(name) or {}, Mapping):
            raise TypeError
    if not all(is_count(count, 0) for count in (facts.get("stuck") or {}).values()):
        raise ValueError
    return facts


def _read_member(archive: ZipFile, name: str, limit: int | None = None) -> Any:
    """An array, if it has the size that its head claims, at most `limit` bytes."""
    info = archive.getinfo(f"{name}.npy")
    with archive.open(info) as file:
        size = _claim_size(file)
        if file.tell() + size != info.file_size or (limit is not None and size > max(limit, 1024)):
            raise ValueError
    with archive.open(info) as file:
        return np.lib.format.read_array(file, allow_pickle=False)


def _claim_size(file: IO[bytes]) -> int:
    """The bytes of an array by its head."""
    version = np.lib.format.read_magic(file)
    heads = {(1, 0): np.lib.format.read_array_header_1_0,
             (2, 0): np.lib.format.read_array_header_2_0}  # fmt: skip
    shape, _, kind = heads[version](file)
    if kind.hasobject:
        raise ValueError
    return math.prod(shape) * kind.itemsize


def _require_plausible(info: ZipInfo) -> None:
    if info.file_size > DENSEST * max(info.compress_size, 1024):
        raise ValueError


@dataclass(frozen=True)
class StoredMethod:
    """The name and the settings of a method, which make it again."""

    name: str
    settings: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def read(cls, facts: Mapping[str, Any] | None) -> StoredMethod | None:
        """From a file; None from older files, which do not tell."""
        return None if facts is None else cls(str(facts["name"]), dict(facts["settings"]))


def describe_method(method: Any) -> dict[str, Any] | None:
    """Describe a method for a file, so that it can be made again."""
    if method is None:
        return None
    settings = method.settings if isinstance(method, StoredMethod) else method.settings()
    return {"name": method.name, "settings": dict(settings)}
