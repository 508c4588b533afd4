"""A release in memory becomes one file or several."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from swapmeet.errors import SwapmeetWarning, UsageError

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from swapmeet.core.tables.frame import Frame


def save_table(
    paths: Sequence[str | os.PathLike[str]],
    frame: Frame,
    *,
    like: str | os.PathLike[str] | None = None,
    labels: str | None = None,
    overwrite: bool = False,
) -> None:
    """Write a table in the formats of the names, with what the file `like` tells of its columns."""
    from swapmeet import io
    from swapmeet.core.base.atomic import all_or_nothing

    targets = [Path(path) for path in paths]
    _check(targets, like, overwrite=overwrite)
    io.require_labels(labels, targets)
    document = None if like is None else io.read(like)
    with all_or_nothing():
        for target in targets:
            io.write(target, frame, like=document, labels=labels, overwrite=overwrite)
    if document is not None:
        for note in io.describe_losses(targets, document, io.name_columns(frame), labels):
            warnings.warn(note, SwapmeetWarning, stacklevel=4)


def _check(
    targets: Sequence[Path], like: str | os.PathLike[str] | None, *, overwrite: bool
) -> None:
    from swapmeet import io
    from swapmeet.core.base.atomic import check_target

    if len({target.resolve() for target in targets}) < len(targets):
        raise UsageError("save: a file is named twice. Name each file of the release once.")
    for target in targets:
        io.check_format(target)
        if like is not None and target.exists() and Path(like).exists() and target.samefile(like):
            raise UsageError(f"{target}: is the original. Give the release another name.")
        check_target(target, overwrite=overwrite)
