"""Does a seed give the same release as before? Hashes of hundreds of small ones, by every door.

    python benchmarks/same_releases.py --write FILE           # before a change
    python benchmarks/same_releases.py --against FILE         # after it; ends with 1 if any differs
    python benchmarks/same_releases.py --only "homes / rwn*" --show   # what is hashed

A line has a name, a hash of values, types, order and donors, and a hash of words: notes, warnings,
shares. In place of the first stands `refused` where there is no release; the words are then those
of the refusal. Cards, searches and inspections are words only. `--spark` adds releases of Spark.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import chdir
from dataclasses import fields, is_dataclass
from fnmatch import fnmatch
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
from small_tables import TASKS, Task

import swapmeet as sm

METHODS: dict[str, Any] = {
    "matched": sm.MatchedSwap(k=5),
    "matched tree": sm.MatchedSwap(k=5, by="tree", order="pairs", cap=0.5),
    "matched kl": sm.MatchedSwap(k=10, by="kl-theta", l=2, theta=0.7, together=3),
    "matched strata": sm.MatchedSwap(k=5, by="strata", order="squares"),
    "rwn": sm.RWN(k=5, weights=0.1),
    "rwn q": sm.RWN(k=3, q=0.5, scale="zscore", ties="all"),
    "rwn eps": sm.RWN(eps=0.3, only_eps=True, weights=0.05),
    "rwn sample": sm.RWN(k=3, search="sample", sample=40),
    "rwn pairs": sm.RWN(k=3, search="pairs", sample=40),
    "rwn partition": sm.RWN(k=3, search="partition", parts=3),
    "rwn cells": sm.RWN(k=3, search="cells", parts=3),
    "rwn near": sm.RWN(k=3, near=["weight"]),
    "nbrs": sm.NBRS(eps=0.4, weights=0.1),
    "nbrs q": sm.NBRS(eps=0.8, q=0.5),
    "sjppds": sm.SJPPDS(bins=4),
    "sjppds full": sm.SJPPDS(bins=6, variant="full", min_bin=5, classes=2),
    "sjppds cumulative": sm.SJPPDS(bins=3, variant="cumulative", order="frequency"),
    "mews": sm.MEWS(bins=4),
    "mews rest": sm.MEWS(columns=["age"], width=10, rest="swap"),
    "meds": sm.MEDS(k=4),
    "meds rest": sm.MEDS(columns=["age", "wage"], k=3, rest="swap"),
    "microaggregation": sm.Microaggregation(k=3),
    "microaggregation pca": sm.Microaggregation(k=4, by="pca", permute=True),
    "microaggregation pppca": sm.Microaggregation(k=4, by="pppca"),
    "kl-theta": sm.KLTheta(k=8, l=2, theta=0.8),
    "kl-theta strict": sm.KLTheta(k=12, l=3, theta=0.6, diversity="entropy", leftover="suppress"),
    "kl-theta apart": sm.KLTheta(k=8, l=2, theta=0.9, together=False, t=0.4),
    "record-swap": sm.RecordSwap(k=3, swap_rate=0.2),
    "record-swap columns": sm.RecordSwap(
        columns=["town"], similar=["region"], risk=["age"], swap_rate=0.3
    ),
    "record-swap places": sm.RecordSwap(
        hierarchy=["region", "district"], similar=["rooms"], risk=["age", "sex"], swap_rate=0.2
    ),
    "rank-swap": sm.RankSwap(window=0.1),
    "rank-swap ends": sm.RankSwap(window=0.1, top=0.05, bottom=0.05, order="frequency"),
    "rank-swap correlation": sm.RankSwap(correlation=0.9),
    "noise": sm.Noise(level=0.2),
    "noise correlated": sm.Noise(level=0.2, correlated=True, whole="ignore", bounds="none"),
    "cart": sm.Cart(min_leaf=8),
    "data-shuffle": sm.DataShuffle(),
    "ipso": sm.IPSO(),
    "per-column": sm.PerColumn(
        parts=[(sm.RWN(k=4), ["age", "income"]), (sm.SJPPDS(bins=3), ["town", "since"])]
    ),
}
BY_EVERY_DOOR = ("matched", "rwn", "sjppds")
SEED = 7


class Run(NamedTuple):
    """What there is to mask, and how."""

    task: Task
    method: Any

    def mask(self, data: Any = None, **options: Any) -> Any:
        data = self.task.data if data is None else data
        return sm.mask(data, self.method, seed=SEED, **(self.task.roles | options))

    def write(self, name: str) -> str:
        """The table as a file: without its index, and flags and categories as texts have them."""
        if name.endswith("csv"):
            self.task.data.to_csv(name, index=False)
        else:
            pq.write_table(to_arrow(self.task), name)
        return name

    def read(self, name: str) -> sm.Document:
        return sm.read(self.write(name), missing=self.task.roles.get("missing"))

    def mask_file(self, source: str, target: str, **options: Any) -> Any:
        done = sm.mask_file(
            self.write(source), target, self.method, seed=SEED, audit="a.audit",
            **(self.task.roles | options),
        )  # fmt: skip
        return done, [Path(name) for name in (target, *options.get("also", ()), "a.audit")]


def to_arrow(task: Task) -> pa.Table:
    return pa.Table.from_pandas(task.data, preserve_index=False).replace_schema_metadata(None)


def mask_by_schema(run: Run) -> Any:
    return sm.mask(run.task.data, run.method, schema=run.task.schema, seed=SEED)


def mask_in_blocks(run: Run) -> Any:
    return run.mask(engine=sm.Local(block_rows=50, threads=2))


def mask_document(run: Run) -> Any:
    release = run.mask(run.read("people.csv"))
    release.write("release.csv", "release.parquet", audit="a.audit")
    return release, [Path("release.csv"), Path("release.parquet"), Path("a.audit")]


def mask_again(run: Run) -> Any:
    """By the run file of the release, from a file."""
    document = run.read("people.parquet")
    sm.Plan.of(run.mask(document), like=document).save("run.toml")
    return sm.Plan.load("run.toml").mask("people.parquet", seed=SEED), [Path("run.toml")]


def run_again(run: Run) -> Any:
    document = run.read("people.csv")
    sm.Plan.of(run.mask(document), like=document, block_rows=50).save("run.toml")
    done = sm.Plan.load("run.toml").run(
        "people.csv", "release.csv", seed=SEED, memory="1GB", audit="a.audit"
    )
    return done, [Path("release.csv"), Path("release.csv.run.toml"), Path("a.audit")]


DOORS: dict[str, Callable[[Run], Any]] = {
    "schema": mask_by_schema,
    "schema as inspected": lambda run: sm.mask(
        run.task.data, run.method, schema=run.task.schema, seed=SEED, as_inspected=True
    ),
    "polars": lambda run: run.mask(pl.from_arrow(to_arrow(run.task))),
    "arrow": lambda run: run.mask(to_arrow(run.task)),
    "as inspected": lambda run: run.mask(as_inspected=True),
    "nothing given, as inspected": lambda run: sm.mask(
        run.task.data, run.method, seed=SEED, as_inspected=True
    ),
    "blocks": mask_in_blocks,
    "document": mask_document,
    "run file": mask_again,
    "run file, by blocks": run_again,
    "csv": lambda run: run.mask_file("p.csv", "r.csv"),
    "csv to parquet": lambda run: run.mask_file("p.csv", "r.parquet", also=("s.csv",)),
    "parquet": lambda run: run.mask_file("p.parquet", "r.parquet", keep_order=True),
    "parquet by blocks": lambda run: run.mask_file("p.parquet", "r.parquet", block_rows=50),
    "csv by blocks": lambda run: run.mask_file("p.csv", "r.csv", block_rows=50, memory="2GB"),
}


def protect(run: Run) -> Any:
    found = sm.protect(run.task.data, run.method, seed=SEED, loss=0.5, **run.task.roles)
    return found.release, found.to_dict(), found.exposed, found.protected


def tune(run: Run) -> Any:
    """A search of four settings, and a release with the best of them."""
    study = sm.tune(
        run.task.data, ["rwn:k=3|9:weights=0.1", "sjppds:bins=3", "noise:level=0.2"], seed=SEED,
        limit={"dbrl": 0.9}, repeats=2, final_repeats=2, workers=1,
        measures=["dbrl", "margins", "pscr"], **run.task.roles,
    )  # fmt: skip
    found = without_times(study.to_dict())
    chosen = sm.apply(study, run.task.data, seed=SEED, publish=run.task.roles.get("publish", ()))
    return study.to_frame(), found, chosen.release, chosen.card.to_dict(), chosen.missed


def assess(run: Run) -> Any:
    return sm.assess(run.task.data, run.mask()).to_dict()


def assess_foreign(run: Run) -> Any:
    """A frame made elsewhere: only roles and the order of its rows are known."""
    roles = {name: names for name, names in run.task.roles.items() if name != "publish"}
    return sm.assess(run.task.data, run.mask().data, match="rows", **roles).to_dict()


def assess_file(run: Run) -> Any:
    run.mask_file("p.parquet", "r.parquet")
    return sm.assess_file("p.parquet", "r.parquet", audit="a.audit", memory="1GB").to_dict()


def compare(run: Run) -> Any:
    other = sm.mask(run.task.data, sm.SJPPDS(bins=3), seed=SEED, **run.task.roles)
    return sm.compare(run.task.data, run.mask(), other, measures=["dbrl", "margins"]).to_dict()


def inspect(task: Task) -> Any:
    return sm.inspect(task.data, **task.roles).to_dict()


DEAR_DOORS: dict[str, Callable[[Run], Any]] = {
    "protect": protect,
    "tune": tune,
    "assess": assess,
    "assess foreign": assess_foreign,
    "assess file": assess_file,
    "compare": compare,
}
DEAR_TASKS = ("plain", "gaps", "codes", "recoded", "bound", "homes with places", "visits")


def list_cases(*, spark: bool) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Name and work of every case."""
    for task, method in ((t, m) for t in TASKS for m in METHODS):
        run = Run(TASKS[task], METHODS[method])
        yield f"{task} / {method}", run.mask
        if method in BY_EVERY_DOOR:
            for door, work in DOORS.items():
                yield f"{task} / {method} / {door}", lambda work=work, run=run: work(run)
    for task, door in ((t, d) for t in DEAR_TASKS for d in DEAR_DOORS):
        run = Run(TASKS[task], METHODS["matched"])
        yield f"{task} / matched / {door}", lambda door=door, run=run: DEAR_DOORS[door](run)
    for task, table in TASKS.items():
        yield f"{task} / inspect", lambda table=table: inspect(table)
        if isinstance(table.roles.get("recode"), list):
            yield (
                f"{task} / recode",
                lambda table=table: sm.recode(table.data, *table.roles["recode"]),
            )
    if spark:
        yield from list_spark_cases()


SPARK = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "4",
    "spark.driver.memory": "1g",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.sql.session.timeZone": "UTC",
}
SPARK_TASKS = ("gaps", "strata", "codes", "recoded", "bound", "homes with places", "wrong step")
SPARK_METHODS = ("matched", "rwn", "sjppds")


def list_spark_cases() -> Iterator[tuple[str, Callable[[], Any]]]:
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[2]")
    for name, value in SPARK.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    for task, method in ((t, m) for t in SPARK_TASKS for m in SPARK_METHODS):
        run = Run(TASKS[task], METHODS[method])
        yield f"{task} / {method} / spark", lambda run=run: mask_by_spark(session, run)


def mask_by_spark(session: Any, run: Run) -> Any:
    """The release in the order of the rows, and as it is written."""
    names = [one.name for one in TASKS["plain"].schema if str(one.kind) == "ordinal"]
    table = run.task.data.astype({name: str for name in names if name in run.task.data})
    numbers = np.arange(len(table))
    rows = pa.Table.from_pandas(table.assign(row=numbers, number=numbers), preserve_index=False)
    frame = session.createDataFrame(rows.replace_schema_metadata(None))
    roles = run.task.roles | {"keep": [*run.task.roles.get("keep", ()), "row"], "publish": ["row"]}
    engine = sm.Spark(block_rows=60, row_id="number")
    release = sm.mask(frame, run.method, seed=SEED, engine=engine, **roles)
    done = release.write("release", audit="record")
    return release.data.toArrow().sort_by("row"), done, [Path("record")]


class Digest:
    """What a case made, as texts: values, and words."""

    def __init__(self) -> None:
        self.values: list[str] = []
        self.words: list[str] = []

    def add(self, one: Any) -> None:
        if isinstance(one, (tuple, list)):
            for part in one:
                self.add(part)
        elif isinstance(one, Path):
            self.add_file(one)
        elif isinstance(one, sm.AuditRecord):
            stuck = {name: rows.tolist() for name, rows in one.stuck.items()}
            self.values.append(f"{one.columns} {one.donors.tolist()} {one.owner.tolist()} {stuck}")
        elif isinstance(one, (pd.DataFrame, pl.DataFrame, pa.Table, np.ndarray)):
            self.values.append(list_cells(one))
        elif hasattr(one, "changes"):
            self.add_summary(one)
        else:
            self.words.append(json.dumps(simplify(one), default=repr))

    def add_file(self, path: Path) -> None:
        """A table of any format, an audit record, or a text."""
        if path.suffix == ".parquet":
            self.add(pq.read_table(path))
        elif path.suffix == ".toml":
            self.words.append(path.read_text())
        elif path.suffix == ".csv":
            self.values.append(path.read_text())
        else:
            self.add(sm.AuditRecord.load(path))

    def add_summary(self, release: Any) -> None:
        """A release, in memory or not."""
        if isinstance(release, sm.Release):
            self.add((release.data, release.shuffled(), release.audit))
        names = ("rows", "method", "settings", "reproducible", "notes", "changes", "recodes",
                 "rules", "protection", "schema")  # fmt: skip
        facts = {name: simplify(getattr(release, name)) for name in names}
        self.words.append(json.dumps(facts, default=repr, indent=1))


def list_cells(table: Any) -> str:
    """Names, types and cells of a table of any library; the index of pandas as well."""
    if isinstance(table, pd.DataFrame):
        kinds = [getattr(kind, "categories", None) for kind in table.dtypes]
        types = [f"{kind!r} {list(k)}" if k is not None else repr(kind)
                 for kind, k in zip(table.dtypes, kinds, strict=True)]  # fmt: skip
        return f"{types} {table.index.tolist()} {table.to_dict('list')}"
    if isinstance(table, pl.DataFrame):
        return f"{table.schema!r} {table.to_dict(as_series=False)}"
    if isinstance(table, pa.Table):
        return f"{table.schema} {table.to_pydict()}"
    return str(table.tolist())


def simplify(value: Any) -> Any:
    """What JSON knows, without the names of our classes."""
    if isinstance(value, sm.Schema):
        return [value.to_dict(), value.ties.to_dict(), value.recodes]
    if is_dataclass(value):
        return {field.name: simplify(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(name): simplify(one) for name, one in value.items()}
    return [simplify(one) for one in value] if isinstance(value, (list, tuple)) else value


def without_times(value: Any) -> Any:
    """The same without what a clock says."""
    if isinstance(value, dict):
        return {k: without_times(v) for k, v in value.items() if "seconds" not in k}
    return [without_times(one) for one in value] if isinstance(value, list) else value


def examine(work: Callable[[], Any]) -> tuple[str, str]:
    """Values and words of what the work made; a refusal, ours or a foreign one, is words."""
    digest = Digest()
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                digest.add(work())
            except Exception as error:  # noqa: BLE001
                return "refused", f"{type(error).__name__}: {error}".replace(folder, "")
        warned = [f"{Path(one.filename).name}: {one.message}" for one in caught
                  if issubclass(one.category, sm.SwapmeetWarning)]  # fmt: skip
    return "\n".join(digest.values), "\n".join([*digest.words, *warned])


def hash_text(text: str) -> str:
    return text if text in ("", "refused") else sha256(text.encode()).hexdigest()


def run_cases(pattern: str, *, spark: bool, show: bool) -> dict[str, str]:
    """The two hashes of each case whose name fits."""
    lines: dict[str, str] = {}
    for name, work in list_cases(spark=spark):
        if fnmatch(name, pattern):
            values, words = examine(work)
            lines[name] = f"{hash_text(values) or '-'} {hash_text(words) or '-'}"
            print(name, lines[name], *([f"\n{values}\n{words}\n"] if show else []), flush=True)
    return lines


def read_lines(path: Path, pattern: str, *, spark: bool) -> dict[str, str]:
    parts = (line.rsplit(maxsplit=2) for line in path.read_text().splitlines())
    lines = {name: f"{values} {words}" for name, values, words in parts}
    return {name: line for name, line in lines.items()
            if fnmatch(name, pattern) and (spark or not name.endswith(" spark"))}  # fmt: skip


def list_differences(before: dict[str, str], after: dict[str, str]) -> list[str]:
    found = [f"gone: {name}" for name in before if name not in after]
    found += [f"new: {name}" for name in after if name not in before]
    for name in before.keys() & after.keys():
        (values, words), (new, new_words) = before[name].split(), after[name].split()
        if values != new:
            found.append(f"{'REFUSAL' if 'refused' in (values, new) else 'VALUES'}: {name}")
        elif words != new_words:
            found.append(f"words: {name}")
    return sorted(found)


def main() -> None:
    parser = argparse.ArgumentParser(description="Hashes of some thousand small releases.")
    parser.add_argument("--write", type=Path, metavar="FILE", help="save the lines")
    parser.add_argument("--against", type=Path, metavar="FILE", help="list what differs")
    parser.add_argument("--only", default="*", metavar="PATTERN", help="of names of cases")
    parser.add_argument("--show", action="store_true", help="print what is hashed")
    parser.add_argument("--spark", action="store_true", help="releases of Spark, too")
    asked = parser.parse_args()
    after = run_cases(asked.only, spark=asked.spark, show=asked.show)
    if asked.write:
        asked.write.write_text("".join(f"{name} {line}\n" for name, line in after.items()))
    if asked.against:
        before = read_lines(asked.against, asked.only, spark=asked.spark)
        found = list_differences(before, after)
        print("\n".join(["", *found, f"{len(found)} of {len(after)} differ."]))
        sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
