"""The run file: everything about a run except secrets, in TOML."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from swapmeet import __version__
from swapmeet.errors import FileError, InputError, did_you_mean
from swapmeet.files import written_aside

SECTIONS = ("swapmeet", "input", "method", "columns", "output")
INPUT = ("delimiter", "encoding", "sheet")
OUTPUT = ("keep_order",)


@dataclass(frozen=True)
class RunFile:
    """How a table is read, what its columns are, how it is masked and written.

    `columns` maps names to kind and role; `method` has `name` and the parameters.
    """

    columns: dict[str, Any] = field(default_factory=dict)
    method: dict[str, Any] = field(default_factory=dict)
    input: dict[str, Any] = field(default_factory=dict)
    output: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read a run file; all problems of its outline are told together."""
        try:
            content = tomllib.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise FileError(f"{path}: there is no such run file.") from None
        except (OSError, UnicodeDecodeError):
            raise FileError(f"{path}: cannot be read as a text file.") from None
        except tomllib.TOMLDecodeError as error:
            raise FileError(f"{path}: is not valid TOML: {error}.") from None
        problems = _unknown(content, SECTIONS, "section")
        problems += [
            f"[{name}] must be a table."
            for name in SECTIONS[1:]
            if not isinstance(content.get(name, {}), dict)
        ]
        if not problems:
            problems += _unknown(content.get("input", {}), INPUT, "setting of [input]")
            problems += _unknown(content.get("output", {}), OUTPUT, "setting of [output]")
        if problems:
            raise InputError("\n".join(f"{path}: {problem}" for problem in problems))
        return cls(**{name: content.get(name, {}) for name in SECTIONS[1:]})

    def save(self, path: Path, *, overwrite: bool) -> None:
        """Write the run file."""
        import tomli_w

        content = {
            "swapmeet": __version__,
            "input": self.input,
            "method": self.method,
            "output": self.output,
            "columns": self.columns,
        }
        with written_aside(path, overwrite=overwrite) as aside:
            aside.write_text(tomli_w.dumps(content), encoding="utf-8")

    @staticmethod
    def beside(release: Path) -> Path:
        """Where the run file of a release is written.

        >>> str(RunFile.beside(Path("out/people.csv.gz")))
        'out/people.run.toml'
        """
        return release.with_name(release.name.split(".")[0] + ".run.toml")


def _unknown(table: dict[str, Any], known: tuple[str, ...], what: str) -> list[str]:
    return [
        f"unknown {what} {name!r}{did_you_mean(name, known)} Known: {', '.join(known)}."
        for name in table
        if name not in known
    ]
