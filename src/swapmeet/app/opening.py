"""A file becomes a case: by its path, as an upload, or as a built-in example."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from swapmeet.app import commands
from swapmeet.app.case import Case
from swapmeet.app.proposal import describe_example
from swapmeet.app.run import Run, RunKind
from swapmeet.base.disk import name_reason
from swapmeet.datasets import DATASETS, find_file
from swapmeet.errors import FileError
from swapmeet.io.format import require_file
from swapmeet.io.formats import format_at

if TYPE_CHECKING:
    from swapmeet.app.desk import Desk

EXAMPLES = {name: one for name, one in DATASETS.items() if name != "fair"}
"""Those that come with the package; the one to begin with first."""
FIRST_EXAMPLE = "anes96"


def find_path(text: str) -> Path:
    """The file that somebody names; a disk that is far away may take its time."""
    if not text.strip():
        raise FileError("No file was named. Write its path, such as /home/ann/people.csv.")
    path = Path(text.strip().strip("\"'"))
    try:
        path = path.expanduser().absolute()
        kind = format_at(path)
        if not kind.has_folder(path):
            require_file(path)
            if not path.is_file():
                raise FileError(f"{path}: is a device or a pipe. Give the name of a file.")
    except RuntimeError:
        raise FileError(f"{path}: there is no such user. Write the whole path.") from None
    except OSError as error:
        raise FileError(f"{path}: {name_reason(error)}.") from None
    return path


def open_path(desk: Desk, path: Path) -> Case:
    """A file of this machine, which stays where it is."""
    return _begin(desk, Case(name=path.name, source=str(path)))


def open_upload(desk: Desk, upload: Path, name: str) -> Case:
    """A file that was sent; it is kept in the private folder until the case is closed."""
    format_at(Path(name))
    return _begin(desk, Case(name=name, source=str(upload), uploaded=True))


def open_example(desk: Desk, name: str) -> Case:
    """A built-in table, with the roles that it is known to have."""
    dataset = EXAMPLES[name]
    path = find_file(name)
    return _begin(desk, Case(name=path.name, source=str(path), **describe_example(dataset)))


def _begin(desk: Desk, case: Case) -> Case:
    case = desk.space.add_case(case.change(opened=time.time()))
    try:
        case = _take_in(desk, case) if case.uploaded else case
        look(desk, case, first=True)
    except OSError:
        desk.space.close_case(case.key)
        raise
    return case


def _take_in(desk: Desk, case: Case) -> Case:
    """The case with the file in its own folder."""
    folder = desk.space.case_folder(case.key) / "source"
    folder.mkdir(0o700)
    case = case.change(source=str(case.path.rename(folder / case.name)))
    desk.space.save_case(case)
    return case


def look(desk: Desk, case: Case, *, first: bool) -> Run:
    """Inspect the file; the `first` look is that before the curator said anything of columns."""
    plain = Case(name=case.name, source=case.source, uploaded=case.uploaded, reading=case.reading)
    command = commands.inspect(plain if first else case, desk.guesses(case))
    run = Run(kind=RunKind.INSPECTION, case=case.key, title="Looking at the file",
              commands=(command,), facts={"first": first})  # fmt: skip
    return desk.jobs.start(run)
