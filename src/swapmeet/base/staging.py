"""The private folder beside a target: how files get their names, and what killed runs left.

It is called `.swapmeet`, only its owner may enter it, and it is gone when nothing is in it. Each
run has a room of its own there, with a lock that ends with the run: whatever lies in a room
without a living owner was left by a run that was killed.

Several files and folders get their names in one step: they lie aside, in such rooms. A manifest in
one of the rooms lists the renames; when it is there, the step is done, though names may lack:
the run that finds it after a kill renames the rest. Before, nothing has changed.
"""

from __future__ import annotations

import json
import os
import secrets
import stat
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from swapmeet.base.disk import FileLock, remove, sync_folder, try_lock, write_whole
from swapmeet.errors import FileError

HOME = ".swapmeet"
LOCK = ".lock"
TRIES = 1000
"""Others may remove the private folder as often while we enter it."""


@dataclass(frozen=True)
class Room:
    """A run's own folder in the private folder."""

    path: Path
    lock: FileLock

    @property
    def home(self) -> Path:
        """The private folder."""
        return self.path.parent

    @property
    def folder(self) -> Path:
        """The folder of the targets."""
        return self.home.parent

    def sync(self) -> None:
        """Wait until the names of what is in it are on the disk."""
        for folder in (self.path, self.home, self.folder):
            sync_folder(folder)

    def close(self) -> None:
        """Remove the room and what is in it, and the private folder if it is empty then."""
        remove(self.path)
        self.leave()

    def leave(self) -> None:
        """Leave the room as it is to the next run."""
        if not self.path.exists():
            self.lock.release()
        else:
            os.close(self.lock.descriptor)
        with suppress(OSError):
            self.home.rmdir()


def open_room(folder: Path, name: str | None = None) -> Room:
    """A new room beside the files of `folder`."""
    for _ in range(TRIES):
        home, own = _make_home(folder), name or secrets.token_hex(8)
        with suppress(FileNotFoundError):
            lock = try_lock(home / f"{own}{LOCK}")
            if lock is not None:
                return _make_room(home / own, lock)
    raise FileNotFoundError(2, os.strerror(2), str(folder))


def _make_room(path: Path, lock: FileLock) -> Room:
    try:
        path.mkdir(0o700)
    except OSError:
        lock.release()
        raise
    return Room(path, lock)


def find_rooms(folder: Path) -> Iterator[Path]:
    """The rooms in a folder that are ours, whether their owners live or not."""
    for home in filter(_is_own, _list_homes(folder)):
        with suppress(OSError):
            names = {entry.name.removesuffix(LOCK) for entry in home.iterdir()}
            yield from (home / name for name in sorted(names))


def remove_empty_homes(folder: Path) -> None:
    """Remove the private folder, if there is one with nothing in it."""
    for home in filter(_is_own, _list_homes(folder)):
        with suppress(OSError):
            home.rmdir()


def enter_room(path: Path) -> Room | None:
    """The room of a run that has ended; None if it lives, or if the room is gone meanwhile."""
    try:
        lock = try_lock(path.with_name(f"{path.name}{LOCK}"))
    except FileNotFoundError:
        return None
    return None if lock is None else Room(path, lock)


def _make_home(folder: Path) -> Path:
    """The private folder; another one where the usual name is somebody else's."""
    for home in _list_homes(folder):
        with suppress(FileExistsError):
            home.mkdir(0o700)
        if _is_own(home):
            return home
    return home


def _list_homes(folder: Path) -> list[Path]:
    """The names that our private folder may have there."""
    user = os.getuid() if hasattr(os, "getuid") else 0
    return [folder / HOME, folder / f"{HOME}-{user}"]


def _is_own(home: Path) -> bool:
    """Return whether a folder is ours: what others put in theirs is none of our business."""
    try:
        status = home.lstat()
    except OSError:
        return False
    is_ours = not hasattr(os, "getuid") or status.st_uid == os.getuid()
    return is_ours and stat.S_ISDIR(status.st_mode)


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
    def read(cls, facts: Any, main: Path) -> Self:
        """As a manifest has it; ValueError if it leads elsewhere."""
        room = Path(facts["room"] or main)
        rename = cls(room, facts["aside"], facts["name"])
        plain = all(Path(one).name == one for one in (rename.aside, rename.name))
        if not plain or room.name != main.name:
            raise ValueError
        return rename


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
    return [Rename.read(facts, main) for facts in content["renames"]]


MAIN = "main-room"
"""The file that tells a room which one has the manifest; that one itself has none."""
PATIENCE = 10.0
"""Seconds to wait for a living run that gives its files their names just now."""


def recover(path: str | os.PathLike[str]) -> None:
    """See to it that the files beside `path`, and itself, are those of one run each.

    Nothing of a run that lives is touched.
    """
    folder = Path(os.path.realpath(Path(path).parent))
    for place in find_rooms(folder):
        _recover_room(place)
    remove_empty_homes(folder)


def _recover_room(place: Path) -> None:
    room = enter_room(place)
    if room is None:
        _wait_for_renames(_find_main(place))
        return
    try:
        is_settled = _settle(_find_main(place), place)
    except BaseException:
        room.leave()
        raise
    if is_settled:
        room.close()
    else:
        room.leave()


def _settle(main: Path, place: Path) -> bool:
    """Finish the renames of a run that was killed; whether nothing in its room is needed."""
    if main == place:
        _finish(main)
        return True
    if not main.exists():
        return main.parent.parent.exists()
    room = enter_room(main)
    if room is None:
        _wait_for_renames(main)
        return False
    try:
        _finish(main)
    except BaseException:
        room.leave()
        raise
    room.close()
    return True


def _finish(main: Path) -> None:
    """Do the renames, if the run was killed after the step; else nothing had changed."""
    try:
        renames = read_manifest(main)
        if renames is None:
            return
        finish_renames(main, renames)
        for other in {rename.room for rename in renames} - {main}:
            _close(enter_room(other) if other.exists() else None)
    except (OSError, ValueError, LookupError, TypeError) as error:
        if not (main / MANIFEST).exists():
            return
        reason = getattr(error, "strerror", None) or "its list of files is damaged"
        raise FileError(
            f"{main.parent.parent}: a run was killed here while its files got their names, and "
            f"this could not be finished: {reason}. Allow writing there, and try again."
        ) from None


def _close(room: Room | None) -> None:
    if room is not None:
        room.close()


def _find_main(place: Path) -> Path:
    try:
        return Path(os.fsdecode((place / MAIN).read_bytes()))
    except OSError:
        return place


def _wait_for_renames(main: Path) -> None:
    """A run that lives is done with its renames in a moment."""
    end = time.monotonic() + PATIENCE
    while (main / MANIFEST).exists() and time.monotonic() < end:
        time.sleep(0.01)
