"""The commands of the command line that do what a page asks for.

Each is built of words. Most of them are the same here and for a curator who types them; a `Word`
stands for a file that has a plain name for people and a place in the private folder.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from swapmeet.app.intruders import find_level
from swapmeet.app.run import Command
from swapmeet.comparison.knowledge import Knowledge
from swapmeet.io.formats import FORMATS, format_at
from swapmeet.tables.role import Role
from swapmeet.ties.finding import write_option

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from swapmeet.app.case import Case
    from swapmeet.app.run import Run

AUDIT, INTERNAL, PUBLIC, PICTURES = "run.audit", "internal.html", "public.html", "pictures"
JOURNAL = "study.jsonl"
ROLES = tuple(role for role in Role if role not in {Role.KEY, Role.DERIVED})
KINDS = ("numeric", "ordinal", "nominal")
AT_ONCE = 500
"""So many names of columns stand in one option at most."""
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
    words = [*_write_reading(case), *_write_columns(case, guessed)]
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
        *_write_reading(case),
        *_write_columns(case, guessed),
        *_write_ties(case),
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
    words: Words = ["mask", name_source(case), *releases, "--from", name_file(search, JOURNAL),
             "--candidate", str(number), *_write_reading(case), "--audit", AUDIT]  # fmt: skip
    return make_command(words)


def measure(case: Case, release: str) -> Command:
    """The verdict, the default measures and the pictures of a release in the same folder."""
    words: Words = [
        "report", INTERNAL, "--file", name_source(case), "--release", release, "--audit", AUDIT,
        *_write_question(case), "--pictures", PICTURES,
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
        *_write_reading(case),
        *_write_columns(case, guessed),
        *_write_ties(case),
        *_write_question(case),
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
        words += _write_question(case)
    else:
        words += ["--study", name_file(study, JOURNAL)]
    words += write_pair("--title", title) if title else []
    words += write_pair("--reason", reason) if reason else []
    return make_command(["report", INTERNAL, "--public", PUBLIC, *words])


def compare(case: Case, one: Run, other: Run) -> str:
    """Two candidates side by side, as a curator would type it."""
    words: Words = ["compare", *(f"release-{run.number}.{_suffix(run)}" for run in (one, other)),
             "--original", name_source(case), "--audit-a", f"run-{one.number}.audit",
             "--audit-b", f"run-{other.number}.audit", *_write_question(case)]  # fmt: skip
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


def write_pair(option: str, text: str) -> list[str]:
    """An option with its text; one that begins with a dash would be taken for another option.

    >>> write_pair("--drop", "id"), write_pair("--drop", "-id")
    (['--drop', 'id'], ['--drop=-id'])
    """
    return [f"{option}={text}"] if text.startswith("-") else [option, text]


def _write_reading(case: Case) -> list[str]:
    """Return how the file is read, where the user said so."""
    words: list[str] = []
    for name, value in case.reading.items():
        if name == "header":
            words.append("--header" if value else "--no-header")
        else:
            words += write_pair(f"--{name}", str(value))
    return words


def _write_columns(case: Case, guessed: Mapping[str, str]) -> list[str]:
    """Roles, and kinds that are not as guessed, and codes for missing values."""
    by_role = {role: case.having(role) for role in ROLES}
    words = [w for role, names in by_role.items() for w in _write_names(f"--{role}", names)]
    for kind in KINDS:
        names = [n for n, given in case.kinds.items() if given == kind != guessed.get(n)]
        words += _write_names(f"--{kind}", names)
    return words + [word for text in case.missing for word in write_pair("--missing", text)]


def _write_ties(case: Case) -> list[str]:
    """Write what ties columns to each other, what is made coarser, and what may be published."""
    words = _write_names("--publish", case.publish)
    for name in ("recode", "together", "derive", "rule"):
        words += [word for text in getattr(case, name) for word in write_pair(f"--{name}", text)]
    return words + (["--whole-households"] if case.whole_households else [])


def _write_question(case: Case) -> list[str]:
    """Write the intruder, what they know, and the limits."""
    level, words = find_level(case.intruder), list[str]()
    if case.known is not None:
        words += _write_names("--known", case.known)
    if level is not Knowledge.KEYS:
        words += ["--intruder", level]
    if case.limits is not None:
        limits = [f"{name}={limit:g}" for name, limit in case.limits.items()]
        words += ["--limit", ",".join(limits) or "none"]
    return words


def _write_names(option: str, names: Iterable[str]) -> list[str]:
    """An option with names of columns; many are parted, since systems limit the length of a word.

    >>> _write_names("--drop", ["id", "name"])
    ['--drop', 'id,name']
    """
    listed, words = list(names), list[str]()
    for at in range(0, len(listed), AT_ONCE):
        parts = iter(write_option(option, listed[at : at + AT_ONCE]))
        pairs = zip(parts, parts, strict=True)
        words += [word for name, text in pairs for word in write_pair(name, text)]
    return words
