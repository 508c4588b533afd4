"""Several files and folders get their names in one step.

They lie aside, in rooms of the private folders beside their targets. A manifest in one of the rooms
lists the renames; when it is there, the step is done, though names may lack: whoever finds it after
a kill renames the rest. Before, nothing has changed.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from swapmeet.base.disk import sync_folder, write_whole

if TYPE_CHECKING:
    from collections.abc import Sequence

MANIFEST = "renames.json"
FORMAT = "swapmeet renames 1"


@dataclass(frozen=True)
class Rename:
    """A file or folder `aside` in a room, and the name that it gets beside the private folder."""

    room: Path
    aside: str
    name: str

    @property
    def source(self) -> Path:
        """The path of the file now."""
        return self.room / self.aside

    @property
    def target(self) -> Path:
        """The path that the file gets."""
        return self.room.parent.parent / self.name

    @property
    def former(self) -> Path:
        """The path of the file that had the name before, until all is done."""
        return self.room / f"former-{self.aside}"

    def do(self) -> None:
        """Rename; nothing happens if it was done before. A failure names the target."""
        if not os.path.lexists(self.source):
            return
        try:
            if os.path.lexists(self.target):
                self._keep_former()
            self.source.replace(self.target)
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(self.target)) from error

    def undo(self) -> None:
        """Put back what the name belonged to before."""
        if not os.path.lexists(self.source) and os.path.lexists(self.target):
            self.target.replace(self.source)
        if os.path.lexists(self.former):
            self.former.replace(self.target)

    def _keep_former(self) -> None:
        """A second name for a file, so that its place is never empty; a folder has only one."""
        if os.path.lexists(self.former):
            return
        try:
            os.link(self.target, self.former, follow_symlinks=False)
        except (OSError, NotImplementedError):
            self.target.rename(self.former)

    def describe(self, main: Path) -> dict[str, str]:
        """As a manifest in the room `main` has it; folders may be moved as wholes."""
        room = "" if self.room == main else str(self.room)
        return {"room": room, "aside": self.aside, "name": self.name}

    @classmethod
    def read(cls, told: Any, main: Path) -> Self:
        """As a manifest has it; ValueError if it leads elsewhere."""
        room = Path(told["room"] or main)
        found = cls(room, told["aside"], told["name"])
        plain = all(Path(one).name == one for one in (found.aside, found.name))
        if not plain or room.name != main.name:
            raise ValueError
        return found


def rename_together(main: Path, renames: Sequence[Rename]) -> None:
    """Give all of them their names; on failure, none. The room `main` has the manifest."""
    for rename in renames:
        rename.source.lstat()
    if len(renames) == 1 and not renames[0].target.is_dir():
        renames[0].source.replace(renames[0].target)
        sync_folder(renames[0].target.parent)
        return
    write_manifest(main, renames)
    finish_renames(main, renames)


def write_manifest(main: Path, renames: Sequence[Rename]) -> None:
    """Write down the renames; from the moment this is there, they will be done."""
    content = {"format": FORMAT, "renames": [rename.describe(main) for rename in renames]}
    write_whole(main / MANIFEST, json.dumps(content).encode())
    sync_folder(main)


def finish_renames(main: Path, renames: Sequence[Rename]) -> None:
    """Do what the manifest says, and remove it; if something fails, undo everything.

    Where even that fails, the manifest stays, and with it all that is needed to try again.
    """
    try:
        for rename in renames:
            rename.do()
        for folder in {rename.target.parent for rename in renames}:
            sync_folder(folder)
    except BaseException:
        for rename in renames:
            rename.undo()
        _remove_manifest(main)
        raise
    _remove_manifest(main)


def _remove_manifest(main: Path) -> None:
    (main / MANIFEST).unlink()
    sync_folder(main)


def read_manifest(main: Path) -> list[Rename] | None:
    """The renames that are to be done; None if there are none."""
    try:
        content = json.loads((main / MANIFEST).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    if content["format"] != FORMAT:
        raise ValueError
    return [Rename.read(told, main) for told in content["renames"]]
