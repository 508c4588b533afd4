"""Secrets: objects that refuse to become a pickle, and a key of one's own in a private folder."""

from __future__ import annotations

import os
import secrets
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, NoReturn, SupportsIndex

from swapmeet.base.atomic import write_atomically
from swapmeet.errors import SwapmeetError, UsageError


class HoldsSecret:
    """Something with the seed or the donors in it: no pickle, which travels unseen, is made of it.

    `instead` says what to do. A copy is another name for the same secret.
    """

    instead: ClassVar[str] = ""

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        raise UsageError(
            f"{type(self).__name__}: holds the seed, so no pickle is made of it: with the seed, "
            f"anyone can undo the masking. {self.instead}"
        )

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return self


BYTES = 32
FOLDER_VARIABLE = "SWAPMEET_STATE"
"""The environment variable that names another folder for it."""


def load_own_key() -> bytes:
    """The key of the user who runs this; it is made at first use.

    Where no file can be kept, it is a key of this process only.
    """
    return _load(find_state_folder())


@cache
def _load(folder: Path) -> bytes:
    with suppress(OSError):
        key = (folder / "key").read_bytes()
        if len(key) == BYTES:
            return key
    key = secrets.token_bytes(BYTES)
    with suppress(OSError, SwapmeetError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with write_atomically(folder / "key", overwrite=True, private=True) as aside:
            aside.write_bytes(key)
    return key


def find_state_folder() -> Path:
    """Find the folder where Swapmeet keeps what belongs to the user; it need not exist yet."""
    if named := os.environ.get(FOLDER_VARIABLE):
        return Path(named)
    with suppress(RuntimeError):
        if sys.platform == "win32":
            return Path(os.environ.get("LOCALAPPDATA") or Path.home()) / "swapmeet"
        state = os.environ.get("XDG_STATE_HOME")
        return (Path(state) if state else Path.home() / ".local" / "state") / "swapmeet"
    return Path(os.devnull)
