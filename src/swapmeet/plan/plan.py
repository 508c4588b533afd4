"""A plan: everything about a job except secrets, as data that survive TOML and JSON."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, Unpack

from swapmeet import __version__
from swapmeet.base.atomic import write_atomically
from swapmeet.base.options import Section, find_options, list_unknown_settings, write_words
from swapmeet.base.progress import Progress, silent
from swapmeet.base.staging import recover
from swapmeet.errors import FileError, InputError, UsageError
from swapmeet.io.database import DatabaseTable
from swapmeet.io.place import Place, find_place
from swapmeet.plan.question import Question
from swapmeet.plan.sections import EngineChoice, Input, Prepare, Protect, Writing
from swapmeet.tables.assignment import Assignment
from swapmeet.tables.missing_codes import list_codes
from swapmeet.tables.role import Role
from swapmeet.tables.roles import Code, Settings, require_known
from swapmeet.tables.schema import Schema, list_unknown
from swapmeet.tables.ties import Ties

if TYPE_CHECKING:
    import os

    from swapmeet.io.document import Document
    from swapmeet.methods import Method
    from swapmeet.release.release import FileRelease, Release

SECTIONS: dict[str, type[Section]] = {
    "input": Input, "prepare": Prepare, "protect": Protect, "engine": EngineChoice,
    "output": Writing, "question": Question,
}  # fmt: skip
"""The sections whose settings are declared; `method`, `columns` and `ties` have their own forms."""
ORDER = ("input", "prepare", "method", "protect", "engine", "output", "question", "columns", "ties")
"""The sections as a run file lists them."""
COLUMNS = find_options(Settings)
"""What may be said of columns."""
PURPOSE = "for colleagues, not for publication; --config repeats this run"
"""Who gets a run file, as commands say: it has the settings that the public report withholds."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Plan:
    """A job: how a table is read, what its columns are, how it is masked and written.

    `columns` maps names to kind, role and what else is said of them, and `ties` has what ties
    columns to each other; `method` has `name` and the parameters. What nobody said is guessed when
    the table is there: `prepare` completes a plan. A run file is a plan; it is for colleagues, not
    for publication, since it has the exact settings, which the public report withholds. Dropped
    columns are not named in it all the same, for their names may tell something; `output` says that
    columns without a name are dropped. The seed is a secret, and no part of it.

    >>> plan = Plan.of_roles(drop=["name"], sensitive=["income"])
    >>> plan.columns
    {'income': {'role': 'sensitive'}, 'name': {'role': 'drop'}}
    >>> Plan.from_dict(plan.to_dict()) == plan
    True
    """

    input: Input = field(default_factory=Input)
    prepare: Prepare = field(default_factory=Prepare)
    method: Mapping[str, Any] = field(default_factory=dict)
    protect: Protect = field(default_factory=Protect)
    columns: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    ties: Ties = field(default_factory=Ties)
    engine: EngineChoice = field(default_factory=EngineChoice)
    output: Writing = field(default_factory=Writing)
    question: Question = field(default_factory=Question)
    name: str = field(default="the run file", compare=False)
    named_there: frozenset[str] = field(default=frozenset(), compare=False)
    codes_said: bool = field(default=False, compare=False)
    problems: tuple[str, ...] = field(default=(), compare=False)

    def __repr__(self) -> str:
        return f"<Plan: {self.method.get('name', 'no method')}, {len(self.columns)} columns>"

    @classmethod
    def of_roles(cls, **given: Unpack[Settings]) -> Self:
        """The plan that says this of columns: roles, kinds, ties, codes and steps."""
        require_known("plan", given, Settings.__annotations__)
        assignment = Assignment.of(given, Ties())
        problems = (*assignment.problems, *assignment.list_conflicts(numbered=True))
        columns: dict[str, dict[str, Any]] = {}
        for setting, chosen in (("kind", assignment.kinds), ("role", assignment.roles)):
            for name, members in chosen.items():
                columns.setdefault(name, {})[setting] = str(members[0])
        for name in assignment.publish:
            columns.setdefault(name, {})["publish"] = True
        codes = given.get("missing", ())
        if isinstance(codes, Mapping):
            for name, own in codes.items():
                columns.setdefault(name, {})["missing"] = list(list_codes(own))
            codes = ()
        return cls(
            input=Input(missing=list_codes(codes)),
            prepare=Prepare(recode=assignment.recodes, whole_households=bool(assignment.whole)),
            columns=columns,
            ties=assignment.ties,
            codes_said="missing" in given,
            problems=problems,
        )

    @classmethod
    def of_schema(cls, schema: Schema, *, whole: bool = False) -> Self:
        """The plan that says all of a schema; the `whole` of it, or only what is published."""
        columns = schema.to_dict()
        return cls(
            columns={name: columns[name] for name in columns if whole or name in schema.published},
            prepare=Prepare(recode=schema.recodes),
            ties=schema.ties,
            output=Writing(drop_unnamed=None if whole else True),
        )

    @classmethod
    def of(
        cls,
        release: Release | FileRelease,
        *,
        like: Document | None = None,
        block_rows: int | None = None,
        keep_order: bool = False,
        labels: str | None = None,
    ) -> Self:
        """The plan by which a release was made: of the document `like`, if it is of one.

        `block_rows` are those of the engine, if it had some; order and `labels` are how the release
        is written.
        """
        protection = {} if release.protection is None else release.protection.settings
        return cls(
            input=Input(**({} if like is None else like.options)),
            method={"name": release.method, **release.settings},
            protect=Protect(**protection),
            engine=EngineChoice(block_rows=block_rows),
            output=Writing(keep_order=keep_order, labels=labels),
        ).complete(release.schema)

    def complete(self, schema: Schema) -> Self:
        """The plan with all that is known once the table is there; dropped columns unnamed."""
        settled = self.of_schema(schema)
        output = replace(self.output, keep_order=bool(self.output.keep_order), drop_unnamed=True)
        return replace(
            self, columns=settled.columns, prepare=settled.prepare, ties=schema.ties, output=output
        )

    @classmethod
    def load(cls, path: str | os.PathLike[str] | None) -> Self:
        """Read a run file, if there is one; all problems of its outline are raised together."""
        if path is None:
            return cls()
        path = Path(path)
        return cls.from_dict(_parse_file(path), name=path.name, where=f"{path}: ")

    @classmethod
    def beside(cls, release: Place, config: Path | None = None) -> Self:
        """The run file given, or else the one beside a release, if there is one."""
        return cls.load(config or find_beside(release))

    @classmethod
    def from_dict(
        cls, content: Mapping[str, Any], *, name: str = "the run file", where: str = ""
    ) -> Self:
        """Read what `to_dict` wrote, or a file of an earlier version."""
        problems = list_unknown_settings(content, ("swapmeet", *ORDER), "section")
        problems += [f"[{part}] must be a table." for part in ORDER
                     if not isinstance(content.get(part, {}), dict)]  # fmt: skip
        sections: dict[str, Any] = {}
        columns = content.get("columns", {})
        if not problems:
            for part, section in SECTIONS.items():
                sections[part] = section.read(content.get(part, {}), part, problems)
            problems += [
                f'column {column!r}: give a table such as {{kind = "numeric"}}.'
                for column, facts in columns.items()
                if not isinstance(facts, dict)
            ]
            if not isinstance(content.get("method", {}).get("name", ""), str):
                problems.append("[method]: `name` must be text in quotes.")
        if problems:
            raise InputError("\n".join(f"{where}{problem}" for problem in problems))
        return cls(
            **sections, method=content.get("method", {}), columns=columns,
            ties=Ties.from_dict(content.get("ties", {})), name=name, named_there=frozenset(columns),
        )  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """All of it, as a run file has it."""
        content = {"swapmeet": __version__, "input": self.input.to_dict()}
        for part in ORDER[1:]:
            value = getattr(self, part)
            own = dict(value) if isinstance(value, Mapping) else value.to_dict()
            if own or part in ("method", "output", "columns"):
                content[part] = own
        return content

    def to_toml(self) -> str:
        """The text of its run file."""
        import tomli_w

        return tomli_w.dumps(self.to_dict())

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write the run file."""
        with write_atomically(Path(path), overwrite=overwrite) as aside:
            aside.write_text(self.to_toml(), encoding="utf-8", newline="")

    def over(self, base: Self) -> Self:
        """Lay this plan over another, which counts where nothing is said here.

        Ties are added to those of the base, and codes for all columns replace all of its codes.
        Another method does not inherit parameters.
        """
        forgotten = {"missing"} if self.input.missing else set()
        columns: dict[str, Mapping[str, Any]] = {
            name: {what: one for what, one in facts.items() if what not in forgotten}
            for name, facts in base.columns.items()
        }
        for name, facts in self.columns.items():
            merged = {**columns.get(name, {}), **facts}
            if facts.get("role") == Role.DROP and "publish" not in facts:
                merged.pop("publish", None)
            columns[name] = merged
        mine, its = dict(self.method), dict(base.method)
        same = mine.get("name", its.get("name")) == its.get("name", mine.get("name"))
        ties = {**self.ties.to_dict(), "rule": self.ties.rules}
        return replace(
            self,
            **{part: getattr(self, part).over(getattr(base, part)) for part in SECTIONS},
            method={**(its if same else {}), **mine},
            columns=columns,
            ties=base.ties.add(ties),
            name=base.name,
            named_there=base.named_there,
        )

    @property
    def reading(self) -> dict[str, Any]:
        """The arguments of `read`: how the table is read, and the codes for missing values."""
        own = {name: one["missing"] for name, one in self.columns.items() if one.get("missing")}
        codes: Any = own or list(self.input.missing)
        if own and self.input.missing:
            codes = list(self.input.missing)
        return {**self.input.reading, **({"missing": codes} if codes else {})}

    @property
    def named(self) -> frozenset[str]:
        """The columns whose role was said, or that are to be published all the same."""
        return frozenset(
            name
            for name, facts in self.columns.items()
            if name in self.named_there or facts.get("role") or facts.get("publish")
        )

    @property
    def keeps_order(self) -> bool:
        """Return whether the rows of the release are in the order of the table."""
        return bool(self.output.keep_order)

    @property
    def protects(self) -> bool:
        """Return whether protection is raised for people who are still exposed."""
        return bool(self.protect.exposed)

    def list_words(self, without: str = "") -> list[str]:
        """What it says about a table, as options of the command line."""
        given: dict[str, Any] = {one.name: [] for one in COLUMNS}
        for name, facts in self.columns.items():
            for what in ("role", "kind"):
                if facts.get(what) in given:
                    given[facts[what]].append(name)
            if facts.get("publish"):
                given["publish"].append(name)
            if "missing" in facts:
                given["missing"].append(f"{name}:{','.join(map(str, facts['missing']))}")
        given["missing"] += [",".join(map(str, self.input.missing))] if self.input.missing else []
        sets = [",".join(names) for names in self.ties.together]
        given |= {"derive": self.ties.derive, "rule": self.ties.rules}
        given["recode"] = self.prepare.recode
        given["whole_households"] = self.prepare.whole_households
        given["unrepaired"] = self.ties.unrepaired if self.ties.unrepaired == "leave" else None
        left_out = without.split()
        words: list[str] = []
        for one in (one for one in COLUMNS if one.name not in left_out):
            if one.name == "together":
                words += [word for text in sets for word in write_words(one, [text])]
            elif given[one.name]:
                words += write_words(one, given[one.name])
        prepare = [] if "as_inspected" in left_out else self.prepare.list_words()
        return [*words, *prepare, *self.input.list_words()]

    def make_method(self) -> Method:
        """The method, with its parameters."""
        from swapmeet.methods import METHODS, make

        settings = dict(self.method)
        name = settings.pop("name", None)
        if name is None:
            raise UsageError(f"the run file names no method: one of {', '.join(METHODS)}.")
        return make(name, settings)

    def check(self) -> None:
        """Refuse what no table could be masked by."""
        from swapmeet.tables.recoding.recode import parse_recodes

        parse_recodes(self.prepare.recode)
        self.make_method()

    def resolve(self, names: Iterable[str]) -> Self:
        """The plan for a table with these columns: a name with commas may be several names."""
        there = set(names)
        columns: dict[str, Mapping[str, Any]] = {}
        problems = list(self.problems)
        for name, facts in self.columns.items():
            for part in split_names(name, there):
                before = columns.get(part, {})
                if part not in self.named_there:
                    problems += _list_conflicts(part, before, facts)
                columns[part] = {**before, **facts}
        sets = tuple(split_names(",".join(one), there) for one in self.ties.together)
        return replace(
            self, columns=columns, ties=replace(self.ties, together=sets),
            problems=tuple(dict.fromkeys(problems)),
        )  # fmt: skip

    def settle(self, guessed: Schema, table: Place | None = None) -> Schema:
        """The schema of a table by this plan; the rest is as guessed, or dropped if it says so."""
        where = "" if table is None else f" in {table}"
        unknown = [name for name in self.columns if name not in guessed.names]
        there = [name for name in unknown if name in self.named_there]
        others = [name for name in unknown if name not in there]
        problems = [
            *self.problems,
            *list_unknown(there, guessed.names, f"{where}, which {self.name} names"),
            *list_unknown(others, guessed.names),
        ]
        columns = dict(self.columns)
        if self.output.drop_unnamed:
            drop = {"role": str(Role.DROP)}
            columns |= {name: drop for name in guessed.names if name not in columns}
        known = {name: facts for name, facts in columns.items() if name not in unknown}
        schema = guessed.follow(known, self.input.missing, problems)
        return schema.tie(
            self.ties, recode=self.prepare.recode, whole=self.prepare.whole_households
        )

    def mask(
        self,
        source: Document | str | os.PathLike[str] | None = None,
        *,
        seed: int | None = None,
        threads: int | None = None,
        progress: Progress = silent,
    ) -> Release:
        """Mask a file, or a document that was read, in memory; nothing is written."""
        from swapmeet.running.job import Job

        return Job(
            plan=self._with(threads=threads), source=source, seed=seed, progress=progress
        ).mask()

    def run(
        self,
        source: Document | str | os.PathLike[str] | None = None,
        path: str | os.PathLike[str] | None = None,
        *also: str | os.PathLike[str],
        seed: int | None = None,
        audit: str | os.PathLike[str] | None = None,
        memory: str | int | None = None,
        overwrite: bool = False,
        threads: int | None = None,
        progress: Progress = silent,
    ) -> Release | FileRelease:
        """Mask a file and write release, run file and audit record: all of them, or none.

        It does what `swapmeet mask SOURCE PATH --config RUN_FILE` does, and for the same seed makes
        the same files. `source` and `path` may be left out where the plan names them. `also` are
        further files for the same rows, in other formats. With `memory`, such as "4GB", the file is
        masked piece by piece.
        """
        from swapmeet.running.job import Job

        outs = () if path is None else tuple(map(find_place, (path, *also)))
        size = memory if memory is None else str(memory)
        job = Job(
            plan=self._with(threads=threads, memory=size), source=source, outs=outs, seed=seed,
            audit=None if audit is None else Path(audit), overwrite=overwrite, progress=progress,
        )  # fmt: skip
        made: Release | FileRelease = job.run().summary
        return made

    def _with(self, **engine: Any) -> Self:
        """The plan with what is said now about its engine."""
        return replace(self, engine=EngineChoice(**engine).over(self.engine))


def _list_conflicts(
    name: str, before: Mapping[str, Any], facts: Mapping[str, Any]
) -> Iterator[str]:
    for what in ("role", "kind"):
        choices = dict.fromkeys(one[what] for one in (before, facts) if one.get(what))
        if len(choices) > 1:
            yield f"column {name!r} is given {' and '.join(choices)}; choose one."


def split_names(text: str, names: Iterable[str]) -> tuple[str, ...]:
    """Names separated by commas; a column whose own name has a comma is taken whole.

    >>> split_names("region, district", ["region", "district"]), split_names("a,b", ["a,b"])
    (('region', 'district'), ('a,b',))
    """
    there = set(names)
    if text in there or "," not in text:
        return (text,)
    parts = text.split(",")
    return tuple(
        part if part in there else part.strip() for part in parts if part.strip() or part in there
    )


def read_codes(texts: Iterable[str]) -> tuple[list[Code], dict[str, list[Code]]]:
    """The codes for all columns, and those of each column: what stands behind its name and colon.

    >>> read_codes(["-9,99", "age:-9"])
    ([-9, 99], {'age': [-9]})
    """
    for_all: list[Code] = []
    own: dict[str, list[Code]] = {}
    for text in texts:
        name, colon, codes = text.rpartition(":")
        into = own.setdefault(name, []) if colon else for_all
        into += (_to_code(part.strip()) for part in codes.split(",") if part.strip())
    return for_all, own


def _to_code(text: str) -> Code:
    try:
        number = float(text)
    except ValueError:
        return text
    if number != number or abs(number) == float("inf"):
        return text
    return int(number) if number.is_integer() else number


def find_beside(release: Place) -> Path | None:
    """The run file beside a release, also by the shorter name of earlier versions."""
    own = place_beside(release)
    recover(own)
    if isinstance(release, DatabaseTable):
        return own if own.is_file() else None
    name = release.stem if release.suffix.lower() == ".gz" else release.name
    older = release.with_name(f"{Path(name).stem}.run.toml")
    return next((path for path in (own, older) if path.is_file()), None)


def place_beside(release: Place) -> Path:
    """Return the path of a release's run file: each release has one of its own.

    That of a table of a database is in the current folder.

    >>> str(place_beside(Path("out/people.csv.gz")))
    'out/people.csv.gz.run.toml'
    """
    if isinstance(release, DatabaseTable):
        return Path(f"{release.stem}.run.toml")
    return release.with_name(f"{release.name}.run.toml")


def _parse_file(path: Path) -> dict[str, Any]:
    recover(path)
    try:
        return tomllib.loads(path.read_bytes().decode("utf-8"))
    except FileNotFoundError:
        raise FileError(f"{path}: there is no such run file.") from None
    except OSError as error:
        raise FileError(f"{path}: could not be read: {error.strerror or 'failed'}.") from None
    except UnicodeDecodeError:
        raise FileError(f"{path}: is not a run file; a text in UTF-8 is needed.") from None
    except tomllib.TOMLDecodeError as error:
        raise FileError(f"{path}: is not valid TOML: {error}.") from None
    except RecursionError:
        raise FileError(
            f"{path}: lists or tables lie too deep inside each other for a run file."
        ) from None
    except ValueError:
        raise FileError(f"{path}: a number has too many digits for a run file.") from None
