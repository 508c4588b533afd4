"""Do the tests notice when the code is wrong?

.venv/bin/python benchmarks/mutations.py --by-hand --random 60 mutations.csv

Each mutation is applied to a scratch copy of what is committed. The tests of the file that it
changes run first, then those of its folder, of its area, all everyday tests, and at last the slow
tests of its area, until one fails. With `--near`, all everyday tests and slow ones are left for
later. The table gets a line as each is done: run the command again to go on.
"""

from __future__ import annotations

import argparse
import ast
import csv
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).resolve().parents[1]
SOURCE = "src/swapmeet"
COLUMNS = ("file", "line", "mutation", "killed by", "first failure", "seconds")
LONGEST = 1800
"""Seconds of one run of tests; a mutation that makes it longer is noticed."""
FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+)", re.MULTILINE)
SURVIVED, NEAR, EQUIVALENT = "survived", "survived near", "equivalent"
FLIPPED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "==",
           "in": "not in", "not in": "in", "is": "is not", "is not": "is"}  # fmt: skip
SHIFTED = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
OPERATORS = {"+": "-", "-": "+", "*": "/", "/": "*", "//": "*", "&": "|", "|": "&"}

BY_HAND = (
    ("comparison/score.py", "end <= limit if", "end < limit if"),
    ("comparison/score.py", "np.max(ends) if", "np.min(ends) if"),
    ("comparison/score.py", "Judgement.OPEN if self.hidden else Judgement.SAFE", "Judgement.SAFE"),
    (
        "measures/verdict.py",
        "judgements == {Judgement.SAFE} and not doubt",
        "judgements == {Judgement.SAFE}",
    ),
    (
        "measures/verdict.py",
        "if Judgement.NOT_SAFE in judgements",
        "if judgements == {Judgement.NOT_SAFE}",
    ),
    ("measures/default_limits.py", 'if n.removesuffix("-linkage") in roles', "if not roles"),
    ("comparison/intervals.py", "tail = (1.0 - confidence) / 2.0", "tail = 1.0 - confidence"),
    ("comparison/intervals.py", "count + 1.0, total - count)", "count + 0.5, total - count)"),
    (
        "intruders/links/intruder.py",
        "(self.place[rows] == people) | (",
        "(self.place[rows] == people) & (",
    ),
    ("intruders/links/intruder.py", "masked if name not in known]", "masked if name in known]"),
    ("intruders/links/evidence.py", "self.reasons.extend(one for", "list(one for"),
    ("measures/risk/copies.py", "return max(*(n / self.whole.n", "return min(*(n / self.whole.n"),
    (
        "measures/risk/inference.py",
        "key=lambda one: one.share - one.control",
        "key=lambda one: -one.share",
    ),
    (
        "release/donors.py",
        "np.where(donors < 0, donors, rows[",
        "np.where(donors < -1, donors, rows[",
    ),
    ("release/donors.py", "or 2 * len(block) <= p", "or 2 * len(block) < p"),
    ("release/audit.py", "overwrite=overwrite, private=True", "overwrite=overwrite"),
    ("base/atomic.py", "0o600 if private else 0o666", "0o640 if private else 0o666"),
    ("base/atomic.py", "if path.exists() and not overwrite", "if path.exists() and overwrite"),
    (
        "base/atomic.py",
        "if os.path.lexists(path) and not overwrite",
        "if os.path.lexists(path) and overwrite",
    ),
    ("base/seeds.py", "secrets.token_bytes(BITS // 8)", "bytes(BITS // 8)"),
    ("base/seeds.py", "rounds=20", "rounds=8"),
    ("base/seeds.py", 'len(content).to_bytes(4, "little") + content', "content"),
    ("base/row_hash.py", "pairs[:, 0::2] | (", "pairs[:, 0::2] & ("),
    ("algorithms/blocks.py", "2 * self.blocks + guests", "2 * self.blocks"),
    ("methods/mews.py", "cells_of(places, data.strata)", "cells_of(places, data.strata * 0)"),
    ("app/guard.py", 'f"http://{host}" and site', 'f"http://{host}" or site'),
    ("app/guard.py", "return any(are_same(", "return all(are_same("),
)
"""File, what stands in it once, and what takes its place: where a fault would do most harm."""

SAME: dict[tuple[str, str], str] = {}
"""Mutations that change nothing anybody could see, by file and words, with the reason."""


@dataclass(frozen=True)
class Mutation:
    """Some bytes of a file, and what takes their place."""

    path: str
    begin: int
    end: int
    text: str

    def apply(self, content: bytes) -> bytes:
        """Make the file with the mutation, formatted as it was elsewhere."""
        return content[: self.begin] + self.text.encode() + content[self.end :]

    def describe(self, content: bytes) -> tuple[str, int, str]:
        """Name file, line and change."""
        line = content[: self.begin].count(b"\n") + 1
        whole = content.splitlines()[line - 1].decode().strip()
        old = " ".join(content[self.begin : self.end].decode().split())
        return self.path, line, f"{old or 'nothing'} -> {self.text.strip()}   in   {whole}"


class Finder:
    """All mutations of a file, by kind."""

    def __init__(self, path: str, content: bytes) -> None:
        self._path, self._content = path, content
        self._starts = [0]
        for line in content.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))

    def find(self) -> dict[str, list[Mutation]]:
        """Find them in what runs; neither types nor texts are mutated."""
        found: dict[str, list[Mutation]] = {}
        for node in _walk(ast.parse(self._content)):
            for kind, mutation in self._mutate(node):
                found.setdefault(kind, []).append(mutation)
        return found

    def _mutate(self, node: ast.AST) -> Iterator[tuple[str, Mutation]]:
        match node:
            case ast.Compare(left=left, comparators=[right]):
                for kind, words in (("comparison", FLIPPED), ("boundary", SHIFTED)):
                    yield from self._replace_between(kind, left, right, words)
            case ast.BinOp(left=left, right=right):
                yield from self._replace_between("operator", left, right, OPERATORS)
            case ast.BoolOp(values=[left, right, *_]):
                yield from self._replace_between("and/or", left, right, {"and": "or", "or": "and"})
            case ast.UnaryOp(op=ast.Not()):
                begin = self._begin(node)
                yield "not", Mutation(self._path, begin, begin + len("not"), "")
            case ast.Constant(value=bool(value)):
                yield "constant", self._replace(node, str(not value))
            case ast.Constant(value=int(value) | float(value)):
                yield "constant", self._replace(node, repr(value + 1))
            case ast.Return(value=ast.expr() as value) if not isinstance(value, ast.Constant):
                yield "return", self._replace(value, "None")
            case ast.Call(args=[first, second, *_]) if not isinstance(first, ast.Starred):
                texts = [self._text(one) for one in (first, second)]
                between = self._content[self._end(first) : self._begin(second)].decode()
                swapped = Mutation(
                    self._path, self._begin(first), self._end(second), between.join(texts[::-1])
                )
                if texts[0] != texts[1]:
                    yield "arguments", swapped

    def _replace_between(
        self, kind: str, left: ast.expr, right: ast.expr, words: dict[str, str]
    ) -> Iterator[tuple[str, Mutation]]:
        """Replace the operator that stands between two expressions, brackets aside."""
        begin, end = self._end(left), self._begin(right)
        between = self._content[begin:end].decode()
        token = re.fullmatch(r"[\s)]*(.*?)[\s(]*", between, re.DOTALL)
        if token and token[1] in words:
            place = begin + len(between[: token.start(1)].encode())
            last = place + len(token[1])
            yield kind, Mutation(self._path, place, last, words[token[1]])

    def _replace(self, node: ast.expr, text: str) -> Mutation:
        return Mutation(self._path, self._begin(node), self._end(node), text)

    def _text(self, node: ast.expr) -> str:
        return self._content[self._begin(node) : self._end(node)].decode()

    def _begin(self, node: ast.expr) -> int:
        return self._starts[node.lineno - 1] + node.col_offset

    def _end(self, node: ast.expr) -> int:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self._starts[node.end_lineno - 1] + node.end_col_offset


def _walk(node: ast.AST) -> Iterator[ast.AST]:
    """Nodes that run: neither annotations, formatted texts, nor what is for type checkers."""
    yield node
    for name, field in ast.iter_fields(node):
        if name in {"annotation", "returns", "decorator_list"} or isinstance(field, ast.JoinedStr):
            continue
        for child in field if isinstance(field, list) else [field]:
            if isinstance(child, ast.AST) and not _only_checks(child):
                yield from _walk(child)


def _only_checks(node: ast.AST) -> bool:
    match node:
        case ast.If(test=ast.Name(id="TYPE_CHECKING")) | ast.Call(func=ast.Name(id="cast")):
            return True
        case ast.keyword(arg="strict"):
            return True
    return False


def draw(root: Path, count: int, seed: int) -> Iterator[Mutation]:
    """Draw mutations: the folders in turn, a file of each by its size, and one of its kinds."""
    chance = random.Random(seed)
    folders: dict[tuple[str, ...], dict[Path, dict[str, list[Mutation]]]] = {}
    for path in sorted((root / SOURCE).rglob("*.py")):
        found = Finder(str(path.relative_to(root)), path.read_bytes()).find()
        if found:
            folders.setdefault(path.relative_to(root / SOURCE).parts[:-1][:1], {})[path] = found
    names = chance.sample(sorted(folders), len(folders))
    for at in range(count):
        files = folders[names[at % len(names)]]
        sizes = [sum(map(len, kinds.values())) for kinds in files.values()]
        kinds = files[chance.choices(list(files), sizes)[0]]
        yield chance.choice(kinds[chance.choice(sorted(kinds))])


def read_by_hand(root: Path) -> Iterator[Mutation]:
    """The mutations by hand; each must find its place."""
    for name, old, new in BY_HAND:
        path = f"{SOURCE}/{name}"
        content = (root / path).read_bytes()
        if content.count(old.encode()) != 1:
            raise SystemExit(f"{path}: does not have «{old}» once; mend BY_HAND.")
        begin = content.index(old.encode())
        yield Mutation(path, begin, begin + len(old.encode()), new)


@dataclass(frozen=True)
class Verdict:
    """Which tests noticed a mutation, and the first that failed."""

    killed_by: str
    failure: str = ""


class Bench:
    """A scratch copy in which the tests run."""

    def __init__(self, root: Path, workers: str, *, near: bool) -> None:
        self.root, self._workers, self.near = root, workers, near
        archive = subprocess.run(
            ["git", "archive", "HEAD"], cwd=HERE, check=True, capture_output=True
        )
        subprocess.run(["tar", "-x", "-C", root], input=archive.stdout, check=True)

    def try_out(self, mutation: Mutation) -> Verdict:
        """Run tests, the nearest first, until one fails."""
        path = self.root / mutation.path
        content = path.read_bytes()
        path.write_bytes(mutation.apply(content))
        try:
            for name, places, marks, workers in self._plan(mutation.path):
                failure = self._run(places, marks, workers)
                if failure:
                    return Verdict(name, failure)
        finally:
            path.write_bytes(content)
        return Verdict(NEAR if self.near else SURVIVED)

    def _plan(self, path: str) -> Iterator[tuple[str, list[str], str, str]]:
        """Yield names, places and marks of the tests to run."""
        part = Path(path).relative_to(SOURCE)
        mirror = Path("tests", part.parent, f"test_{part.name}")
        area = str(Path("tests", part.parts[0])) if len(part.parts) > 1 else "tests"
        places = dict.fromkeys((str(mirror), path, str(mirror.parent), area))
        for place in places:
            if (self.root / place).exists() and place != "tests":
                yield f"everyday: {place}", [place], "not slow", "0"
        if self.near:
            return
        yield "everyday: all", [], "not slow", self._workers
        yield f"slow: {area}", [area], "slow", self._workers

    def _run(self, places: list[str], marks: str, workers: str) -> str:
        """Name the first failure; empty where all pass."""
        options = [
            "-q",
            "-x",
            "-n",
            workers,
            "-m",
            marks,
            "-p",
            "no:cacheprovider",
            "-p",
            "no:cpu-limit",
        ]
        path = os.pathsep.join([str(self.root / "src"), os.environ.get("PYTHONPATH", "")])
        shared = os.environ.get("SWAPMEET_SHARED", str(HERE.parent / "shared"))
        try:
            done = subprocess.run(
                [sys.executable, "-m", "pytest", *options, *places], cwd=self.root, text=True,
                capture_output=True, timeout=LONGEST, check=False,
                env={**os.environ, "PYTHONPATH": path, "SWAPMEET_SHARED": shared},
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return f"more than {LONGEST} s"
        if done.returncode in {0, 5}:
            return ""
        named = FAILED.search(done.stdout)
        return named[1] if named else (done.stderr.strip() or "no test ran").splitlines()[-1]


def main() -> None:
    """Try the mutations that are not yet in the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("table", type=Path, help="CSV file to write, or to go on with")
    parser.add_argument(
        "--by-hand", action="store_true", help="try those that stand in this script"
    )
    parser.add_argument("--near", action="store_true", help="run the tests of the area only")
    parser.add_argument("--random", type=int, default=0, help="how many to draw")
    parser.add_argument("--seed", type=int, default=1, help="seed of the drawing")
    parser.add_argument("--workers", default="auto", help="processes for all everyday tests")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder), asked.workers, near=asked.near)
        mutations = [*(read_by_hand(bench.root) if asked.by_hand else ())]
        mutations += draw(bench.root, asked.random, asked.seed)
        for mutation in dict.fromkeys(mutations):
            _try(bench, mutation, asked.table)
    rows = list(csv.DictReader(asked.table.open(newline="")))
    last = {(row["file"], row["mutation"]): row["killed by"].split(":")[0] for row in rows}
    for killed_by, count in Counter(last.values()).most_common():
        print(f"{count:4} {killed_by}")


def _try(bench: Bench, mutation: Mutation, table: Path) -> None:
    """Try a mutation, and add its line to the table, unless it has it."""
    described = mutation.describe((bench.root / mutation.path).read_bytes())
    if not table.exists():
        _add_line(table, COLUMNS)
    rows = list(csv.DictReader(table.open(newline="")))
    left = () if bench.near else (NEAR,)
    if any(row["killed by"] not in left and _is_of(row, described) for row in rows):
        return
    begin = time.monotonic()
    reason = SAME.get((described[0], described[2]))
    verdict = bench.try_out(mutation) if reason is None else Verdict(EQUIVALENT, reason)
    _add_line(table, (*described, *astuple(verdict), round(time.monotonic() - begin)))


def _is_of(row: dict[str, str], described: tuple[str, int, str]) -> bool:
    return (row["file"], row["mutation"]) == (described[0], described[2])


def _add_line(table: Path, values: tuple[object, ...]) -> None:
    with table.open("a", newline="") as file:
        csv.writer(file).writerow(values)
    print(*values, sep=" | ", flush=True)


if __name__ == "__main__":
    main()
