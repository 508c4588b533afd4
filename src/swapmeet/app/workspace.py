"""The private folder of the app: the files that are open in it, and what was made of them.

::

    cases/KEY/case.json           what the curator said of a file
    cases/KEY/source/NAME         the file itself, if it was uploaded
    cases/KEY/runs/candidate-1/   one piece of work, with all that came out of it
    scratch/                      whatever is not finished; emptied at start and at exit
    server.json                   where the running app is, and the token for it
"""

from __future__ import annotations

import json
import os
import re
import secrets
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from swapmeet.app.case import Case
from swapmeet.app.run import Run, State, forget_results
from swapmeet.base.disk import FileLock, name_reason, remove, try_lock, write_whole
from swapmeet.base.secret import find_state_folder
from swapmeet.errors import OutputError

ANOTHER = "Name another folder: swapmeet app --folder FOLDER."
CLOSED = "The app was closed before this was finished."
PRIVATE = 0o700
OWN = {"cases", "lock", "scratch", "server.json", "server.json.draft"}
KEY_BYTES = 6
PAGE = "open.html"


@dataclass(frozen=True)
class Workspace:
    """The folder, which only its owner may enter, and the lock that says whose it is."""

    folder: Path
    lock: FileLock

    @classmethod
    def open(cls, folder: Path | None = None) -> Workspace | None:
        """The folder for this process alone; None while another app has it."""
        path = (folder or find_state_folder() / "app").absolute()
        try:
            for each in (path, path / "cases", path / "scratch"):
                each.mkdir(PRIVATE, parents=True, exist_ok=True)
                _require_own(each, is_part=each != path)
                each.chmod(PRIVATE)
            lock = try_lock(path / "lock")
        except OSError as error:
            raise OutputError(
                f"{path}: the app cannot keep its work there: {name_reason(error)}. {ANOTHER}"
            ) from None
        if lock is None:
            return None
        space = cls(path, lock)
        space.sweep()
        return space

    def sweep(self) -> None:
        """Remove what a former app left unfinished; a search can go on from its journal."""
        for left in self.scratch.iterdir():
            remove(left)
        for folder in (self.folder / "cases").iterdir():
            if is_key(folder.name) and not (folder / "case.json").exists():
                remove(folder)
        for case in self.cases():
            for run in self.runs(case.key):
                if run.state.is_open:
                    self.save_run(replace(run, state=State.STOPPED, error=CLOSED))

    def close(self) -> None:
        """Remove what is not finished, and let others have the folder."""
        for left in self.scratch.iterdir():
            remove(left)
        remove(self.folder / "server.json")
        self.lock.release()

    @property
    def scratch(self) -> Path:
        """For files that are not whole yet."""
        return self.folder / "scratch"

    # the cases

    def cases(self) -> list[Case]:
        """The files that are open, those opened last first."""
        cases = [self._load_case(path) for path in (self.folder / "cases").glob("*/case.json")]
        return sorted(filter(None, cases), key=lambda case: -case.opened)

    def find_case(self, key: str) -> Case | None:
        """The case of this key, if it is open."""
        if not is_key(key):
            return None
        return self._load_case(self.case_folder(key) / "case.json")

    def add_case(self, case: Case) -> Case:
        """Keep a new case under a key of its own."""
        case = replace(case, key=secrets.token_hex(KEY_BYTES))
        try:
            (self.case_folder(case.key) / "runs").mkdir(PRIVATE, parents=True)
            self.save_case(case)
        except OSError:
            self.close_case(case.key)
            raise
        return case

    def save_case(self, case: Case) -> None:
        """Keep a case as it is now."""
        _write(self.case_folder(case.key) / "case.json", case.to_dict())

    def change_case(self, key: str, change: Callable[[Case], Case]) -> Case | None:
        """Keep a case with a change."""
        case = self.find_case(key)
        if case is None:
            return None
        changed = change(case)
        self.save_case(changed)
        return changed

    def forget_case(self, key: str) -> None:
        """Nobody finds the case any more; what was made of it is there until it is closed."""
        remove(self.case_folder(key) / "case.json")

    def close_case(self, key: str) -> None:
        """Remove a case and all that was made of it; a file opened by path stays where it is."""
        remove(self.case_folder(key))
        forget_results()

    def case_folder(self, key: str) -> Path:
        """Return the folder of a case."""
        return self.folder / "cases" / key

    def _load_case(self, path: Path) -> Case | None:
        content = _read(path)
        with suppress(TypeError, ValueError, LookupError, AttributeError):
            return None if content is None else Case.from_dict(content)
        return None

    # the runs of a case

    def runs(self, key: str) -> list[Run]:
        """All work on a case, in the order in which it was asked for."""
        runs = (
            self._load_run(path) for path in (self.case_folder(key) / "runs").glob("*/run.json")
        )
        return sorted(filter(None, runs), key=lambda run: (run.asked, run.number))

    def find_run(self, key: str, name: str) -> Run | None:
        """One of them."""
        if not is_key(key) or not re.fullmatch(r"[a-z]+-\d+", name):
            return None
        return self._load_run(self.case_folder(key) / "runs" / name / "run.json")

    def add_run(self, run: Run) -> Run:
        """Keep a new run under the next number of its kind, in a folder of its own."""
        home = self.case_folder(run.case) / "runs"
        used = [int(path.name.rpartition("-")[2]) for path in home.glob(f"{run.kind}-*")]
        run = replace(run, number=max(used, default=0) + 1)
        run = replace(run, folder=home / run.name)
        run.folder.mkdir(PRIVATE)
        self.save_run(run)
        return run

    def save_run(self, run: Run) -> None:
        """Keep a run as it is now, unless it was discarded meanwhile."""
        if run.folder.is_dir():
            _write(run.folder / "run.json", run.to_dict())

    def discard_run(self, run: Run) -> None:
        """Remove a run with all that came out of it; its number is not given again."""
        for left in run.folder.iterdir():
            remove(left)
        forget_results()

    def _load_run(self, path: Path) -> Run | None:
        content = _read(path)
        with suppress(TypeError, ValueError, LookupError, AttributeError):
            return None if content is None else Run.from_dict(content, path.parent)
        return None

    # the app that has it

    def announce(self, address: str, token: str) -> Path:
        """Tell other starts of the app, and the browser, where this one is; nobody else."""
        _write(self.folder / "server.json", {"address": address, "token": token})
        page = self.scratch / PAGE
        link = f"{address}/enter?token={token}"
        page.write_text(
            f'<!DOCTYPE html><meta http-equiv="refresh" content="0; url={link}">'
            f'<title>Swapmeet</title><a href="{link}">Open Swapmeet</a>',
            encoding="utf-8",
        )
        page.chmod(0o600)
        return page


def is_key(text: str) -> bool:
    """Return whether it can be the key of a case; it never leads to another folder."""
    return re.fullmatch(rf"[0-9a-f]{{{2 * KEY_BYTES}}}", text) is not None


def _require_own(folder: Path, *, is_part: bool) -> None:
    """Refuse what is another's, and a folder of other things: what is left over is removed."""
    if hasattr(os, "getuid") and folder.stat().st_uid != os.getuid():
        raise OutputError(f"{folder}: belongs to somebody else. {ANOTHER}")
    if is_part and folder.is_symlink():
        raise OutputError(f"{folder}: leads elsewhere. {ANOTHER}")
    if not is_part and any(e.name not in OWN and e.name[0] != "." for e in folder.iterdir()):
        raise OutputError(f"{folder}: holds other things than the work of the app. {ANOTHER}")


def find_running(folder: Path | None = None) -> str | None:
    """The link to the app that has the folder, if it has told it."""
    content = _read((folder or find_state_folder() / "app") / "server.json")
    if content is None or not {"address", "token"} <= set(content):
        return None
    return f"{content['address']}/enter?token={content['token']}"


def find_page(folder: Path | None = None) -> Path:
    """The page that leads a browser to the running app.

    Anybody can read in the list of processes what a browser is to open: not the link itself.
    """
    return (folder or find_state_folder() / "app").absolute() / "scratch" / PAGE


def _read(path: Path) -> dict[str, Any] | None:
    try:
        content = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    return content if isinstance(content, dict) else None


def _write(path: Path, content: Mapping[str, Any]) -> None:
    write_whole(path, json.dumps(content, indent=1).encode())
    path.chmod(0o600)
