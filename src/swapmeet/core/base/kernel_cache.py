"""Where compiled loops are kept, so that only the first use on a machine waits for them.

The files are a convenience: what cannot be read is compiled anew, what cannot be written is done
without. Where neither the installation nor the user's home can be written, they lie in a private
folder for temporary files.
"""

from __future__ import annotations

import os
import stat
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numba import config
from numba.core.caching import FunctionCache, NullCache

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class KernelCache(FunctionCache):
    """Kept machine code of one loop."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """What was kept for these types; nothing if it is damaged, and then it is kept anew."""
        try:
            return super().load_overload(sig, target_context)  # type: ignore[no-untyped-call]
        except Exception:  # noqa: BLE001
            with suppress(Exception):
                self.flush()  # type: ignore[no-untyped-call]
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep it, if there is room."""
        with suppress(Exception):
            super().save_overload(sig, data)  # type: ignore[no-untyped-call]


def choose_cache(function: Callable[..., Any]) -> Any:
    """Where the machine code of a function is kept: as numba does it, or else as told above."""
    with suppress(RuntimeError):
        return KernelCache(function)  # type: ignore[no-untyped-call]
    with suppress(RuntimeError, OSError), _keep_in(_make_private_folder()):
        return KernelCache(function)  # type: ignore[no-untyped-call]
    return NullCache()


@contextmanager
def _keep_in(folder: Path) -> Iterator[None]:
    settings: Any = config
    before, settings.CACHE_DIR = settings.CACHE_DIR, str(folder)
    try:
        yield
    finally:
        settings.CACHE_DIR = before


def _make_private_folder() -> Path:
    """A folder for temporary files that nobody else can have put anything into.

    Every installation has its own, since machine code contains that of other files. Where no place
    for temporary files can be written, Python names the current folder, that of the user's data.
    """
    user, installed = os.getuid() if hasattr(os, "getuid") else 0, Path(__file__).stat().st_mtime_ns
    place = Path(tempfile.gettempdir())
    if place == Path.cwd():
        raise FileNotFoundError(2, "is no folder for temporary files", str(place))
    folder = place / f"swapmeet-{installed:x}-{user}"
    with suppress(FileExistsError):
        folder.mkdir(0o700)
    found = folder.lstat()
    is_ours = not hasattr(os, "getuid") or (found.st_uid == user and not found.st_mode & 0o022)
    if not stat.S_ISDIR(found.st_mode) or not is_ours:
        raise PermissionError(1, "is somebody else's", str(folder))
    return folder
