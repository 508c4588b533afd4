"""Rows dealt into buckets on the disk: written table by table, read bucket by bucket."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyarrow import ipc

from swapmeet.base.arrays import Ints
from swapmeet.base.atomic import scratch_folder
from swapmeet.base.disk import FULL, name_reason
from swapmeet.errors import OutputError
from swapmeet.tables.arrow import cells_of, require_addressable


@contextmanager
def private_folder(target: Path) -> Iterator[Path]:
    """A folder beside `target` that only its owner may enter, and that is gone afterwards."""
    with ExitStack() as stack:
        try:
            folder = stack.enter_context(scratch_folder(target))
        except OSError as error:
            raise OutputError(
                f"{target}: no folder could be made beside it: {name_reason(error)}."
            ) from error
        try:
            yield folder
        except OSError as error:
            if error.errno not in FULL:
                raise
            raise OutputError(
                f"{target}: the temporary files beside it could not be written: "
                f"{name_reason(error)}. No file was written."
            ) from error


class Spill:
    """Buckets of rows; rows of a bucket keep the order in which they were added.

    Each table that is added becomes one Arrow file with one record batch per bucket.
    """

    def __init__(self, folder: Path, buckets: int, threads: int) -> None:
        self._folder = folder
        self._heaps = buckets
        self._threads = threads
        self._files: list[Path] = []
        folder.mkdir()

    def __repr__(self) -> str:
        return f"<Spill of {self._heaps} buckets>"

    def add(self, table: Any, buckets: Ints, places: Ints | None = None) -> None:
        """Add rows, each to its bucket; with `places`, row `places[i]` to `buckets[i]`."""
        bounds = np.concatenate(([0], np.cumsum(np.bincount(buckets, minlength=self._heaps))))
        dealt = self._dealt(table, buckets, places).combine_chunks().to_batches()[0]
        path = self._folder / f"{len(self._files)}.arrow"
        self._files.append(path)
        with pa.OSFile(str(path), "wb") as file, ipc.new_file(file, dealt.schema) as writer:
            for begin, end in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
                writer.write_batch(dealt.slice(begin, end - begin))

    def _dealt(self, table: Any, buckets: Ints, places: Ints | None) -> Any:
        """The rows of the first bucket, then those of the second, and so on."""
        if self._heaps == 1:
            return table
        order = np.argsort(_narrow(buckets, self._heaps), kind="stable")
        return reorder(table, order if places is None else places[order], self._threads)

    def bucket(self, number: int) -> Any:
        """All rows of a bucket."""
        batches = []
        for path in self._files:
            with pa.OSFile(str(path)) as file, ipc.open_file(file) as reader:
                batches.append(reader.get_batch(number))
        table = pa.Table.from_batches(batches)
        require_addressable(table)
        return table

    def discard(self) -> None:
        """Free the disk."""
        for path in self._files:
            with suppress(OSError):
                path.unlink()
        self._files.clear()


def reorder(table: Any, order: Ints, threads: int) -> Any:
    """The rows of a table in another order."""
    rows = pa.array(order)
    with ThreadPoolExecutor(threads) as pool:
        columns = list(pool.map(lambda column: cells_of(_one(column), rows), table.columns))
    return pa.Table.from_arrays(columns, schema=table.schema)


def _one(column: Any) -> Any:
    whole = column.combine_chunks()
    return pa.concat_arrays(whole.chunks) if isinstance(whole, pa.ChunkedArray) else whole


def _narrow(buckets: Ints, count: int) -> npt.NDArray[Any]:
    """Few buckets as small numbers, which are sorted by counting."""
    return buckets.astype(np.uint16) if count <= 1 << 16 else buckets
