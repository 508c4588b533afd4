"""Arrow files with random access (Feather), and Arrow streams."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from swapmeet.io.feature import TYPES
from swapmeet.io.format import Format

if TYPE_CHECKING:
    from pathlib import Path

    from swapmeet.base.parallel import Progress
    from swapmeet.io.document import Document
    from swapmeet.io.publication import Publication


@dataclass(frozen=True, kw_only=True)
class Arrow(Format):
    """Schema and compression of the original survive."""

    def read(self, path: Path, progress: Progress, **_: Any) -> Document:
        """The table, and the settings of its file."""
        from swapmeet.io.arrow.file import read

        return read(path)

    def write(self, aside: Path, publication: Publication) -> None:
        """Write with the settings of the original, if there is one."""
        from swapmeet.io.arrow.file import write

        write(aside, publication)


ARROW: Final = Arrow(
    name="arrow", title="Arrow", suffixes=(".arrow", ".feather", ".ipc"), keeps=TYPES, carries=TYPES
)
