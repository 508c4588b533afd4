"""Damaged files: tables of every format, run files, audit records, journals."""

from __future__ import annotations

import io
import json
import tempfile
import zipfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq

import swapmeet as sm
from fuzzing.odd import INTEGERS, damage, mutate
from fuzzing.oracle import require
from fuzzing.texts import people
from swapmeet import io as files
from swapmeet.release.audit import AuditRecord, read_texts
from swapmeet.tuning import Study

if TYPE_CHECKING:
    from random import Random

ODD_JSON: tuple[Any, ...] = (
    None, True, -1, 0, 2**63, 10**30, 1e308, "", "x", "\ud800", [], {}, [[]], {"a": {}}, [None],
    float("nan"), float("inf"), -1.5, ["x"] * 3, {"": None}, "nan", list(range(5)),
)  # fmt: skip


def read_csv(rng: Random) -> None:
    """A delimited text, damaged."""
    _read(mutate(rng, _csv()), rng.choice(("x.csv", "x.tsv", "x.txt")))


def read_table(rng: Random) -> None:
    """A binary table, damaged."""
    suffix = rng.choice(tuple(_tables()))
    _read(mutate(rng, _tables()[suffix]), f"x{suffix}")


def read_record(rng: Random) -> None:
    """An audit record, damaged or with other contents, and the release assessed with it."""
    release, content = _record()
    changed = mutate(rng, content) if rng.random() < 0.3 else _change_record(rng, content)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.audit"
        path.write_bytes(changed)
        read_texts(path, "recode")
        audit = AuditRecord.load(path)
    _ = repr(audit)
    sm.assess(_small(), release, audit=audit, measures=["dcr"], limits={}, threads=1)


def read_journal(rng: Random) -> None:
    """A journal of a search, damaged, and what is asked of a study."""
    lines = _journal()
    changed = [_change_line(rng, line) if rng.random() < 0.3 else line for line in lines]
    if rng.random() < 0.2:
        rng.shuffle(changed)
    content = "".join(changed).encode("utf-8", "surrogatepass")
    if rng.random() < 0.2:
        content = mutate(rng, content)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.jsonl"
        path.write_bytes(content)
        study = Study.load(path)
        _ = repr(study), study._repr_html_(), study.frontier(), study.choice, study.to_frame()
        sm.report(study, Path(folder) / "x.html")


def _read(content: bytes, name: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(content)
        document = files.read(path)
        schema = sm.Schema.guess(document.frame, document.kinds)
        require(len(schema.names) == len(set(schema.names)), "a name is there twice")
        if path.suffix in {".csv", ".parquet"}:
            files.write(Path(folder) / f"out{path.suffix}", document.frame, like=document)


@cache
def _small() -> Any:
    return people()[["age", "sex", "income", "ok"]]


@cache
def _csv() -> bytes:
    text = _small().to_csv(index=False)
    return (text + '"a ""quoted"" cell",x,1.5,\n;;\n\n').encode()


@cache
def _tables() -> dict[str, bytes]:
    """A small table in each format."""
    table = pa.Table.from_pandas(people().drop(columns=["span", "born"]), preserve_index=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        pq.write_table(table, folder / "x.parquet")
        feather.write_feather(table, folder / "x.arrow", compression="uncompressed")
        for suffix in (".xlsx", ".sav", ".dta", ".zsav", ".xpt", ".por"):
            frame = _small().astype({"ok": int, "sex": str}).head(8)
            try:
                files.write(folder / f"x{suffix}", frame)
            except sm.SwapmeetError:
                continue
        return {path.suffix: path.read_bytes() for path in folder.iterdir()}


@cache
def _record() -> tuple[Any, bytes]:
    release = sm.mask(_small(), sm.SJPPDS(bins=3), seed=1)
    with tempfile.TemporaryDirectory() as folder:
        release.audit.save(Path(folder) / "x.audit")
        content = (Path(folder) / "x.audit").read_bytes()
    return release.shuffled(), content


def _change_record(rng: Random, content: bytes) -> bytes:
    """The archive with a member changed, left out, or of another type or size."""
    with np.load(io.BytesIO(content)) as stored:
        members = {name: stored[name] for name in stored.files}
    name = rng.choice(tuple(members))
    way = rng.randrange(7)
    if way == 0:
        del members[name]
    elif way == 1:
        members[name] = members[name][..., :-1] if members[name].ndim else members[name]
    elif way == 2 and members[name].ndim:
        members[name] = np.frombuffer(members[name].tobytes(), np.uint8).astype(
            rng.choice(("f8", "i1", "U5", "c16", "u8", "?"))
        )
    elif way == 3 and members[name].dtype.kind == "i" and members[name].size:
        members[name] = members[name].copy()
        members[name].flat[rng.randrange(members[name].size)] = rng.choice((-1, -2, -3, 99, 10**9))
    elif way == 4:
        members[name] = np.zeros(
            rng.choice(((), (0,), (3, 3, 3), (24, 0))), rng.choice(("f8", "i8", "U3"))
        )
    else:
        facts = json.loads(str(members["facts"]))
        members["facts"] = np.array(json.dumps(_change_json(rng, facts)))
    out = io.BytesIO()
    np.savez(out, **members)
    return _claim_size(out.getvalue()) if rng.random() < 0.05 else out.getvalue()


def _claim_size(content: bytes) -> bytes:
    """A member that claims to hold a million rows a thousand times over."""
    out = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(content)) as old,
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for name in old.namelist():
            new.writestr(name, old.read(name).replace(b"'shape': (24", b"'shape': (24000000000"))
    return out.getvalue()


@cache
def _journal() -> tuple[str, ...]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.jsonl"
        sm.tune(_small(), methods=[sm.SJPPDS(bins=2), sm.RWN(k=2), sm.RankSwap(window=0.2)],
        repeats=2,
                journal=path, workers=1, limit={"linkage": 0.9}, seed=1)  # fmt: skip
        return tuple(path.read_text().splitlines(keepends=True))


def _change_line(rng: Random, line: str) -> str:
    if rng.random() < 0.2:
        return damage(
            rng, line, ("{", "}", "[", ":", "NaN", "null", "\n", "1e999", str(rng.choice(INTEGERS)))
        )
    if rng.random() < 0.1:
        return rng.choice(
            ("[" * 100_000, '{"a":' * 50_000, "{}\n", "null\n", "\n", '{"kind": "trial"}\n')
        )
    return json.dumps(_change_json(rng, json.loads(line))) + "\n"


def _change_json(rng: Random, content: Any) -> Any:
    """The same with one member somewhere replaced, left out, or moved to another's place."""
    if isinstance(content, dict) and content and rng.random() < 0.9:
        name = rng.choice(tuple(content))
        way = rng.random()
        if way < 0.15:
            return {key: value for key, value in content.items() if key != name}
        if way < 0.3:
            other = rng.choice(tuple(content))
            return {**content, name: content[other], other: content[name]}
        return {**content, name: _change_json(rng, content[name])}
    if isinstance(content, list) and content and rng.random() < 0.6:
        at = rng.randrange(len(content))
        return [*content[:at], _change_json(rng, content[at]), *content[at + 1 :]]
    return rng.choice(ODD_JSON)
