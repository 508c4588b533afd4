"""A run that a run file describes, made from Python: what `swapmeet mask --config` does."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from swapmeet.base.atomic import all_or_nothing
from swapmeet.base.progress import Progress, Pulse, silent
from swapmeet.engines import Local
from swapmeet.engines.files.engine import Files, Target
from swapmeet.engines.files.mask import settle_blocks
from swapmeet.engines.files.opening import open_source, require_targets
from swapmeet.errors import UsageError
from swapmeet.io import read
from swapmeet.io.document import Document
from swapmeet.io.place import find_place, open_file
from swapmeet.masking import mask, mask_with
from swapmeet.protecting import protect, read_settings
from swapmeet.tables.frame import Table
from swapmeet.tables.schema_guess import reconsider_kinds

if TYPE_CHECKING:
    import os

    from swapmeet.release.release import FileRelease, Release
    from swapmeet.runs.run_file import RunFile
    from swapmeet.runs.targets import Targets
    from swapmeet.tables.schema import Schema


@dataclass(frozen=True, kw_only=True)
class Repetition:
    """A run file, applied to a file or to the document of one."""

    run: RunFile
    source: Document | str | os.PathLike[str]
    seed: int | None = None
    threads: int | None = None
    progress: Progress = silent

    def mask(self) -> Release:
        """The release, in memory."""
        return self._mask(self._read())

    def write(self, targets: Targets, memory: str | int | None = None) -> Release | FileRelease:
        """Release, run file and audit record, all or nothing."""
        place = self.source.path if isinstance(self.source, Document) else find_place(self.source)
        with all_or_nothing():
            targets.check(source=place if isinstance(place, Path) else None)
            if memory is None:
                return self._write_whole(targets)
            with open_file(place, self.progress) as path:
                return self._write_in_pieces(path, targets, memory)

    def _write_whole(self, targets: Targets) -> Release:
        from swapmeet.engines.local.save import write_release

        document = self._read()
        release = self._mask(document)
        self._describe(release).save(targets.run_file, overwrite=targets.overwrite)
        self.progress("writing", 0, 0)
        notes = write_release(
            release, targets.releases, like=document, labels=targets.labels,
            guard_formulas=targets.guard_formulas, audit=targets.audit,
            keep_order=self.run.keeps_order, overwrite=targets.overwrite, progress=self.progress,
        )  # fmt: skip
        return release.remark(*notes.left_out, *notes.lost)

    def _write_in_pieces(self, path: Path, targets: Targets, memory: str | int) -> FileRelease:
        if self.run.protects:
            raise UsageError(
                "run: protection of single people needs the whole table in memory. Leave `memory` "
                "out, or [protect] of the run file."
            )
        if targets.labels is not None:
            raise UsageError("run: what is masked piece by piece has no labels. Leave it out.")
        if targets.guard_formulas:
            raise UsageError("run: `guard_formulas` does not apply to `memory`. Leave out one.")
        engine = self._make_engine(targets, memory)
        assert engine.target is not None
        require_targets(path, engine.target)
        with open_source(path, targets.release, **self.run.reading, workers=engine.workers) as file:
            inferred, method = engine.infer(file), self.run.make_method()
            schema = self.run.apply_to(inferred.schema)
            settled, notes = settle_blocks(engine, file, method, schema)
            release: FileRelease = mask_with(settled, file, method, schema, self.seed, "run")
        done = replace(self._describe(release), engine={"block_rows": settled.block_rows})
        done.save(targets.run_file, overwrite=targets.overwrite)
        return release.remark(*notes, *inferred.remarks)

    def _make_engine(self, targets: Targets, memory: str | int) -> Files:
        target = Target(
            release=targets.release, also=targets.also, audit=targets.audit,
            keep_order=self.run.keeps_order, overwrite=targets.overwrite,
        )  # fmt: skip
        return Files(
            target=target, memory=memory, threads=self.threads, progress=Pulse.of(self.progress),
            block_rows=self.run.engine.get("block_rows"),
        )  # fmt: skip

    def _describe(self, release: Release | FileRelease) -> RunFile:
        """The run file of what was done; how the file is read, masked and written stays."""
        done = type(self.run).of(release, keep_order=self.run.keeps_order)
        spelling = {"labels", "guard_formulas"}
        output = done.output | {
            n: setting for n, setting in self.run.output.items() if n in spelling
        }
        return replace(done, input=self.run.input, engine=self.run.engine, output=output)

    def _read(self) -> Document:
        if isinstance(self.source, Document):
            return self.source
        self.progress("reading", 0, 0)
        return read(self.source, **self.run.reading, progress=self.progress)

    def _mask(self, document: Document) -> Release:
        engine = Local(threads=self.threads, block_rows=self.run.engine.get("block_rows"))
        method, schema = self.run.make_method(), self._settle_schema(document)
        if self.run.protects:
            return protect(
                document, method, schema=schema, seed=self.seed, engine=engine,
                progress=self.progress, **read_settings(self.run.protect, schema),
            ).release  # fmt: skip
        return mask(
            document, method, schema=schema, seed=self.seed, engine=engine, progress=self.progress
        )

    def _settle_schema(self, document: Document) -> Schema:
        return reconsider_kinds(self.run.apply_to(document.schema), Table.of(document.frame))
