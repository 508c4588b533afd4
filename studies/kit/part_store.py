"""Finished parts of a study, so that one that was interrupted goes on."""

from __future__ import annotations

import inspect
import json
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import swapmeet as sm
from kit.section import Section
from swapmeet.base.atomic import write_atomically

if TYPE_CHECKING:
    from kit.study import Part, Run


class PartStore:
    """One file for each finished part; it holds for the same code of the study and the same run."""

    def __init__(self, folder: Path, run: Run, *, afresh: bool) -> None:
        self._folder, self._run, self._afresh = folder, run, afresh

    def find(self, name: str, part: Part) -> Section | None:
        """The part as it was found before, unless its code or the run is another one."""
        path = self._place(name)
        if self._afresh or not path.exists():
            return None
        found = json.loads(path.read_text())
        return Section.from_dict(found["section"]) if found["mark"] == self._mark(part) else None

    def keep(self, name: str, part: Part, section: Section) -> Section:
        """Write the part down."""
        self._folder.mkdir(exist_ok=True)
        text = json.dumps({"mark": self._mark(part), "section": section.to_dict()})
        with write_atomically(self._place(name), overwrite=True) as aside:
            aside.write_text(text)
        return section

    def _place(self, name: str) -> Path:
        return self._folder / f"{name}{'.quick' if self._run.quick else ''}.json"

    def _mark(self, part: Part) -> str:
        """What the part depends on: the program, the run, and the code beside its own."""
        folder = Path(inspect.getfile(part)).parent
        code = "".join(path.read_text() for path in sorted(folder.glob("*.py")))
        run = f"{sm.__version__} {self._run.quick} {self._run.seed}"
        return sha256(f"{run} {code}".encode()).hexdigest()
