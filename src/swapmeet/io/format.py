"""Declaration of a file format: its names, its options, and how it is read, written, streamed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

from swapmeet.base.extras import require_library
from swapmeet.base.staging import recover
from swapmeet.errors import FileError, UsageError
from swapmeet.io.feature import Feature, find_type_features

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from swapmeet.base.parallel import Progress, Workers
    from swapmeet.io.document import Document
    from swapmeet.io.publication import Publication


@dataclass(frozen=True, kw_only=True)
class Format:
    """A file format, listed in `swapmeet.io.formats`.

    `options` are the settings that `read` accepts, `libraries` are what the format needs besides
    the core (`base.extras` knows how each is installed). `alternative` says what to write if the
    format cannot be written. `keeps` is what survives of a file of the same format besides plain
    values, `carries` what survives of another. The functions `read` and `write` of `module` do the
    work: it is loaded, with its libraries, only when a file is read or written. A format without
    such a module has methods of these names.
    """

    name: str
    title: str
    suffixes: tuple[str, ...]
    module: str = ""
    options: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()
    can_write: bool = True
    reads_folders: bool = False
    alternative: str = ".csv or .parquet"
    keeps: frozenset[Feature] = frozenset()
    carries: frozenset[Feature] = frozenset()

    def read(self, path: Path, progress: Progress, **options: Any) -> Document:
        """The file at `path`, whole."""
        document: Document = import_module(self.module).read(self, path, progress, **options)
        return document

    def write(self, aside: Path, publication: Publication) -> None:
        """Write a release to the file `aside`, which then takes the place of the target."""
        import_module(self.module).write(self, aside, publication)

    def peek_names(self, path: Path, **options: Any) -> tuple[str, ...]:
        """The columns of a file where they can be known without reading it; else none."""
        return ()

    def find_features(self, document: Document, names: Iterable[str]) -> dict[Feature, Any]:
        """List what a document of this format says about these columns besides plain values."""
        return find_type_features(document.frame, names)

    def find_options(self, document: Document) -> dict[str, Any]:
        """The settings by which a document was read, found out or told; its layout knows them."""
        return dict(getattr(document.layout, "reading_options", {}))

    def spell_values(self, publication: Publication, how: str) -> Publication:
        """Values with a label as the label or as codes, where the format has no labels."""
        like = publication.like
        if like is None or not like.labels or Feature.VALUE_LABELS in self.carries:
            return publication
        from swapmeet.io.statistical.release import spell_values

        return replace(publication, frame=spell_values(publication, how))

    def matches(self, path: Path) -> bool:
        """Return whether a file name has one of the suffixes of the format."""
        return path.name.lower().endswith(self.suffixes)

    def has_folder(self, path: Path) -> bool:
        """Return whether `path` is a folder of such files that is read as one table."""
        return self.reads_folders and path.is_dir() and any(self.parts(path))

    def parts(self, folder: Path) -> list[Path]:
        """The files of a folder that is read as one table, in the order of their names."""
        return sorted(folder.glob(f"*{self.suffixes[0]}"))

    def check_options(self, path: Path, options: Iterable[str]) -> None:
        """Refuse an option that the format does not have."""
        for name in options:
            if name not in self.options:
                raise UsageError(f"{path}: `{name}` does not apply to {self.title} files.")

    def require_library(self) -> None:
        """Refuse when the library that handles the format is not installed."""
        for library in self.libraries:
            require_library(library, f"{self.title} files")

    def require_writable(self, target: Path) -> None:
        """Refuse a target when the format cannot be written here."""
        if not self.can_write:
            raise UsageError(
                f"{target}: {self.title} files can be read but not written. "
                f"Write {self.alternative}."
            )
        self.require_library()


@dataclass(frozen=True, kw_only=True)
class StreamingFormat(Format):
    """A format whose files can be read and written piece by piece, however large they are.

    The functions `peek_names`, `open_source` and `open_outlet` of the module `streaming` do that.
    """

    streaming: str = ""

    def peek_names(self, path: Path, **options: Any) -> tuple[str, ...]:
        """The columns, by the beginning or the schema of the file."""
        if not self.streaming:
            return ()
        names: tuple[str, ...] = import_module(self.streaming).peek_names(self, path, **options)
        return names

    def open_source(self, path: Path, folder: Path, workers: Workers, **options: Any) -> Source:
        """The file at `path`, to be read in pieces; `folder` is private and may hold copies."""
        module = import_module(self.streaming)
        source: Source = module.open_source(path, folder, workers, **options)
        return source

    def open_outlet(self, target: Path, source: Source) -> Outlet:
        """The way to write a release of `source` to `target`, with its settings if it is alike."""
        outlet: Outlet = import_module(self.streaming).open_outlet(target, source)
        return outlet


def require_file(path: Path) -> None:
    """Refuse a name that is not that of a file."""
    recover(path)
    if path.is_dir():
        raise FileError(f"{path}: is a folder. Give the name of a file.")
    if not path.exists():
        raise FileError(f"{path}: no such file. Check the name.")
    if not path.is_file():
        raise FileError(f"{path}: is a pipe or a device. Write what comes from it to a file first.")


class Source(Protocol):
    """A file that is read in pieces; `schema` has the types of its columns as Arrow knows them."""

    @property
    def path(self) -> Path: ...
    @property
    def rows(self) -> int: ...
    @property
    def schema(self) -> Any: ...
    @property
    def names(self) -> list[str]:
        """The columns, in order."""

    @property
    def head(self) -> Any:
        """The first rows."""

    def pieces(self, columns: Iterable[str], rows: int) -> Iterator[tuple[int, Any]]:
        """Tables of at most `rows` rows until the end, each with the number of its first row."""


class Outlet(Protocol):
    """Function that writes a release.

    `cells` names, for columns whose cells are to stand as in the original, the column of tables
    that has them; it is null where a value was made.
    """

    @property
    def cells(self) -> Mapping[str, str]: ...
    def write(self, aside: Path, schema: Any, tables: Iterable[Any]) -> None:
        """Write tables, which have at least the columns of `schema`."""
