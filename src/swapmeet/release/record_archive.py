"""The archive that an audit record is saved in: arrays, read only where their sizes can be true."""

from __future__ import annotations

import json
import math
import zlib
from collections.abc import Mapping
from typing import IO, TYPE_CHECKING, Any
from zipfile import BadZipFile, ZipFile, ZipInfo

import numpy as np

from swapmeet.base.params import is_count
from swapmeet.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

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
