"""swapmeet mask --memory: a file of any size, masked piece by piece."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from swapmeet.cli.mask_run import Masked, Route
from swapmeet.core.base.parallel import Progress, silent
from swapmeet.engines.files import BLOCK_ROWS, MEMORY, Files, Target
from swapmeet.engines.files.opening import open_source, require_targets

if TYPE_CHECKING:
    from collections.abc import Iterator

    from swapmeet.cli.progress import Bar
    from swapmeet.cli.targets import Targets
    from swapmeet.core.tables.schema import Schema
    from swapmeet.engines.protocol import Inferred
    from swapmeet.io.stream import Source
    from swapmeet.methods import Method


class FilesRoute(Route):
    """The file is never read as a whole."""

    @property
    def engine(self) -> dict[str, Any]:
        """Rows per block."""
        return {"block_rows": self.block_rows or BLOCK_ROWS}

    def check(self, targets: Targets) -> None:
        """Refuse formats that cannot be read or written piece by piece."""
        target = Target(release=targets.release, audit=targets.audit, overwrite=targets.overwrite)
        require_targets(self.options.file, target)
        self._files(silent)

    @contextmanager
    def open(self, bar: Bar) -> Iterator[FilesInput]:
        """Open the file."""
        options, engine = self.options, self._files(bar)
        bar.stage("reading")
        with open_source(
            options.file, options.out, **self.reading, workers=engine.workers
        ) as source:
            yield FilesInput(source, engine)

    def _files(self, progress: Progress) -> Files:
        options = self.options
        return Files(
            memory=options.memory or MEMORY,
            block_rows=self.block_rows or BLOCK_ROWS,
            threads=options.threads,
            progress=progress,
        )


@dataclass(frozen=True)
class FilesInput:
    """A file that is open."""

    source: Source
    files: Files

    @cached_property
    def _inferred(self) -> Inferred:
        return self.files.infer(self.source)

    @property
    def schema(self) -> Schema:
        """As all rows show it."""
        return self._inferred.schema

    def release(
        self,
        method: Method,
        schema: Schema,
        seed: int | None,
        targets: Targets,
        *,
        keep_order: bool,
    ) -> Masked:
        """Mask the file and write it."""
        from swapmeet.masking import mask_with

        target = Target(
            release=targets.release, audit=targets.audit, keep_order=keep_order,
            overwrite=targets.overwrite,
        )  # fmt: skip
        engine = replace(self.files, target=target)
        release = mask_with(engine, self.source, method, schema, seed, "mask")
        return Masked(release.remark(*self._inferred.remarks))
