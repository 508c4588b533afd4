"""The files that a run replaced, in case they have to be put back."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from swapmeet.core.base.atomic import write_atomically
from swapmeet.errors import OutputError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


@dataclass(frozen=True)
class FormerFiles:
    """Copies of the files that a run replaces, in a private folder; None where there was none."""

    copies: dict[Path, Path | None]

    @classmethod
    def keep(cls, paths: Iterable[Path], folder: Path) -> Self:
        """Copy what is there now."""
        copies = {}
        for number, path in enumerate(paths):
            copies[path] = folder / str(number) if path.exists() else None
            try:
                if path.exists():
                    shutil.copy2(path, folder / str(number))
            except OSError as error:
                raise OutputError(
                    f"{path}: could not be kept aside: {error.strerror or 'failed'}. Nothing was "
                    "written."
                ) from None
        return cls(copies)

    def put_back(self) -> None:
        """Have all files as they were."""
        for path, copy in self.copies.items():
            with suppress(OSError, OutputError):
                if copy is None:
                    path.unlink(missing_ok=True)
                    continue
                with write_atomically(path, overwrite=True, private=_is_private(copy)) as aside:
                    shutil.copyfile(copy, aside)


def _is_private(path: Path) -> bool:
    return not os.stat(path).st_mode & 0o077  # noqa: PTH116
