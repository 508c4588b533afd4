"""swapmeet mask --engine spark: Parquet in, a folder of Parquet files out, on a Spark cluster."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from swapmeet.base.staging import recover
from swapmeet.cli.mask_run import EngineInput, Masked, Route
from swapmeet.cli.parameters import flag
from swapmeet.engines.spark.engine import BLOCK_ROWS, Spark
from swapmeet.engines.spark.session import LOCAL, read_parquet, session
from swapmeet.errors import FileError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from swapmeet.cli.monitor import Monitor
    from swapmeet.methods import Method
    from swapmeet.runs.targets import Targets
    from swapmeet.tables.schema import Schema


class SparkRoute(Route):
    """A cluster reads, masks and writes Parquet files."""

    folders: ClassVar[bool] = True

    @property
    def engine(self) -> dict[str, Any]:
        """That it is Spark, and rows per block."""
        return {"name": "spark", "block_rows": self.block_rows or BLOCK_ROWS}

    @property
    def reading(self) -> dict[str, Any]:
        """Parquet needs no options."""
        return self.run_file.input

    def check(self, targets: Targets) -> None:  # noqa: ARG002
        """Refuse what only other engines can do, and an input without Parquet files."""
        options = self.options
        if options.also:
            raise UsageError(
                f"{options.also[0]}: --engine spark writes one folder of Parquet files. Give one "
                "name, and convert the release afterwards."
            )
        given = [
            name
            for name in ("memory", "threads", "labels", "guard_formulas")
            if getattr(options, name) is not None
        ]
        given += [*options.input.reading, *(["keep_order"] if options.keep_order else [])]
        if given:
            raise UsageError(
                f"{flag(given[0])}: does not apply to --engine spark, which takes Parquet files "
                "and gives rows in random order. Leave it out."
            )
        self._spark()
        _require_source(options.file)

    @contextmanager
    def open(self, bar: Monitor) -> Iterator[SparkInput]:
        """Start Spark and read the file or folder."""
        options = self.options
        bar.stage("starting Spark")
        with session(options.master or LOCAL, loud=options.debug) as spark:
            bar.stage("reading")
            frame = read_parquet(spark, options.file)
            yield SparkInput(self._spark(), frame, bar)

    def _spark(self) -> Spark:
        return Spark(block_rows=self.block_rows or BLOCK_ROWS)


@dataclass(frozen=True)
class SparkInput(EngineInput):
    """A Spark frame."""

    bar: Monitor

    def release(
        self,
        method: Method,
        schema: Schema,
        seed: int | None,
        targets: Targets,
        *,
        keep_order: bool,
    ) -> Masked:
        """Mask the frame and write it."""
        from swapmeet.masking import mask_with

        assert not keep_order
        release = mask_with(self.engine, self.data, method, schema, seed, "mask")
        self.bar.stage("masking")
        release = release.remark(*self.inferred.remarks)
        return Masked(
            release.write(targets.release, audit=targets.audit, overwrite=targets.overwrite)
        )


def _require_source(path: Path) -> None:
    recover(path)
    if not path.exists():
        raise FileError(f"{path}: no such file or folder. Check the name.")
    if path.is_dir() and not any(path.rglob("*.parquet")):
        raise FileError(f"{path}: this folder has no Parquet files (.parquet).")
