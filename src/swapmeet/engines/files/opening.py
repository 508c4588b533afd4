"""A file to be read in pieces, opened as its format asks."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from swapmeet.core.base.parallel import Workers
from swapmeet.engines.files.spill import private_folder
from swapmeet.io.format import require_file
from swapmeet.io.formats import streaming_format

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from swapmeet.io.stream import Source


@contextmanager
def opened(
    path: str | os.PathLike[str],
    beside: str | os.PathLike[str],
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    workers: Workers | None = None,
    to: str = "mask",
) -> Iterator[Source]:
    """The file at `path`, to mask or to assess it.

    What its format puts aside lies in a private folder beside the file `beside`.
    """
    source, kind = Path(path), streaming_format(path, to)
    require_file(source)
    given = {"delimiter": delimiter, "encoding": encoding}
    options = {name: value for name, value in given.items() if value is not None}
    kind.check_options(source, options)
    with private_folder(Path(beside)) as folder:
        yield kind.open_source(source, folder, workers or Workers(), **options)
