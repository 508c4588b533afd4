"""A file to be read in pieces, opened as its format asks."""

from __future__ import annotations

import os
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from swapmeet.base.atomic import check_target, claim_target
from swapmeet.base.parallel import Workers
from swapmeet.engines.files.scan import infer_schema
from swapmeet.engines.files.spill import private_folder
from swapmeet.errors import UsageError
from swapmeet.io.format import require_file
from swapmeet.io.formats import streaming_format

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

    from swapmeet.engines.files.engine import Target
    from swapmeet.io.stream import Source
    from swapmeet.tables.missing_codes import MissingCodes
    from swapmeet.tables.schema import Schema

STREAMED = ("parquet", "csv")
"""The formats of files that can be masked piece by piece."""


@contextmanager
def open_source(
    path: str | os.PathLike[str],
    beside: str | os.PathLike[str],
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    header: bool | None = None,
    missing: MissingCodes | None = None,
    workers: Workers | None = None,
    to: str = "mask",
) -> Iterator[Source]:
    """The file at `path`, to mask or to assess it.

    What its format puts aside lies in a private folder beside the file `beside`.
    """
    source, kind = Path(path), streaming_format(path, to)
    require_file(source)
    given = {"delimiter": delimiter, "encoding": encoding, "header": header}
    options: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    kind.check_options(source, options)
    if missing and "missing" in kind.options:
        options["missing"] = missing
    with private_folder(Path(beside)) as folder:
        yield kind.open_source(source, folder, workers or Workers(), **options)


def guess_schema(path: str | os.PathLike[str]) -> Schema:
    """The kinds that `Schema.infer` would find in the whole file.

    What looks like an identifier is judged by the first 65,536 rows.
    """
    with open_source(path, Path(tempfile.gettempdir()) / "any") as file:
        return infer_schema(file)


@contextmanager
def open_pair(
    original: str | os.PathLike[str],
    release: str | os.PathLike[str],
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    header: bool | None = None,
    missing: MissingCodes | None = None,
    workers: Workers | None = None,
) -> Iterator[tuple[Source, Source]]:
    """Two files to compare; what is put aside of texts lies beside the original."""

    def open_one(
        path: str | os.PathLike[str], *, header: bool | None
    ) -> AbstractContextManager[Source]:
        return open_source(
            path, original, delimiter=delimiter, encoding=encoding, header=header,
            missing=missing, workers=workers, to="assess",
        )  # fmt: skip

    has_lines = "header" in streaming_format(release, "assess").options
    named = header is not False if has_lines else None
    with open_one(original, header=header) as before, open_one(release, header=named) as after:
        yield before, after


def require_targets(source: str | os.PathLike[str], target: Target) -> None:
    """Refuse files that cannot be written, before any work is done."""
    for path in target.releases:
        streaming_format(path)
    made = [*target.releases] if target.audit is None else [*target.releases, target.audit]
    if len({os.path.realpath(path) for path in (source, *made)}) <= len(made):
        raise UsageError(
            f"{target.release}: source, release and audit record must be different files."
        )
    for path in made:
        check_target(path, overwrite=True)
        claim_target(path)
        check_target(path, overwrite=target.overwrite)
