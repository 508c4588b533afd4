"""Room on the disk of this machine for Spark's temporary rows."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

from swapmeet.errors import OutputError

SHUFFLES = 2
"""Rows go to their blocks, and then to their parts of the release."""
CELL = 8
ADDED = 4
"""Cells that are added to a row on its way."""


def require_room(frame: Any, head: Any, rows: int, guests: float = 0.0) -> None:
    """Refuse a local disk that cannot hold the rows of which `head` has some, as often as needed.

    Each brings this many `guests` to its block. Of the disks of a cluster nothing is known.
    """
    folder = _local_folder(frame)
    if folder is None or not len(head):
        return
    needed = (SHUFFLES + guests) * rows * (head.nbytes / len(head) + CELL * ADDED)
    free = shutil.disk_usage(folder).free
    if needed > free:
        raise OutputError(
            f"Spark needs about {needed / 1e9:.1f} GB of free disk in {folder}, which has "
            f"{free / 1e9:.1f} GB. Free some, or name another folder: spark.local.dir."
        )


def _local_folder(frame: Any) -> Path | None:
    """Return the folder of Spark's temporary rows, if it is on this machine."""
    conf = frame.sparkSession.conf
    if not conf.get("spark.master", "").startswith("local"):
        return None
    told = os.environ.get("SPARK_LOCAL_DIRS") or conf.get("spark.local.dir", tempfile.gettempdir())
    folder = Path(told.split(",")[0])
    return folder if folder.is_dir() else None
