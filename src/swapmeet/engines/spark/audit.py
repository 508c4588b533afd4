"""The audit record of a release that Spark wrote: a folder with the seed, and donors as Parquet."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from swapmeet.core.base.seeds import Seed
from swapmeet.core.release.apply import extend_to_all_columns
from swapmeet.core.release.audit import AuditRecord
from swapmeet.core.release.donors import DonorMap
from swapmeet.engines.spark.names import ROW, STUCK
from swapmeet.errors import FileError

if TYPE_CHECKING:
    from swapmeet.engines.spark.release import SparkRelease
    from swapmeet.engines.tally import Tally

FORMAT = "swapmeet Spark audit record 1"
DONORS = "donors"
SEED = "seed.json"


def save_seed(folder: Path, release: SparkRelease, tally: Tally) -> None:
    """Write the seed and what else there is besides donors; only the owner may read it."""
    facts = {
        "format": FORMAT,
        "seed": release.job.seed.key.hex(),
        "chosen": release.reproducible,
        "columns": list(release.schema.published),
        "masked": list(release.schema.masked),
        "owned": tally.is_owned(release.job.method),
    }
    handle = os.open(folder / SEED, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump(facts, file)


def audit_at(path: str | os.PathLike[str]) -> AuditRecord:
    """The audit record in a file, or in a folder if Spark wrote it."""
    record = Path(path)
    return load_audit(record) if record.is_dir() else AuditRecord.load(record)


def load_audit(folder: Path) -> AuditRecord:
    """The audit record in a folder, as that of any other release.

    Its rows are in the order of the release, whose parts are read in the order of their names.
    """
    try:
        facts = json.loads((folder / SEED).read_text(encoding="utf-8"))
        if facts["format"] != FORMAT:
            raise ValueError
        return _record(facts, _parts(folder / DONORS))
    except (OSError, ValueError, KeyError, TypeError):
        raise FileError(f"{folder}: an audit record is needed; this folder is not one.") from None


def _parts(folder: Path) -> Any:
    import pyarrow as pa
    import pyarrow.parquet as pq

    return pa.concat_tables([pq.read_table(part) for part in sorted(folder.glob("*.parquet"))])


def _record(facts: dict[str, Any], table: Any) -> AuditRecord:
    masked, columns = tuple(facts["masked"]), tuple(facts["columns"])
    owner = table[ROW].to_numpy()
    donors = np.empty((len(owner), len(masked)), np.int64)
    for j, name in enumerate(masked):
        donors[owner, j] = table[name].to_numpy()
    return AuditRecord(
        Seed(bytes.fromhex(facts["seed"]), chosen=facts["chosen"]),
        columns,
        extend_to_all_columns(DonorMap(donors), masked, columns),
        owner,
        _stuck(table[STUCK].combine_chunks(), owner, masked),
        facts["owned"],
    )


def _stuck(lists: Any, owner: Any, masked: tuple[str, ...]) -> dict[str, Any]:
    """By column, the rows that found no partner."""
    import pyarrow.compute as pc

    columns = pc.list_flatten(lists).to_numpy(zero_copy_only=False)
    rows = owner[pc.list_parent_indices(lists).to_numpy(zero_copy_only=False)]
    return {masked[j]: np.sort(rows[columns == j]) for j in np.unique(columns).tolist()}
