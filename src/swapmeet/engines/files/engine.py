"""The engine for files larger than memory, which are masked and compared piece by piece."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from swapmeet.base.parallel import Progress, Workers, count_cores, silent
from swapmeet.base.params import is_count
from swapmeet.engines.files.needs import bytes_of
from swapmeet.engines.protocol import Inferred, Request
from swapmeet.errors import ParameterError
from swapmeet.tables.frame import Table
from swapmeet.tables.schema_guess import HEAD, INFERRED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from swapmeet.base.seeds import Seed
    from swapmeet.comparison.comparison import Comparison
    from swapmeet.io.format import Source
    from swapmeet.methods import Method
    from swapmeet.release.release import FileRelease
    from swapmeet.tables.recoding.recode import Recode
    from swapmeet.tables.recoding.recoded import Recoded
    from swapmeet.tables.schema import Schema

BLOCK_ROWS = 1_000_000
MEMORY = "4GB"


@dataclass(frozen=True, kw_only=True)
class Target:
    """The targets of a release (`also`: other files for the same rows) and of its audit record."""

    release: Path
    also: tuple[Path, ...] = ()
    audit: Path | None = None
    keep_order: bool = False
    overwrite: bool = False

    @property
    def releases(self) -> tuple[Path, ...]:
        """Each file that gets the release."""
        return (self.release, *self.also)


@dataclass(frozen=True, kw_only=True)
class Files:
    """One machine whose memory does not hold the table; the work may take `memory`.

    Tables are masked in blocks of about `block_rows` rows, as `Local(block_rows=...)` does it, and
    written to `target`. Where none are given they are a million, or as many as the memory holds.
    """

    target: Target | None = None
    memory: str | int = MEMORY
    block_rows: int | None = None
    threads: int | None = None
    progress: Progress = silent

    in_memory: ClassVar[bool] = False

    def __post_init__(self) -> None:
        bytes_of(self.memory)
        for name, least in (("threads", 1), ("block_rows", 2)):
            value = getattr(self, name)
            if value is not None and not is_count(value, least):
                raise ParameterError(f"Files: `{name}` must be a whole number, {least} or more.")

    @property
    def limit(self) -> int:
        """The bytes of memory that the work may take."""
        return bytes_of(self.memory)

    @property
    def workers(self) -> Workers:
        """All threads."""
        return Workers(self.threads or count_cores(), self.progress)

    def open(self, data: Source) -> Source:
        """A file that is open already; see `open_source`."""
        return data

    def head(self, data: Source) -> Table:
        """The first rows."""
        return Table(data.head)

    def infer(self, data: Source) -> Inferred:
        """The kinds of the columns, as all rows show them."""
        from swapmeet.engines.files.opening import infer_schema

        return Inferred(infer_schema(data), (INFERRED,) if data.rows > HEAD else ())

    def complete(self, schema: Schema, data: Source) -> Schema:  # noqa: ARG002
        """The schema as it is."""
        return schema

    def recode(self, data: Source, recodes: Sequence[Recode]) -> Recoded[Source]:
        """The file after these steps; it is recoded whenever it is read."""
        from swapmeet.engines.files.opening import recode_source

        return recode_source(data, recodes)

    def mask(self, data: Source, method: Method, schema: Schema, seed: Seed) -> FileRelease:
        """Mask an open file and write the release: all of it, or nothing."""
        from swapmeet.engines.files.mask import mask_source

        return mask_source(self, data, method, schema, seed)

    def share_memory(self, number: int) -> Files:
        """The same engine with a part of the memory."""
        return replace(self, memory=self.limit // number)

    @contextmanager
    def compare(self, original: Source, release: Any, request: Request) -> Iterator[Comparison]:
        """Original and release row beside row, on the disk."""
        from swapmeet.engines.files.pair import pair_sources

        with pair_sources(self.limit, original, release, request) as comparison:
            yield comparison
