"""A file to be read in pieces: opened as its format asks, recoded, and scanned before any block."""

from __future__ import annotations

import os
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from operator import add
from pathlib import Path
from typing import TYPE_CHECKING, Any

from swapmeet.base.atomic import check_target, claim_target
from swapmeet.base.parallel import Workers
from swapmeet.engines.files.spill import private_folder
from swapmeet.errors import SchemaError, UsageError
from swapmeet.io.format import Outlet, Source, require_file
from swapmeet.io.formats import streaming_format
from swapmeet.tables.arrow import CellType
from swapmeet.tables.frame import Table
from swapmeet.tables.recoding.plan import RecodePlan, add_counts
from swapmeet.tables.recoding.recoded import Recoded
from swapmeet.tables.scan import (
    CombinationCounts,
    Scan,
    Strata,
    columns_to_scan,
    require_few_levels,
)
from swapmeet.tables.schema import Role, Schema
from swapmeet.tables.schema_guess import FewValues, correct_kinds, uncertain_columns

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from swapmeet.engines.files.engine import Target
    from swapmeet.tables.recoding.recode import Recode
    from swapmeet.tables.roles import MissingCodes


STREAMED = ("parquet", "csv")
"""The formats of files that can be masked piece by piece."""


@contextmanager
def open_source(
    path: str | os.PathLike[str],
    beside: str | os.PathLike[str],
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    header: bool | None = None,
    missing: MissingCodes | None = None,
    workers: Workers | None = None,
    to: str = "mask",
) -> Iterator[Source]:
    """The file at `path`, to mask or to assess it.

    What its format puts aside lies in a private folder beside the file `beside`.
    """
    source, kind = Path(path), streaming_format(path, to)
    require_file(source)
    given = {"delimiter": delimiter, "encoding": encoding, "header": header}
    options: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    kind.check_options(source, options)
    if missing and "missing" in kind.options:
        options["missing"] = missing
    with private_folder(Path(beside)) as folder:
        yield kind.open_source(source, folder, workers or Workers(), **options)


def guess_schema(path: str | os.PathLike[str]) -> Schema:
    """The kinds that `Schema.infer` would find in the whole file.

    What looks like an identifier is judged by the first 65,536 rows.
    """
    with open_source(path, Path(tempfile.gettempdir()) / "any") as file:
        return infer_schema(file)


@contextmanager
def open_pair(
    original: str | os.PathLike[str],
    release: str | os.PathLike[str],
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    header: bool | None = None,
    missing: MissingCodes | None = None,
    workers: Workers | None = None,
) -> Iterator[tuple[Source, Source]]:
    """Two files to compare; what is put aside of texts lies beside the original."""

    def open_one(
        path: str | os.PathLike[str], *, header: bool | None
    ) -> AbstractContextManager[Source]:
        return open_source(
            path, original, delimiter=delimiter, encoding=encoding, header=header,
            missing=missing, workers=workers, to="assess",
        )  # fmt: skip

    has_lines = "header" in streaming_format(release, "assess").options
    named = header is not False if has_lines else None
    with open_one(original, header=header) as before, open_one(release, header=named) as after:
        yield before, after


def require_targets(source: str | os.PathLike[str], target: Target) -> None:
    """Refuse files that cannot be written, before any work is done."""
    for path in target.releases:
        streaming_format(path)
    made = [*target.releases] if target.audit is None else [*target.releases, target.audit]
    if len({os.path.realpath(path) for path in (source, *made)}) <= len(made):
        raise UsageError(
            f"{target.release}: source, release and audit record must be different files."
        )
    for path in made:
        check_target(path, overwrite=True)
        claim_target(path)
        check_target(path, overwrite=target.overwrite)


PIECE = 1 << 20


def scan(source: Source, schema: Schema, piece_rows: int, limit: int, workers: Workers) -> Scan:
    """Read all rows once, but only the columns that tell something."""
    wanted = columns_to_scan(schema, source.schema)
    seen = CombinationCounts(len(schema.having(Role.STRATA)))
    done = 0
    with ThreadPoolExecutor(workers.threads) as pool:
        for _, table in source.pieces([column.name for column in wanted], piece_rows):
            list(pool.map(lambda column, part=table: column.look(part), wanted))
            seen.add([column.codes for column in wanted if column.is_stratum], len(table))
            require_few_levels(wanted, limit)
            done += len(table)
            workers.progress("scanning", done, source.rows)
    return Scan(
        schema=schema,
        rows=done,
        statistics={c.name: c.gathered.statistics() for c in wanted if c.gathered is not None},
        codings={c.name: c.coding for c in wanted if c.coding is not None},
        strata=Strata.of(seen),
        grains={c.name: c.grain for c in wanted if c.grain},
        used={c.name: c.used_levels() for c in wanted if c.is_dictionary},
    )


def infer_schema(file: Source) -> Schema:
    """The kinds that `Schema.infer` would find in the whole file.

    What looks like an identifier is judged by the first 65,536 rows, or 64 MB.
    """
    guessed = Schema.guess(file.head, {})
    if file.rows <= len(file.head):
        return guessed
    return correct_kinds(
        guessed, _with_many_values(file, uncertain_columns(guessed, Table(file.head)))
    )


def _with_many_values(file: Source, names: list[str]) -> set[str]:
    """Choose the integer columns that have more than a few distinct values."""
    seen = FewValues(names)
    for _, table in file.pieces(names, PIECE) if names else ():
        seen.add(table)
        if seen.is_decided:
            break
    return seen.many


@dataclass(frozen=True)
class RecodedSource:
    """A file after the steps of a plan; `inner` is the file as it is."""

    inner: Source
    plan: RecodePlan

    @property
    def path(self) -> Path:
        """The path of the file."""
        return self.inner.path

    @property
    def rows(self) -> int:
        """Number of rows."""
        return self.inner.rows

    @property
    def names(self) -> list[str]:
        """The columns, in order."""
        return self.inner.names

    @property
    def schema(self) -> Any:
        """The types of the columns; those with steps may have gaps."""
        schema = self.inner.schema
        for name in self.plan.columns:
            place = schema.get_field_index(name)
            schema = schema.set(place, schema.field(place).with_nullable(True))  # noqa: FBT003
        return schema

    @cached_property
    def head(self) -> Any:
        """The first rows, recoded."""
        return self.plan.apply(Table(self.inner.head))[0]

    def pieces(self, columns: Iterable[str], rows: int) -> Iterator[tuple[int, Any]]:
        """Recoded tables of at most `rows` rows, each with the number of its first row."""
        for begin, table in self.inner.pieces(columns, rows):
            yield begin, self.plan.apply(Table(table))[0]


def recode_source(file: Source, recodes: Sequence[Recode]) -> Recoded[Source]:
    """The file after the steps; all rows are read once, and once more for each count of levels."""
    if not recodes:
        return Recoded(file)
    RecodePlan(tuple(recodes)).require_columns(file.names)
    _refuse_ordered(Table(file.head), recodes)
    plan = RecodePlan.settle(
        recodes,
        lambda so_far, recode: add_counts(
            so_far.count_levels(Table(table), recode)
            for _, table in file.pieces([recode.column], PIECE)
        ),
    )
    pieces = (Table(table) for _, table in file.pieces(plan.columns, PIECE))
    tally = reduce(add, (plan.apply(piece)[1] for piece in pieces))
    return Recoded(RecodedSource(file, plan), plan, plan.conclude(tally))


def _refuse_ordered(head: Table, recodes: Sequence[Recode]) -> None:
    """The order of categories is known of a whole table only."""
    ordered = [r.column for r in recodes if head.family(r.column) is CellType.ORDERED]
    if ordered:
        problem = (
            f"recode: column {ordered[0]!r} holds ordered categories, which are recoded in "
            "memory only. Leave out the memory limit, or recode it before."
        )
        raise SchemaError([problem])


def open_outlet(target: Path, file: Source) -> Outlet:
    """Return the writer of a file's release; cells that were recoded are not those of the file."""
    kind = streaming_format(target)
    if not isinstance(file, RecodedSource):
        return kind.open_outlet(target, file)
    outlet: Any = kind.open_outlet(target, file.inner)
    kept = {name: cells for name, cells in outlet.cells.items() if name not in file.plan.columns}
    return replace(outlet, cells=kept) if outlet.cells else outlet
