"""Run many cases, each known by its target and number, and tell what was found."""

from __future__ import annotations

import argparse
import json
import resource
import time
import traceback
from collections import Counter
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any

from fuzzing import files, masking, texts
from fuzzing.oracle import OK, REFUSED, Finding, judge

if TYPE_CHECKING:
    from collections.abc import Callable

TARGETS: dict[str, tuple[Callable[[Random], None], int]] = {
    "mask": (masking.mask_and_assess, 6),
    "inspect": (masking.inspect_table, 3),
    "report": (masking.report_release, 1),
    "condition": (texts.hold_condition, 250),
    "derive": (texts.derive_column, 250),
    "recode": (texts.recode_column, 20),
    "ties": (texts.derive_in_release, 2),
    "formula": (texts.read_formula, 300),
    "model": (texts.fit_model, 1),
    "method": (texts.read_method, 300),
    "measure": (texts.read_measure, 200),
    "limit": (texts.read_limit, 200),
    "option": (texts.read_option, 300),
    "run-file": (texts.read_run_file, 40),
    "csv": (files.read_csv, 6),
    "table": (files.read_table, 1),
    "record": (files.read_record, 3),
    "journal": (files.read_journal, 1),
}
"""What is fuzzed, and how often of all: cheap targets often, dear ones seldom."""
MEMORY = 8 << 30
SHOWN = 3


@dataclass
class Tally:
    """How the cases of a target ended, and where their time went."""

    ends: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    findings: dict[str, list[int]] = field(default_factory=dict)


def main() -> int:
    """Read the options, run the cases, print the summary; 1 where something was found."""
    given = _parse()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
    if given.case is not None:
        return _show_case(given)
    tallies = {name: Tally() for name in given.targets}
    _run(given, tallies)
    _print(tallies)
    if given.save:
        with open(given.save, "w", encoding="utf-8") as file:  # noqa: PTH123
            json.dump({n: t.findings for n, t in tallies.items() if t.findings}, file, indent=1)
    return int(any(tally.findings for tally in tallies.values()))


def _parse() -> Any:
    parser = argparse.ArgumentParser(prog="fuzz.py", description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"of {', '.join(TARGETS)}")
    parser.add_argument("--cases", type=int, default=10_000, help="of all targets together")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after so long")
    parser.add_argument("--seed", type=int, default=0, help="another seed gives other cases")
    parser.add_argument("--first", type=int, default=0, help="the number of the first case")
    parser.add_argument(
        "--case", type=int, help="run one case of one target, and show where it fails"
    )
    parser.add_argument(
        "--save", help="write findings with the numbers of their cases to this file"
    )
    given = parser.parse_args()
    unknown = [name for name in given.targets if name not in TARGETS]
    if unknown or (given.case is not None and len(given.targets) != 1):
        parser.error(f"give targets of {', '.join(TARGETS)}, and one with --case")
    given.targets = given.targets or list(TARGETS)
    return given


def make_case(target: str, seed: int, number: int) -> Callable[[], None]:
    """The case of a target with this number; the same every time."""
    work, _ = TARGETS[target]
    return lambda: work(Random(f"{seed}/{target}/{number}"))


def _run(given: Any, tallies: dict[str, Tally]) -> None:
    total = sum(TARGETS[name][1] for name in tallies)
    wanted = {name: -(-given.cases * TARGETS[name][1] // total) for name in tallies}
    started, done, rounds = time.monotonic(), 0, 100
    for turn in range(rounds):
        for name, tally in tallies.items():
            begin, end = (wanted[name] * (turn + i) // rounds for i in (0, 1))
            for number in range(given.first + begin, given.first + end):
                if time.monotonic() - started > given.seconds:
                    return
                _run_case(tally, name, given.seed, number)
                done += 1
        if given.seconds == float("inf") and turn % 10 == 9:
            print(f"{done} cases, {time.monotonic() - started:.0f} s", flush=True)


def _run_case(tally: Tally, name: str, seed: int, number: int) -> None:
    started = time.perf_counter()
    try:
        tally.ends[judge(make_case(name, seed, number))] += 1
    except Finding as finding:
        numbers = tally.findings.setdefault(str(finding), [])
        if not numbers:
            print(f"{name} --case {number}: {finding}", flush=True)
        numbers.append(number)
    tally.seconds += time.perf_counter() - started


def _show_case(given: Any) -> int:
    try:
        print(judge(make_case(given.targets[0], given.seed, given.case)))
    except Finding:
        traceback.print_exc()
        return 1
    return 0


def _print(tallies: dict[str, Tally]) -> None:
    print(f"{'target':<12}{'cases':>9}{'done':>9}{'refused':>9}{'found':>7}{'ms each':>9}")
    for name, tally in tallies.items():
        found = sum(map(len, tally.findings.values()))
        cases = found + tally.ends.total()
        each = 1000 * tally.seconds / max(cases, 1)
        print(
            f"{name:<12}{cases:>9}{tally.ends[OK]:>9}{tally.ends[REFUSED]:>9}{found:>7}{each:>9.2f}"
        )
    total = sum(t.ends.total() + sum(map(len, t.findings.values())) for t in tallies.values())
    kinds = [
        (name, what, numbers) for name, t in tallies.items() for what, numbers in t.findings.items()
    ]
    print(f"{total} cases, {len(kinds)} kinds of findings")
    for name, what, numbers in sorted(kinds, key=lambda kind: -len(kind[2])):
        print(f"  {name} {numbers[:SHOWN]}: {what} ({len(numbers)})")
