"""Transfers: from databases to the files that a run reads, and from its files to databases."""

from __future__ import annotations

import os
import shutil
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Self

from swapmeet.base.atomic import Transaction, check_target, claim_target, write_atomically
from swapmeet.errors import OutputError, UsageError, warn
from swapmeet.io.database import (
    CommitUnknownError,
    DatabaseTable,
    NewTable,
    Origin,
    Staged,
    databases,
    open_private_folder,
    stage,
    take_snapshot,
)
from swapmeet.plan.plan import place_beside

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from swapmeet.base.parallel import Progress
    from swapmeet.io.place import Place
    from swapmeet.running.targets import Targets
    from swapmeet.tables.schema import Schema


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


@dataclass(frozen=True)
class Databases:
    """The databases among the input and the outputs of a run; without any, all are files."""

    source: DatabaseTable | None = None
    targets: tuple[DatabaseTable | None, ...] = ()

    @classmethod
    def among(cls, places: Sequence[Place]) -> tuple[Self, list[Path]]:
        """Pick the transfers of an input and its outputs, and the files that take their places."""
        source, *targets = (p if isinstance(p, DatabaseTable) else None for p in places)
        if len([place for place in targets if place is not None]) > 1:
            raise UsageError("mask: the release goes to one table of a database. Name one.")
        return cls(source, tuple(targets)), [_to_file(place) for place in places]

    @property
    def target(self) -> DatabaseTable | None:
        """The table that gets the release, if one does."""
        return next((place for place in self.targets if place is not None), None)

    def refuse(self, reason: str) -> None:
        """Refuse databases where only files will do."""
        for place in (self.source, *self.targets):
            if place is not None:
                raise UsageError(f"{place}: {reason}. Name a file.")

    @contextmanager
    def open_transfer(self) -> Iterator[Transfer]:
        """The way in and out, by a folder that only its owner may enter, and that is gone after."""
        if self.source is None and self.target is None:
            yield Transfer(self)
            return
        with open_private_folder(self.source or self.target) as folder:
            yield Transfer(self, folder)


@dataclass
class Transfer:
    """The way of one run: a snapshot in, a release out, each by a file of a private folder."""

    databases: Databases
    folder: Path | None = None
    origin: Origin | None = field(default=None, repr=False)
    staged: Staged | None = field(default=None, repr=False)
    former: FormerFiles | None = field(default=None, repr=False)
    _stack: ExitStack = field(default_factory=ExitStack, repr=False)

    def settle(self, files: Sequence[Path]) -> list[Path]:
        """The files of the run; those that stand for tables lie in the private folder."""
        first, *others = files
        source = first if self.databases.source is None else self._enter("in") / first
        return [
            source,
            *(
                path if place is None else self._enter("out") / path
                for path, place in zip(others, self.databases.targets, strict=True)
            ),
        ]

    @property
    def run_file(self) -> Path | None:
        """The path of the run file if the release itself goes to a database."""
        first = self.databases.targets[0]
        return None if first is None else place_beside(first)

    def check(self, *, overwrite: bool) -> None:
        """Refuse a table that cannot be made, before any work is done."""
        if self.databases.target is not None:
            databases.check_target(self.databases.target, overwrite=overwrite)

    def claim(self) -> None:
        """Claim the run file first: what recovers a killed run lies beside it, and not beside
        temporary files.
        """
        if self.run_file is not None:
            check_target(self.run_file, overwrite=True)
            claim_target(self.run_file)

    def fetch(self, progress: Progress) -> None:
        """Copy the table of a database to the file that the run reads."""
        source = self.databases.source
        if source is not None:
            self.origin = take_snapshot(source, self._enter("in"), progress).origin

    def stage(self, work: Transaction, targets: Targets, schema: Schema) -> None:
        """Make the table of the release, in a transaction that is not committed yet."""
        place = self.databases.target
        if place is None:
            return
        file = self._find_file(targets)
        new = NewTable(
            file=work.find(file), origin=self.origin, recoded=_list_recoded(schema),
            overwrite=targets.overwrite,
        )  # fmt: skip
        others = [path for path in (*targets.releases, targets.run_file, targets.audit) if path]
        self.former = FormerFiles.keep((p for p in others if p != file), self._enter("former"))
        self.staged = self._stack.enter_context(stage(place, new))
        for note in self.staged.notes:
            warn(note)

    @contextmanager
    def commit_last(self) -> Iterator[None]:
        """Commit the table after all files of this block have their names.

        So nobody ever sees a release whose audit record is lost. If the commit fails, the files
        are as they were before. If the connection breaks meanwhile, they stay: the release may be
        out.
        """
        with self._stack:
            yield
            if self.staged is None:
                return
            try:
                self.staged.commit()
            except CommitUnknownError:
                raise
            except BaseException:
                assert self.former is not None
                self.former.put_back()
                raise

    def name_releases(self, targets: Targets) -> tuple[str, ...]:
        """The releases, as people know them."""
        pairs = zip(targets.releases, self.databases.targets, strict=True)
        return tuple(str(path if place is None else place) for path, place in pairs)

    def name_in_notes(self, targets: Targets, notes: Sequence[str]) -> list[str]:
        """Notes that name the table, not the file by which it goes there."""
        place = self.databases.target
        if place is None:
            return list(notes)
        name = self._find_file(targets).name
        return [note.replace(name, place.name.text) for note in notes]

    def _find_file(self, targets: Targets) -> Path:
        """The file that becomes a table."""
        pairs = zip(targets.releases, self.databases.targets, strict=True)
        return next(path for path, place in pairs if place is not None)

    def _enter(self, name: str) -> Path:
        assert self.folder is not None
        (self.folder / name).mkdir(mode=0o700, exist_ok=True)
        return self.folder / name


def _to_file(place: Place) -> Path:
    return Path(f"{place.stem}.parquet") if isinstance(place, DatabaseTable) else place


def _list_recoded(schema: Schema) -> frozenset[str]:
    from swapmeet.tables.recoding.recode import parse_recodes

    return frozenset(step.column for step in parse_recodes(schema.recodes))
