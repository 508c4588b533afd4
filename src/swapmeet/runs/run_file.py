"""The run file: everything about a run except secrets, in TOML."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from swapmeet import __version__
from swapmeet.base.atomic import write_atomically
from swapmeet.base.progress import Progress, silent
from swapmeet.base.staging import recover
from swapmeet.errors import FileError, InputError, SchemaError, UsageError, did_you_mean
from swapmeet.io.database import DatabaseTable
from swapmeet.tables.schema import list_unknown
from swapmeet.tables.ties import Ties

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from swapmeet.io.document import Document
    from swapmeet.io.place import Place
    from swapmeet.methods import Method
    from swapmeet.release.release import FileRelease, Release
    from swapmeet.tables.schema import Schema

SECTIONS = (
    "swapmeet", "input", "prepare", "method", "protect", "columns", "ties", "engine", "output",
)  # fmt: skip
INPUT: dict[str, type] = {"delimiter": str, "encoding": str, "sheet": str, "header": bool}
PREPARE = ("recode",)
PROTECT: dict[str, type] = {"exposed": bool, "linkage": float, "loss": float}
ENGINE: dict[str, type] = {"name": str, "block_rows": int}
ENGINES = ("local", "spark")
OUTPUT: dict[str, type] = {"keep_order": bool, "drop_unnamed": bool, "labels": str,
                          "guard_formulas": bool}  # fmt: skip
_CALLED: dict[type, str] = {str: "text in quotes", bool: "true or false", int: "a whole number",
                            float: "a number"}  # fmt: skip

PURPOSE = "for colleagues, not for publication; --config repeats this run"
"""Who gets a run file, as commands say: it has the settings that the public report withholds."""


@dataclass(frozen=True, repr=False)
class RunFile:
    """A run: how a table is read, what its columns are, how it is masked and written.

    `columns` maps names to kind and role, and `ties` has what ties columns to each other; `prepare`
    has the steps that recode the table before anything else, in order; `method` has `name` and the
    parameters, and `protect` says whether, and within which limits, protection is raised for people
    who are still exposed. A run file is for colleagues, not for publication: it has the exact
    settings, which the public report withholds. Dropped columns are not named in it all the same,
    since their names may tell something; `output` says that columns without a name are dropped.

    >>> import swapmeet as sm
    >>> people = sm.datasets.load("diabetes")
    >>> release = sm.mask(people, sm.RWN(k=5), keep=["sex"], seed=1)
    >>> RunFile.of(release).method["name"], RunFile.of(release).columns["sex"]["role"]
    ('rwn', 'keep')
    >>> RunFile.of(release)
    <RunFile: rwn, 11 columns>
    """

    columns: dict[str, Any] = field(default_factory=dict)
    method: dict[str, Any] = field(default_factory=dict)
    ties: dict[str, Any] = field(default_factory=dict)
    input: dict[str, Any] = field(default_factory=dict)
    engine: dict[str, Any] = field(default_factory=dict)
    output: dict[str, Any] = field(default_factory=dict)
    prepare: dict[str, Any] = field(default_factory=dict)
    protect: dict[str, Any] = field(default_factory=dict)
    name: str = field(default="the run file", compare=False)

    def __repr__(self) -> str:
        return f"<RunFile: {self.method.get('name', 'no method')}, {len(self.columns)} columns>"

    @classmethod
    def load(cls, path: str | os.PathLike[str] | None) -> Self:
        """Read a run file, if there is one; all problems of its outline are told together."""
        if path is None:
            return cls()
        path = Path(path)
        content = _parsed(path)
        problems = _problems(content)
        if problems:
            raise InputError("\n".join(f"{path}: {problem}" for problem in problems))
        return cls(**{name: content.get(name, {}) for name in SECTIONS[1:]}, name=path.name)

    @property
    def recodes(self) -> list[str]:
        """The steps that run before the table is masked."""
        return list(self.prepare.get("recode", ()))

    @property
    def drops_unnamed(self) -> bool:
        """Return whether columns that are not named are dropped."""
        return bool(self.output.get("drop_unnamed"))

    @property
    def protects(self) -> bool:
        """Return whether protection is raised for people who are still exposed."""
        return bool(self.protect.get("exposed"))

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
        """The run that made a release: of the document `like`, if it is of one.

        `block_rows` are those of the engine, if it had some; order and `labels` are how the release
        is written. The seed is a secret, and no part of it.
        """
        spelling = {} if labels is None else {"labels": labels}
        return cls.describe(
            release.schema,
            method={"name": release.method, **release.settings},
            input={} if like is None else like.options,
            engine={} if block_rows is None else {"block_rows": block_rows},
            output={"keep_order": keep_order, **spelling},
            protect=None if release.protection is None else release.protection.settings,
        )

    @classmethod
    def describe(
        cls,
        schema: Schema,
        *,
        method: Mapping[str, Any],
        input: Mapping[str, Any],  # noqa: A002
        engine: Mapping[str, Any],
        output: Mapping[str, Any],
        protect: Mapping[str, Any] | None = None,
    ) -> Self:
        """All that is needed to repeat a run except secrets; dropped columns are not named."""
        columns = schema.to_dict()
        return cls(
            columns={name: columns[name] for name in columns if name in schema.published},
            method=dict(method),
            ties=schema.ties.to_dict(),
            input=dict(input),
            engine=dict(engine),
            output={"keep_order": False, "drop_unnamed": True, **output},
            prepare={"recode": list(schema.recodes)} if schema.recodes else {},
            protect=dict(protect or {}),
        )

    @property
    def keeps_order(self) -> bool:
        """Return whether the rows of the release are in the order of the table."""
        return bool(self.output.get("keep_order"))

    def make_method(self) -> Method:
        """The method, with its parameters."""
        from swapmeet.methods import METHODS, make

        settings = dict(self.method)
        name = settings.pop("name", None)
        if name is None:
            raise UsageError(f"the run file names no method: one of {', '.join(METHODS)}.")
        return make(name, settings)

    def apply_to(self, guessed: Schema, table: Place | None = None) -> Schema:
        """Apply what it says about columns; others are as guessed, or dropped if it says so."""
        where = "" if table is None else f" in {table}"
        problems = list_unknown(self.columns, guessed.names, f"{where}, which {self.name} names")
        if problems:
            raise SchemaError(problems)
        schema = replace(guessed.with_settings(self.columns), ties=Ties.from_dict(self.ties))
        if self.drops_unnamed:
            schema = schema.assign(
                drop=[name for name in guessed.names if name not in self.columns]
            )
        return schema.assign(recode=self.recodes) if self.recodes else schema

    def check(self) -> None:
        """Refuse what no table could be masked by; all problems of the outline are told at once."""
        problems = _problems(self._content)
        if problems:
            raise InputError("\n".join(f"run file: {problem}" for problem in problems))
        from swapmeet.tables.recoding.recode import parse_recodes

        parse_recodes(self.recodes)
        self.make_method()

    def mask(
        self,
        source: Document | str | os.PathLike[str],
        *,
        seed: int | None = None,
        threads: int | None = None,
        progress: Progress = silent,
    ) -> Release:
        """Mask a file, or a document that was read, as the run file says; nothing is written."""
        from swapmeet.runs.repetition import Repetition

        self._require_local()
        return Repetition(
            run=self, source=source, seed=seed, threads=threads, progress=progress
        ).mask()

    def run(
        self,
        source: Document | str | os.PathLike[str],
        path: str | os.PathLike[str],
        *also: str | os.PathLike[str],
        seed: int | None = None,
        audit: str | os.PathLike[str] | None = None,
        overwrite: bool = False,
        memory: str | int | None = None,
        threads: int | None = None,
        progress: Progress = silent,
    ) -> Release | FileRelease:
        """Do what `swapmeet mask SOURCE PATH --config` does; the same seed gives the same files.

        Release, the run file beside it and the audit record, if one is asked for, appear together,
        or none of them does. With `memory`, such as "4GB", the file is masked piece by piece.
        """
        from swapmeet.runs.repetition import Repetition
        from swapmeet.runs.targets import Targets

        self._require_local()
        targets = Targets(
            release=Path(path), also=tuple(map(Path, also)), run_file=self.beside(Path(path)),
            audit=None if audit is None else Path(audit), labels=self.output.get("labels"),
            guard_formulas=bool(self.output.get("guard_formulas")),
            overwrite=overwrite,
        )  # fmt: skip
        return Repetition(
            run=self, source=source, seed=seed, threads=threads, progress=progress
        ).write(targets, memory)

    def _require_local(self) -> None:
        self.check()
        if self.engine.get("name", ENGINES[0]) != ENGINES[0]:
            raise UsageError(
                "the run file asks for Spark. Run it by `swapmeet mask --config`, or mask a Spark "
                "frame with its method: mask(frame, run_file.make_method())."
            )

    @classmethod
    def of_release(cls, release: Place, config: Path | None) -> Self:
        """The run file given, or else the one beside a release, if there is one."""
        return cls.load(config or cls.find_beside(release))

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write the run file."""
        import tomli_w

        with write_atomically(Path(path), overwrite=overwrite) as aside:
            aside.write_text(tomli_w.dumps(self._content), encoding="utf-8", newline="")

    @property
    def reading(self) -> dict[str, Any]:
        """The arguments of `read`: how the table is read, and the codes for missing values."""
        facts = {name: one for name, one in self.columns.items() if isinstance(one, dict)}
        codes = {name: one["missing"] for name, one in facts.items() if one.get("missing")}
        return {**self.input, **({"missing": codes} if codes else {})}

    @property
    def _content(self) -> dict[str, Any]:
        return {
            "swapmeet": __version__,
            "input": self.input,
            **({"prepare": self.prepare} if self.prepare else {}),
            "method": self.method,
            **({"protect": self.protect} if self.protect else {}),
            **({"engine": self.engine} if self.engine else {}),
            "output": self.output,
            "columns": self.columns,
            **({"ties": self.ties} if self.ties else {}),
        }

    @staticmethod
    def beside(release: Place) -> Path:
        """Return the path of a release's run file: each release has one of its own.

        That of a table of a database is in the current folder.

        >>> str(RunFile.beside(Path("out/people.csv.gz")))
        'out/people.csv.gz.run.toml'
        """
        if isinstance(release, DatabaseTable):
            return Path(f"{release.stem}.run.toml")
        return release.with_name(f"{release.name}.run.toml")

    @classmethod
    def find_beside(cls, release: Place) -> Path | None:
        """The run file beside a release, also by the shorter name of earlier versions."""
        own = cls.beside(release)
        recover(own)
        if isinstance(release, DatabaseTable):
            return own if own.is_file() else None
        name = release.stem if release.suffix.lower() == ".gz" else release.name
        older = release.with_name(f"{Path(name).stem}.run.toml")
        return next((path for path in (own, older) if path.is_file()), None)


def _parsed(path: Path) -> dict[str, Any]:
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


def _problems(content: dict[str, Any]) -> list[str]:
    problems = _unknown(content, SECTIONS, "section")
    problems += [
        f"[{name}] must be a table."
        for name in SECTIONS[1:]
        if not isinstance(content.get(name, {}), dict)
    ]
    if problems:
        return problems
    problems += _mistyped(content.get("input", {}), INPUT, "input")
    problems += _find_wrong_steps(content.get("prepare", {}))
    problems += _mistyped(content.get("protect", {}), PROTECT, "protect")
    problems += _mistyped(content.get("engine", {}), ENGINE, "engine")
    problems += _mistyped(content.get("output", {}), OUTPUT, "output")
    if content.get("engine", {}).get("name", ENGINES[0]) not in ENGINES:
        problems.append(f"[engine]: `name` must be one of {', '.join(ENGINES)}.")
    if not isinstance(content.get("method", {}).get("name", ""), str):
        problems.append(f"[method]: `name` must be {_CALLED[str]}.")
    return problems


def _find_wrong_steps(table: dict[str, Any]) -> list[str]:
    steps = table.get("recode", [])
    right = isinstance(steps, list) and all(isinstance(step, str) for step in steps)
    return _unknown(table, PREPARE, "setting of [prepare]") + (
        [] if right else ["[prepare]: `recode` must be a list of texts in quotes."]
    )


def _mistyped(table: dict[str, Any], known: dict[str, type], section: str) -> list[str]:
    return _unknown(table, tuple(known), f"setting of [{section}]") + [
        f"[{section}]: `{name}` must be {_CALLED[known[name]]}."
        for name, value in table.items()
        if name in known and not _is_of(value, known[name])
    ]


def _is_of(value: Any, kind: type) -> bool:
    """Return whether a value is of a kind; a whole number is a number, and true is none."""
    return type(value) is kind or (kind is float and type(value) is int)


def _unknown(table: dict[str, Any], known: tuple[str, ...], what: str) -> list[str]:
    return [
        f"unknown {what} {name!r}{did_you_mean(name, known)} Known: {', '.join(known)}."
        for name in table
        if name not in known
    ]
