"""The commands of the command line that do what a page asks for.

Each is built of words. Most of them are the same here and for a curator who types them; a `Word`
stands for a file that has a plain name for people and a place in the private folder.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from swapmeet.app.run import Command, Run
from swapmeet.base.options import write_pair
from swapmeet.io.formats import FORMATS, format_at

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from swapmeet.app.case import Case

AUDIT, INTERNAL, PUBLIC, PICTURES = "run.audit", "internal.html", "public.html", "pictures"
JOURNAL = "study.jsonl"
LOOK = "whole_households publish together derive rule unrepaired recode as_inspected"
"""What says nothing to the command that inspects."""
KINDS = ("numeric", "ordinal", "nominal")
FOR_MACHINES = ("--json", "--progress", "json")
SEED = ("--seed", "NUMBER")
"""What a page shows of a seed that was chosen."""


@dataclass(frozen=True)
class Word:
    """A file: where it is, and what people call it."""

    here: str
    shown: str


Words = list[str | Word]


def make_command(words: Iterable[str | Word], *, hidden: Iterable[str] = ()) -> Command:
    """The command of these words; the `hidden` ones only stand for others that are not shown."""
    words = list(words)
    here = [word.here if isinstance(word, Word) else word for word in words]
    shown = [word.shown if isinstance(word, Word) else word for word in words]
    return Command((*here, *FOR_MACHINES), shlex.join(["swapmeet", *shown, *hidden]))


def inspect(case: Case, guessed: Mapping[str, str]) -> Command:
    """Build the command that inspects the file, with the roles chosen so far."""
    words = [*case.make_plan(guessed).list_words(LOOK)]
    return make_command(["inspect", name_source(case), *words])


def mask(
    case: Case,
    guessed: Mapping[str, str],
    method: str,
    settings: Mapping[str, Any],
    *,
    releases: Iterable[str],
    protect: bool = False,
    seeded: bool = False,
) -> Command:
    """A release by a method with settings; the seed, if one was chosen, is not part of it."""
    words: Words = [
        "mask",
        name_source(case),
        *releases,
        *case.make_plan(guessed).list_words(),
        "--method",
        method,
        *write_settings(settings),
        *(["--protect-exposed"] if protect else []),
        "--audit",
        AUDIT,
    ]
    return make_command(words, hidden=SEED if seeded else ())


def mask_by_study(case: Case, search: Run, number: int, *, releases: Iterable[str]) -> Command:
    """A release by a setting that a search has tried and that no options can say."""
    reading = case.make_plan({}).input.list_words()
    words: Words = ["mask", name_source(case), *releases, "--from", name_file(search, JOURNAL),
             "--candidate", str(number), *reading, "--audit", AUDIT]  # fmt: skip
    return make_command(words)


def measure(case: Case, release: str) -> Command:
    """The verdict, the default measures and the pictures of a release in the same folder."""
    words: Words = [
        "report", INTERNAL, "--file", name_source(case), "--release", release, "--audit", AUDIT,
        *case.make_question().list_words(), "--pictures", PICTURES,
    ]  # fmt: skip
    return make_command(words)


def search(
    case: Case, guessed: Mapping[str, str], *, methods: Iterable[str], budget: str
) -> Command:
    """A search for the best method and settings under the limits."""
    chosen = ",".join(methods)
    words: Words = [
        "tune",
        name_source(case),
        *case.make_plan(guessed).list_words(),
        *case.make_question().list_words(),
        *(["--methods", chosen] if chosen else []),
        "--budget",
        budget,
        "--journal",
        JOURNAL,
    ]
    return make_command(words)


def analyse(
    case: Case, candidate: Run, models: Iterable[str], rare: Iterable[str], tables: Iterable[str]
) -> Command:
    """Analyses that the curator names, of the original and of the release of a candidate."""
    words: Words = ["assess", name_source(case), *_name_release(candidate)]
    for option, texts in (("--model", models), ("--rare", rare), ("--table", tables)):
        words += [word for text in texts for word in write_pair(option, text)]
    return make_command([*words, "--measure", "margins", "--limit", "none"])


def write_papers(
    case: Case, candidate: Run, study: Run | None, *, reason: str, title: str
) -> Command:
    """Both reports of a candidate, internal and public."""
    release, *audit = _name_release(candidate)
    words: Words = ["--file", name_source(case), "--release", release, *audit]
    if study is None:
        words += case.make_question().list_words()
    else:
        words += ["--study", name_file(study, JOURNAL)]
    words += write_pair("--title", title) if title else []
    words += write_pair("--reason", reason) if reason else []
    return make_command(["report", INTERNAL, "--public", PUBLIC, *words])


def compare(case: Case, one: Run, other: Run) -> str:
    """Two candidates side by side, as a curator would type it."""
    releases = (f"release-{run.number}.{_suffix(run)}" for run in (one, other))
    question = case.make_question().list_words()
    words: Words = ["compare", *releases, "--original", name_source(case), "--audit-a",
             f"run-{one.number}.audit", "--audit-b", f"run-{other.number}.audit",
             *question]  # fmt: skip
    return make_command(words).shown


def name_source(case: Case) -> Word:
    """The file of the case; one that was uploaded is called by its name."""
    return Word(case.source, case.name if case.uploaded else case.source)


def name_file(run: Run, name: str) -> Word:
    """A file in the folder of another run."""
    return Word(str(run.folder / name), name)


def _name_release(candidate: Run) -> Words:
    """A candidate's release and its audit record."""
    first = candidate.facts["releases"][0]
    return [name_file(candidate, first), "--audit", name_file(candidate, AUDIT)]


def _suffix(candidate: Run) -> str:
    return str(candidate.facts["releases"][0]).partition(".")[2]


def list_formats() -> dict[str, str]:
    """The formats a release can be written in: suffix and title."""
    return {one.suffixes[0]: one.title for one in FORMATS.values() if one.can_write}


def usual_suffix(path: Path) -> str:
    """That of the file itself, or of CSV where its format cannot be written."""
    kind = format_at(path)
    if not kind.can_write:
        return ".csv"
    suffixes = [suffix for suffix in kind.suffixes if path.name.lower().endswith(suffix)]
    return max(suffixes, key=len, default=kind.suffixes[0])


def write_settings(settings: Mapping[str, Any]) -> list[str]:
    """The settings of a method as options.

    >>> write_settings({"min_leaf": 5, "weights": {"age": 0.5}, "by": "near"})
    ['--min-leaf', '5', '--weights', 'age=0.5', '--by', 'near']
    """
    return [
        word
        for name, value in settings.items()
        for word in write_pair(f"--{name.replace('_', '-')}", write_value(value))
    ]


def write_value(value: Any) -> str:
    """The value of a setting as text.

    >>> write_value(True), write_value(0.1), write_value(["a", "b"])
    ('true', '0.1', 'a,b')
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return ",".join(f"{name}={write_value(one)}" for name, one in value.items())
    return ",".join(map(write_value, value)) if isinstance(value, (list, tuple)) else str(value)
