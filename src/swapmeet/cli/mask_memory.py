"""swapmeet mask: a file that is read as a whole."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from swapmeet.base.parallel import Progress, silent
from swapmeet.cli.mask_run import Masked, Route
from swapmeet.cli.source import require_columns

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from swapmeet.cli.mask_run import Input
    from swapmeet.cli.monitor import Monitor
    from swapmeet.engines import Local
    from swapmeet.io import Document
    from swapmeet.methods import Method
    from swapmeet.release.release import Release
    from swapmeet.runs.targets import Targets
    from swapmeet.tables.frame import Table
    from swapmeet.tables.schema import Schema


class MemoryRoute(Route):
    """The file is read, masked in memory, and written in its format."""

    @property
    def engine(self) -> dict[str, Any]:
        """Rows per block, if there are blocks."""
        rows = self.block_rows
        return {} if rows is None else {"block_rows": rows}

    def check(self, targets: Targets) -> None:  # noqa: ARG002
        """Refuse threads and blocks that cannot be; whatever can be read can be masked."""
        self._local(silent)

    def follow_findings(
        self, source: Input, schema: Schema
    ) -> tuple[Input, Schema, tuple[str, ...]]:
        """The document, read anew where words stand among numbers, and what was found in it."""
        from swapmeet.cli.source import ReadFile, follow_findings

        assert isinstance(source, MemoryInput)
        source.bar.stage("inspecting")
        read = ReadFile(source.document, schema, self.run_file)
        read = follow_findings(read, self.options.input, self.run_file)
        return replace(source, document=read.document), read.schema, read.remarks

    def list_next(self, release: str) -> Mapping[str, Sequence[str]]:
        """The verdict, where an audit record was written: without one, nobody knows the owners."""
        if self.options.audit is None:
            return {}
        return {"verdict": ("assess", self.source, release, "--audit", str(self.options.audit))}

    @property
    def source(self) -> str:
        """The name of what was masked, as the user typed it."""
        return str(self.options.databases.source or self.options.file)

    @contextmanager
    def open(self, bar: Monitor) -> Iterator[MemoryInput]:
        """Read the file."""
        from swapmeet import io
        from swapmeet.io.formats import require_labelled

        bar.stage("reading")
        require_columns(self.options.file, self.options.input, self.run_file)
        document = io.read(self.options.file, **self.arguments_of_read, progress=bar)
        require_labelled(document, self.labels)
        yield MemoryInput(document, self._local(bar), bar)

    def _local(self, progress: Progress) -> Local:
        from swapmeet.engines import Local

        threads, block_rows = self.options.threads, self.block_rows
        return Local(threads=threads, block_rows=block_rows, progress=progress)


@dataclass(frozen=True)
class MemoryInput:
    """A document that was read."""

    document: Document
    local: Local
    bar: Monitor

    @property
    def schema(self) -> Schema:
        """As the values show it, and the labels of the file."""
        from swapmeet.tables.schema import Schema

        return Schema.guess(self.document.frame, self.document.kinds)

    @property
    def head(self) -> Table:
        """All rows: they are here."""
        from swapmeet.tables.frame import Table

        return Table.of(self.document.frame)

    def read_rows(self, names: tuple[str, ...]) -> list[Table]:  # noqa: ARG002
        """The whole table, which is here."""
        return [self.head]

    def settle_engine(self, method: Method, schema: Schema) -> dict[str, Any]:  # noqa: ARG002
        """Nothing more."""
        return {}

    def release(
        self,
        method: Method,
        schema: Schema,
        seed: int | None,
        targets: Targets,
        *,
        keep_order: bool,
    ) -> Masked:
        """Mask the table and write it."""
        from swapmeet.masking import mask

        self.bar.stage("masking")
        release = mask(self.document, method, schema=schema, seed=seed, engine=self.local)
        return Masked(self.write(release, targets, keep_order=keep_order))

    def write(self, release: Release, targets: Targets, *, keep_order: bool) -> Release:
        """Write release and audit record; the release, with a note of what the file left out."""
        from swapmeet.engines.local.save import write_release

        self.bar.stage("writing")
        notes = write_release(
            release, targets.releases, like=self.document, labels=targets.labels,
            guard_formulas=targets.guard_formulas,
            audit=targets.audit, keep_order=keep_order, overwrite=targets.overwrite,
            progress=self.bar,
        )  # fmt: skip
        return release.remark(*notes.left_out, *notes.lost)
