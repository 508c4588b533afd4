"""Where a job is done: in memory, piece by piece, or on a cluster."""

from __future__ import annotations

from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import gettempdir
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from swapmeet import io
from swapmeet.base.progress import Progress, Pulse, silent
from swapmeet.base.staging import recover
from swapmeet.engines.checks import (
    check_first_rows,
    refuse_context,
    require_all_rows_at_once,
    require_something_to_mask,
)
from swapmeet.engines.local.engine import Local
from swapmeet.engines.unit_checks import refuse_units
from swapmeet.errors import FileError, UsageError
from swapmeet.io.document import Document
from swapmeet.io.formats import require_labelled
from swapmeet.io.place import open_file
from swapmeet.running.preparation import Prepared, require_columns

if TYPE_CHECKING:
    from collections.abc import Iterator

    from swapmeet.engines.files import Files
    from swapmeet.methods import Method
    from swapmeet.plan.plan import Plan
    from swapmeet.release.release import Summary
    from swapmeet.running.targets import Targets

SPARK = "spark"
MAGIC = b"PAR1"
"""The first bytes of every Parquet file."""


@dataclass(frozen=True, kw_only=True)
class Site:
    """What all workplaces know: the plan, where its release goes if it goes to files, who watches.

    `debug` lets Spark chat.
    """

    plan: Plan
    targets: Targets | None = None
    progress: Progress = silent
    debug: bool = False

    @property
    def block_rows(self) -> int | None:
        """Rows per block, if the plan says so."""
        return self.plan.engine.block_rows


class Workplace(Protocol):
    """A place where tables are opened, masked and written."""

    folders: ClassVar[bool]

    def check(self, place: Any) -> None:
        """Refuse what cannot be done here, before any work."""

    def open(self, source: Any) -> AbstractContextManager[tuple[Any, Any]]:
        """An engine, and the table as it takes it, for as long as the context lasts."""

    def try_out(self, prepared: Prepared, method: Method) -> None:
        """Refuse what the method could not mask, as far as that can be told beforehand."""

    def settle(self, prepared: Prepared, method: Method) -> tuple[Prepared, tuple[str, ...]]:
        """Complete the engine with what the release depends on and is known only now."""

    def write(self, release: Any, prepared: Prepared) -> Summary:
        """Write release and audit record; the release, with a note of what the files left out."""


def find_workplace(site: Site) -> Workplace:
    """The workplace of a plan."""
    if site.plan.engine.name == SPARK:
        return Cluster(site)
    return InMemory(site) if site.plan.engine.memory is None else InPieces(site)


@dataclass(frozen=True)
class InMemory:
    """The file is read as a whole, masked, and written in its format."""

    site: Site
    folders: ClassVar[bool] = False

    def check(self, place: Any) -> None:  # noqa: ARG002
        """Refuse threads and blocks that cannot be; whatever can be read can be masked."""
        self._make_engine()

    @contextmanager
    def open(self, source: Any) -> Iterator[tuple[Local, Document]]:
        """Read the file, unless it has been read."""
        site = self.site
        if not isinstance(source, Document):
            site.progress("reading", 0, 0)
            require_columns(site.plan, source)
            source = io.read(source, **site.plan.reading, progress=site.progress)
        require_labelled(source, site.plan.output.labels)
        yield replace(self._make_engine(), kinds=source.kinds), source

    def try_out(self, prepared: Prepared, method: Method) -> None:
        """Look at all rows as the method would."""
        from swapmeet.base.seeds import Seed
        from swapmeet.engines.local.mask import MaskingTask
        from swapmeet.engines.units import check_by_level

        task = MaskingTask.of(prepared.data, method, prepared.schema, Seed.fresh())
        check_by_level(method, task.data)

    def settle(self, prepared: Prepared, method: Method) -> tuple[Prepared, tuple[str, ...]]:  # noqa: ARG002
        """Nothing more."""
        return prepared, ()

    def write(self, release: Any, prepared: Prepared) -> Summary:
        """Write the release, and its audit record."""
        from swapmeet.engines.local.save import write_release

        targets = self.site.targets
        if targets is None:
            return release
        self.site.progress("writing", 0, 0)
        notes = write_release(
            release, targets.releases, like=prepared.document, labels=targets.labels,
            guard_formulas=targets.guard_formulas, audit=targets.audit,
            keep_order=self.site.plan.keeps_order, overwrite=targets.overwrite,
            progress=self.site.progress,
        )  # fmt: skip
        return release.remark(*notes.left_out, *notes.lost)

    def _make_engine(self) -> Local:
        return Local(
            threads=self.site.plan.engine.threads, block_rows=self.site.block_rows,
            progress=self.site.progress,
        )  # fmt: skip


@dataclass(frozen=True)
class InPieces:
    """The file is never read as a whole; its engine writes the release while it masks."""

    site: Site
    folders: ClassVar[bool] = False

    def check(self, place: Any) -> None:
        """Refuse formats that cannot be read or written piece by piece."""
        from swapmeet.engines.files.opening import require_targets

        plan = self.site.plan
        if plan.output.labels is not None:
            raise UsageError(
                "--labels (`labels`): what is masked piece by piece has no labels. Leave it out."
            )
        if plan.output.guard_formulas:
            raise UsageError(
                "--guard-formulas (`guard_formulas`): does not apply to --memory. Leave out one of "
                "them."
            )
        target = self._make_engine().target
        if target is not None:
            require_targets(place, target)

    @contextmanager
    def open(self, source: Any) -> Iterator[tuple[Files, Any]]:
        """Open the file."""
        from swapmeet.engines.files.needs import require_record
        from swapmeet.engines.files.opening import open_source

        site, path = self.site, source.path if isinstance(source, Document) else source
        engine = self._make_engine()
        target = engine.target
        beside = Path(gettempdir()) / "release" if target is None else target.release
        site.progress("reading", 0, 0)
        schema = require_columns(site.plan, path)
        with (
            open_file(path, site.progress) as file,
            open_source(file, beside, **site.plan.reading, workers=engine.workers) as rows,
        ):
            if schema is not None and target is not None and target.audit is not None:
                require_record(rows.rows, len(schema.published), engine.limit)
            yield engine, rows

    def try_out(self, prepared: Prepared, method: Method) -> None:
        """Look at the first rows as the method would."""
        _try_first_rows(prepared, method, "masking piece by piece")

    def settle(self, prepared: Prepared, method: Method) -> tuple[Prepared, tuple[str, ...]]:
        """Rows per block, which may be as many as the memory holds."""
        from swapmeet.engines.files.mask import settle_blocks

        engine, notes = settle_blocks(prepared.engine, prepared.data, method, prepared.schema)
        return replace(prepared, engine=engine), notes

    def write(self, release: Any, prepared: Prepared) -> Summary:  # noqa: ARG002
        """Nothing: it is written."""
        return release

    def _make_engine(self) -> Files:
        from swapmeet.engines.files import MEMORY, Files, Target

        plan, targets = self.site.plan, self.site.targets
        target = None if targets is None else Target(
            release=targets.release, also=targets.also, audit=targets.audit,
            keep_order=plan.keeps_order, overwrite=targets.overwrite,
        )  # fmt: skip
        return Files(
            target=target, memory=plan.engine.memory or MEMORY, block_rows=self.site.block_rows,
            threads=plan.engine.threads, progress=Pulse.of(self.site.progress),
        )  # fmt: skip


@dataclass(frozen=True)
class Cluster:
    """A cluster reads, masks and writes Parquet files."""

    site: Site
    folders: ClassVar[bool] = True

    def check(self, place: Any) -> None:
        """Refuse what only other engines can do, and an input without Parquet files."""
        plan, targets = self.site.plan, self.site.targets
        if targets is not None and targets.also:
            raise UsageError(
                f"{targets.also[0]}: --engine spark writes one folder of Parquet files. Give one "
                "name, and convert the release afterwards."
            )
        given = [n for n in ("memory", "threads") if getattr(plan.engine, n) is not None]
        given += [n for n in ("labels", "guard_formulas") if getattr(plan.output, n) is not None]
        given += [*plan.input.reading, *(["keep_order"] if plan.keeps_order else [])]
        if given:
            raise UsageError(
                f"--{given[0].replace('_', '-')}: does not apply to --engine spark, which takes "
                "Parquet files and gives rows in random order. Leave it out."
            )
        self._make_engine()
        _require_parquet(place)

    @contextmanager
    def open(self, source: Any) -> Iterator[tuple[Any, Any]]:
        """Start Spark, and read the file or folder."""
        from swapmeet.engines.spark.session import LOCAL, read_parquet, session

        site = self.site
        site.progress("starting Spark", 0, 0)
        with session(site.plan.engine.master or LOCAL, loud=site.debug) as spark:
            site.progress("reading", 0, 0)
            yield self._make_engine(), read_parquet(spark, source)

    def try_out(self, prepared: Prepared, method: Method) -> None:
        """Look at some rows as the method would."""
        _try_first_rows(prepared, method, "Spark")

    def settle(self, prepared: Prepared, method: Method) -> tuple[Prepared, tuple[str, ...]]:  # noqa: ARG002
        """Nothing more."""
        return prepared, ()

    def write(self, release: Any, prepared: Prepared) -> Summary:  # noqa: ARG002
        """Mask the rows while they are written."""
        targets = self.site.targets
        assert targets is not None
        self.site.progress("masking", 0, 0)
        return release.write(targets.release, audit=targets.audit, overwrite=targets.overwrite)

    def _make_engine(self) -> Any:
        from swapmeet.engines.spark.engine import BLOCK_ROWS, Spark

        return Spark(block_rows=self.site.block_rows or BLOCK_ROWS)


def _try_first_rows(prepared: Prepared, method: Method, where: str) -> None:
    refuse_units(prepared.schema, where)
    require_all_rows_at_once(method)
    refuse_context(method, prepared.schema, where)
    require_something_to_mask(max(len(prepared.head), 2), prepared.schema)
    check_first_rows(method, prepared.head, prepared.schema)


def _require_parquet(path: Path) -> None:
    recover(path)
    if not path.exists():
        raise FileError(f"{path}: no such file or folder. Check the name.")
    if path.is_file() and not _is_parquet(path):
        raise FileError(
            f"{path}: is no Parquet file, and --engine spark takes no other. Convert it first."
        )
    if path.is_dir() and not any(path.rglob("*.parquet")):
        raise FileError(f"{path}: this folder has no Parquet files (.parquet).")


def _is_parquet(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC
