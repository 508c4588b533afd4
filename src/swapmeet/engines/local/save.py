"""A release in memory becomes a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from swapmeet.errors import UsageError

if TYPE_CHECKING:
    import os

    from swapmeet.core.tables.frame import Frame


def save_table(
    path: str | os.PathLike[str],
    frame: Frame,
    *,
    like: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
) -> None:
    """Write a table in the format of the name, with what the file `like` tells of its columns."""
    from swapmeet import io
    from swapmeet.core.base.atomic import check_target

    target = Path(path)
    io.check_format(target)
    if like is not None and target.exists() and Path(like).exists() and target.samefile(like):
        raise UsageError(f"{target}: is the original. Give the release another name.")
    check_target(target, overwrite=overwrite)
    document = None if like is None else io.read(like)
    io.write(target, frame, like=document, overwrite=overwrite)
