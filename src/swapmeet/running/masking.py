"""mask() and mask_file(): choose the engine, and hand a table, a method and a seed to it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack, overload

from swapmeet.base.atomic import all_or_nothing
from swapmeet.base.progress import Progress, Pulse, silent
from swapmeet.engines import choose_engine
from swapmeet.engines.checks import choose_seed, require_method
from swapmeet.engines.files.engine import MEMORY, Files, Target
from swapmeet.plan.plan import Plan
from swapmeet.running.preparation import Prepared, prepare, refuse_inspection
from swapmeet.tables.roles import Roles, check_arguments, collect_roles, list_missing

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from swapmeet.base.seeds import Seed
    from swapmeet.engines import Local, Spark, SparkRelease
    from swapmeet.io.document import Document
    from swapmeet.methods import Method
    from swapmeet.release.release import FileRelease, Release
    from swapmeet.tables.frame import Frame
    from swapmeet.tables.schema import Schema


@overload
def mask(
    data: Frame | Document,
    method: Method,
    *,
    schema: Schema | None = None,
    seed: int | None = None,
    engine: Local | None = None,
    as_inspected: bool = False,
    progress: Progress = silent,
    **roles: Unpack[Roles],
) -> Release: ...


@overload
def mask(
    data: Any,
    method: Method,
    *,
    schema: Schema | None = None,
    seed: int | None = None,
    engine: Spark,
    progress: Progress = silent,
    **roles: Unpack[Roles],
) -> SparkRelease: ...


@check_arguments
def mask(
    data: Any,
    method: Method,
    *,
    schema: Schema | None = None,
    seed: int | None = None,
    engine: Any = None,
    as_inspected: bool = False,
    progress: Progress = silent,
    **roles: Unpack[Roles],
) -> Any:
    """Mask a table, or the document of a file (`read`).

    Columns with the role key or sensitive are masked; without a `schema` it is inferred, and all
    are but those given another role here: `drop=["id"], keep=["weight"]`. The seed comes from the
    operating system unless given; a given seed marks the release as reproducible: fit for tests and
    studies, not for publication. A Spark frame is masked by its cluster and gives a `SparkRelease`,
    any other table a `Release`: a frame of pandas, polars or pyarrow one of the same kind, anything
    else with `__arrow_c_stream__`, such as a relation of DuckDB, one of pyarrow. Columns that look
    like direct identifiers of people are warned of, unless they are to be dropped or, by `publish`,
    to be published all the same; a schema says so by `schema.assign(drop=["id"])`.

    `roles` are names of columns, by what is to be done with them: `key`, `sensitive`, `place`,
    `keep`, `weight`, `strata`, `position`, `household`, `person`, `drop` and `publish`. Besides
    there are `missing` (codes for missing values), `together` (sets of columns that move as one),
    `derive` ("total = a + b"), `rule` (conditions that every row obeys), `unrepaired`,
    `whole_households`, and `recode` ("age: top 80"): steps that run before anything else.

    With `as_inspected`, all that `inspect` finds and that nothing else was said of is done as well:
    roles, ties, codes for missing values, columns left out. The notes of the release list it.

    >>> import swapmeet as sm
    >>> people = sm.datasets.load("diabetes")
    >>> release = mask(people, sm.RWN(k=5), sensitive=["target"], keep=["sex"], seed=1)
    >>> release.schema.having(sm.Role.SENSITIVE, sm.Role.KEEP)
    ('sex', 'target')
    """
    require_method(method)
    plan = plan_of("mask", schema, roles, as_inspected=as_inspected)
    chosen = choose_engine(data, engine, progress)
    if as_inspected:
        refuse_inspection("mask", chosen)
        progress("inspecting", 0, 0)
    progress("masking", 0, 0)
    prepared = prepare(plan, data, chosen, asked_by="mask", schema=schema)
    return mask_prepared(prepared, method, choose_seed(seed))


def plan_of(
    asked_by: str, schema: Schema | None, roles: Roles, *, as_inspected: bool = False
) -> Plan:
    """The plan that arguments make; roles are refused beside a schema, which has its own."""
    plan = Plan.of_roles(**collect_roles(asked_by, schema, roles))
    return replace(plan, prepare=replace(plan.prepare, as_inspected=as_inspected))


def mask_prepared(prepared: Prepared, method: Method, seed: Seed) -> Any:
    """The one path to a release, whichever engine makes it."""
    return prepared.remark(prepared.engine.mask(prepared.data, method, prepared.schema, seed))


@check_arguments
def mask_file(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    method: Method,
    *,
    schema: Schema | None = None,
    seed: int | None = None,
    block_rows: int | None = None,
    memory: str | int = MEMORY,
    keep_order: bool = False,
    also: Sequence[str | os.PathLike[str]] = (),
    audit: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
    delimiter: str | None = None,
    encoding: str | None = None,
    header: bool | None = None,
    threads: int | None = None,
    progress: Progress = silent,
    **roles: Unpack[Roles],
) -> FileRelease:
    """Mask a Parquet file or a delimited text of any size into another one.

    The rows are those that `mask` releases in blocks of `block_rows`, in random order (or that of
    the file, with `keep_order`). `memory` is what the work may take: blocks have a million rows, or
    as many as fit, which a note tells; `block_rows` that do not fit are refused before any work.
    `also` names further files, of either format, that get the same rows in the same order.
    `delimiter` and `encoding` are those of a text; `header` says whether its first line names the
    columns. Roles are given as in `mask`.

    >>> import tempfile
    >>> import pyarrow as pa, pyarrow.parquet as pq
    >>> import swapmeet as sm
    >>> people = pa.Table.from_pandas(sm.datasets.load("fair"))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     pq.write_table(people, folder + "/people.parquet")
    ...     done = mask_file(folder + "/people.parquet", folder + "/release.parquet",
    ...                      sm.RWN(k=10, weights=0.2), block_rows=2000)
    >>> done.rows, done.notes[0].split(" of ")[0]
    (6366, 'masked in 4 blocks')
    """
    from swapmeet.engines.files.opening import open_source, require_targets

    goal = Target(
        release=Path(target), also=tuple(map(Path, also)),
        audit=None if audit is None else Path(audit),
        keep_order=keep_order, overwrite=overwrite,
    )  # fmt: skip
    require_method(method)
    plan = plan_of("mask_file", schema, roles)
    pulse = Pulse.of(progress)
    engine = Files(
        target=goal, memory=memory, block_rows=block_rows, threads=threads, progress=pulse
    )
    missing = plan.reading.get("missing") if schema is None else list_missing(schema)
    with all_or_nothing():
        require_targets(source, goal)
        with open_source(
            source, target, delimiter=delimiter, encoding=encoding, header=header,
            missing=missing, workers=engine.workers,
        ) as file:  # fmt: skip
            prepared = prepare(plan, file, engine, asked_by="mask_file", schema=schema)
            release: FileRelease = mask_prepared(prepared, method, choose_seed(seed))
            return release
