"""Remains of runs that were killed: renames are finished, everything else is removed."""

from __future__ import annotations

import os
import time
from pathlib import Path

from swapmeet.base.renames import MANIFEST, finish_renames, read_manifest
from swapmeet.base.staging import Room, enter_room, find_rooms, remove_empty_homes
from swapmeet.errors import FileError

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
