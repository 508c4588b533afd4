"""swapmeet mask: a file that is read as a whole."""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from swapmeet.cli.mask_run import Masked, Route
from swapmeet.core.base.parallel import Progress, silent
from swapmeet.errors import SwapmeetWarning

if TYPE_CHECKING:
    from collections.abc import Iterator

    from swapmeet.cli.progress import Bar
    from swapmeet.core.release.release import Release
    from swapmeet.core.tables.frame import Table
    from swapmeet.core.tables.schema import Schema
    from swapmeet.engines import Local
    from swapmeet.io import Document
    from swapmeet.methods import Method
    from swapmeet.runs.targets import Targets


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

    @contextmanager
    def open(self, bar: Bar) -> Iterator[MemoryInput]:
        """Read the file."""
        from swapmeet import io
        from swapmeet.io.losses import require_labelled

        bar.stage("reading")
        document = io.read(self.options.file, **self.reading, progress=bar)
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
    bar: Bar

    @property
    def schema(self) -> Schema:
        """As the values show it, and the labels of the file."""
        from swapmeet.core.tables.schema import Schema

        return Schema.guess(self.document.frame, self.document.kinds)

    @property
    def head(self) -> Table:
        """All rows: they are here."""
        from swapmeet.core.tables.frame import Table

        return Table.of(self.document.frame)

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

        _warn_of_weight(self.document, schema)
        self.bar.stage("masking")
        release = mask(self.document.frame, method, schema=schema, seed=seed, engine=self.local)
        return Masked(self.write(release, targets, keep_order=keep_order))

    def write(self, release: Release, targets: Targets, *, keep_order: bool) -> Release:
        """Write release and audit record; the release, with a note of what the file left out."""
        import numpy as np

        from swapmeet import io
        from swapmeet.core.tables.traces import describe_left_out

        self.bar.stage("writing")
        audit, overwrite, frame = release.audit, targets.overwrite, release.data
        if keep_order:
            audit = replace(audit, owner=np.arange(len(audit.owner)))
        else:
            frame = release.shuffled()
        if targets.audit:
            audit.save(targets.audit, overwrite=overwrite)
        donors = dict(zip(audit.columns, audit.donors[audit.owner].T, strict=True))
        for step in release.recodes:
            donors.pop(step.column, None)
        left_out = [
            io.write(
                path, frame, like=self.document, donors=donors, labels=targets.labels,
                overwrite=overwrite, progress=self.bar,
            )
            for path in targets.releases
        ]  # fmt: skip
        names = release.schema.published
        losses = io.describe_losses(targets.releases, self.document, names, targets.labels)
        return release.remark(*describe_left_out(frozenset().union(*left_out)), *losses)


def _warn_of_weight(document: Document, schema: Schema) -> None:
    """Say that a column is masked which the file itself names as its weight."""
    name = document.weight
    if name in schema.masked:
        warnings.warn(
            f"{document.path.name} names {name!r} as its weight, and it is masked like any other "
            f"column. Give it the role: --weight {name}.",
            SwapmeetWarning,
            stacklevel=2,
        )
