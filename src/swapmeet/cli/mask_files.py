"""swapmeet mask --memory: a file of any size, masked piece by piece."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from swapmeet.base.parallel import Progress, silent
from swapmeet.cli.mask_run import EngineInput, Masked, Route
from swapmeet.cli.source import require_columns
from swapmeet.engines.files import MEMORY, Files, Target
from swapmeet.engines.files.mask import settle_blocks
from swapmeet.engines.files.needs import require_record
from swapmeet.engines.files.opening import open_source, require_targets
from swapmeet.errors import UsageError
from swapmeet.tables.frame import Table
from swapmeet.tables.schema_guess import HEAD

if TYPE_CHECKING:
    from collections.abc import Iterator

    from swapmeet.cli.monitor import Monitor
    from swapmeet.methods import Method
    from swapmeet.runs.targets import Targets
    from swapmeet.tables.schema import Schema


class FilesRoute(Route):
    """The file is never read as a whole."""

    @property
    def engine(self) -> dict[str, Any]:
        """Rows per block, if they are given; otherwise the memory and the columns decide."""
        return {} if self.block_rows is None else {"block_rows": self.block_rows}

    def check(self, targets: Targets) -> None:  # noqa: ARG002
        """Refuse formats that cannot be read or written piece by piece."""
        if self.labels is not None:
            raise UsageError("--labels: what is masked piece by piece has no labels. Leave it out.")
        if self.guard_formulas:
            raise UsageError("--guard-formulas: does not apply to --memory. Leave out one of them.")
        require_targets(self.options.file, self._target)
        self._files(silent)

    @contextmanager
    def open(self, bar: Monitor) -> Iterator[FilesInput]:
        """Open the file."""
        options, engine = self.options, self._files(bar)
        bar.stage("reading")
        roles = require_columns(options.file, options.input, self.run_file)
        with open_source(
            options.file, options.out, **self.arguments_of_read, workers=engine.workers
        ) as source:
            if roles is not None and options.audit is not None:
                require_record(source.rows, len(roles.published), engine.limit)
            yield FilesInput(engine, source)

    @property
    def _target(self) -> Target:
        options = self.options
        return Target(
            release=options.out,
            also=options.also,
            audit=options.audit,
            keep_order=self.keep_order,
            overwrite=options.overwrite,
        )

    def _files(self, progress: Progress) -> Files:
        options = self.options
        return Files(
            target=self._target,
            memory=options.memory or MEMORY,
            block_rows=self.block_rows,
            threads=options.threads,
            progress=progress,
        )


class FilesInput(EngineInput):
    """A file that is open."""

    def read_rows(self, names: tuple[str, ...]) -> Iterator[Table]:
        """One more pass over these columns."""
        return (Table(table) for _, table in self.data.pieces(names, HEAD))

    def settle_engine(self, method: Method, schema: Schema) -> dict[str, Any]:
        """Rows per block."""
        return {"block_rows": self._settle(method, schema)[0].block_rows}

    def release(
        self,
        method: Method,
        schema: Schema,
        seed: int | None,
        targets: Targets,  # noqa: ARG002
        *,
        keep_order: bool,  # noqa: ARG002
    ) -> Masked:
        """Mask the file; its engine knows where to write, and in which order."""
        from swapmeet.masking import mask_with

        engine, notes = self._settle(method, schema)
        release = mask_with(engine, self.data, method, schema, seed, "mask")
        return Masked(release.remark(*notes, *self.inferred.remarks))

    def _settle(self, method: Method, schema: Schema) -> tuple[Files, tuple[str, ...]]:
        assert isinstance(self.engine, Files)
        return settle_blocks(self.engine, self.data, method, schema)
