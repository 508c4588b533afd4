"""The audit record, which is never published with a release."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from swapmeet.base.arrays import Flags, Ints
from swapmeet.base.atomic import write_atomically
from swapmeet.base.secret import HoldsSecret
from swapmeet.base.seeds import BITS, Seed
from swapmeet.base.staging import recover
from swapmeet.errors import FileError
from swapmeet.release.audit_files import (
    DAMAGE,
    StoredMethod,
    describe_method,
    read_archive,
    read_facts,
    read_folder,
    read_folder_facts,
)
from swapmeet.release.donors import DonorMap
from swapmeet.release.fingerprint import Fingerprint
from swapmeet.release.protection import Protection

FORMAT = "swapmeet audit record 3"
READABLE = ("swapmeet audit record 2", FORMAT)


@dataclass(frozen=True, repr=False, eq=False)
class AuditRecord(HoldsSecret):
    """Seed, donors and owners: anyone who has it can undo the masking.

    `donors[i, j]` is the row whose value stands in row i, column j of `Release.data` (-1:
    suppressed, -2: made). `owner[r]` is the row that row r of `Release.shuffled()` stands for.
    `stuck` lists, by column, the rows that found no partner. Rows that are not `owned` are
    synthetic: their masked values stand for nobody in particular. `method` is how the table was
    masked, and `fingerprint` tells the release from any other; older records have neither.
    `recodes` are the steps that the table went through before: donors gave recoded values.
    `derived` are columns that were computed from the released values of others: made, but nothing
    of their own. `rests` say of which columns a rest moved in their place, "total = a + b + rest":
    their donors are those of the rest. `protection` tells for whom protection was raised, where
    it was.
    """

    seed: Seed
    columns: tuple[str, ...]
    map: DonorMap
    owner: Ints
    stuck: Mapping[str, Ints] = field(default_factory=dict)
    owned: bool = True
    method: Any = None
    fingerprint: Fingerprint | None = None
    recodes: tuple[str, ...] = ()
    derived: tuple[str, ...] = ()
    protection: Protection | None = None
    rests: tuple[str, ...] = ()

    instead: ClassVar[str] = "Write it to a file that only you can read: `save`."

    def __repr__(self) -> str:
        return "<AuditRecord: secret; save it apart from the release>"

    @property
    def donors(self) -> Ints:
        """The donor of each cell of the release, -1 where suppressed, -2 where made."""
        return self.map.matrix

    @property
    def moved(self) -> Flags:
        """Cells whose donor is another row."""
        return self.map.moved

    @property
    def given(self) -> DonorMap:
        """The donors of all columns but the derived ones, which come from nobody by themselves."""
        if not self.derived:
            return self.map
        kept = [name not in self.derived for name in self.columns]
        return DonorMap(self.map.matrix[:, kept], self.map.givers)

    def rows_of_people(self) -> Ints:
        """For each person, the row of `Release.data` that counts as theirs."""
        if self.protection is not None:
            return self.protection.row_of_person
        return self.given.rows_of_people()

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write to a file that only its owner may read (mode 0600)."""
        facts: dict[str, Any] = {
            "format": FORMAT,
            "chosen": self.seed.chosen,
            "columns": list(self.columns),
            "owned": self.owned,
            "stuck": {name: len(rows) for name, rows in self.stuck.items()},
            "method": describe_method(self.method),
            **({"recode": list(self.recodes)} if self.recodes else {}),
            **({"derived": list(self.derived)} if self.derived else {}),
            **({"rests": list(self.rests)} if self.rests else {}),
        }
        arrays: dict[str, Any] = {}
        if self.fingerprint is not None:
            facts["fingerprint"] = self.fingerprint.describe()
            arrays["prints"] = self.fingerprint.prints.rows
        if self.protection is not None:
            facts["protection"] = self.protection.describe()
            arrays |= self.protection.list_arrays()
        with (
            write_atomically(Path(path), overwrite=overwrite, private=True) as aside,
            aside.open("wb") as file,
        ):
            np.savez_compressed(
                file,
                facts=np.array(json.dumps(facts)),
                seed=np.frombuffer(self.seed.key, np.uint8),
                donors=self.donors,
                owner=self.owner,
                stuck=np.concatenate([np.empty(0, np.int64), *self.stuck.values()]),
                **arrays,
            )

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a saved audit record: a file, or the folder that a cluster wrote."""
        source = Path(path)
        recover(source)
        is_folder = source.is_dir()
        try:
            return cls(**(read_folder(source) if is_folder else _read_file(source)))
        except DAMAGE:
            reason = "is not one" if source.exists() else "does not exist"
            kind = "folder" if is_folder else "file"
            raise FileError(f"{path}: an audit record is needed; this {kind} {reason}.") from None


def read_texts(path: str | os.PathLike[str], fact: str) -> tuple[str, ...]:
    """The texts of a `fact` of a saved record, "recode" or "rests"; little else is read."""
    source = Path(path)
    recover(source)
    try:
        facts = read_folder_facts(source) if source.is_dir() else read_facts(source)
        return tuple(facts.get(fact, ()))
    except DAMAGE:
        return ()


def _read_file(path: Path) -> dict[str, Any]:
    """Return the parts of the audit record, by the names of its fields."""
    facts, stored = read_archive(path)
    seed = Seed(stored["seed"].tobytes(), chosen=bool(facts["chosen"]))
    donors, owner = DonorMap(stored["donors"]), stored["owner"]
    stuck = _by_column(facts["stuck"], stored["stuck"])
    _require_consistent(facts, seed, donors, owner, stuck)
    return {
        "seed": seed,
        "columns": tuple(facts["columns"]),
        "map": donors,
        "owner": owner,
        "stuck": stuck,
        "owned": bool(facts.get("owned", True)),
        "method": StoredMethod.read(facts.get("method")),
        "derived": tuple(facts.get("derived", ())),
        "rests": tuple(facts.get("rests", ())),
        "fingerprint": Fingerprint.read(facts.get("fingerprint"), stored.get("prints"), len(owner)),
        "recodes": tuple(facts.get("recode", ())),
        "protection": Protection.read(facts.get("protection"), stored, len(owner)),
    }


def _require_consistent(
    facts: Mapping[str, Any],
    seed: Seed,
    donors: DonorMap,
    owner: Ints,
    stuck: Mapping[str, Ints],
) -> None:
    n, p = donors.matrix.shape
    columns = list(facts["columns"])
    for name, rows in stuck.items():
        if not np.array_equal(donors.matrix[rows, columns.index(name)], rows):
            raise ValueError
    whole = len(seed.key) * 8 == BITS and len(columns) == p
    whole = whole and facts["format"] in READABLE
    if not whole or len(owner) != n:
        raise ValueError


def _by_column(counts: Mapping[str, int], rows: Ints) -> dict[str, Ints]:
    ends = np.cumsum(list(counts.values()), dtype=np.int64)
    return dict(zip(counts, np.split(rows, ends[:-1]), strict=True)) if counts else {}
