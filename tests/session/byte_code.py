"""Byte code lies aside where Python is told not to write any, so that processes share it."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path


def share_byte_code(folder):
    """Have this process, and those that it starts, keep byte code in a folder.

    Byte code of libraries that was made when they were installed is linked to.
    """
    for module in [*sys.modules.values()]:
        spec = getattr(module, "__spec__", None)
        compiled = getattr(spec, "cached", None)
        if compiled and Path(compiled).is_file():
            with suppress(OSError):
                place = Path(f"{folder}{Path(spec.origin).parent}", Path(compiled).name)
                place.parent.mkdir(parents=True, exist_ok=True)
                place.symlink_to(compiled)
    sys.dont_write_bytecode = False
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.pycache_prefix = os.environ["PYTHONPYCACHEPREFIX"] = str(folder)
