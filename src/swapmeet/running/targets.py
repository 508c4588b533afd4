"""The targets of a run: the release in one or more files, its run file, an audit record."""

from __future__ import annotations

import os
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from swapmeet.errors import UsageError

RELEASE = "the release"


@dataclass(frozen=True, kw_only=True)
class Targets:
    """The files that a run makes. All of them are written, or none.

    `labels` tells how labelled values are written in a file without labels, and
    `guard_formulas` whether text that spreadsheets would run has an apostrophe before it.
    """

    release: Path
    run_file: Path
    also: tuple[Path, ...] = ()
    audit: Path | None = None
    labels: str | None = None
    guard_formulas: bool = False
    overwrite: bool = False

    @property
    def releases(self) -> tuple[Path, ...]:
        """Each file that gets the release."""
        return (self.release, *self.also)

    def check(
        self, *, source: Path | None = None, config: Path | None = None, folders: bool = False
    ) -> None:
        """Refuse what cannot be written, or would destroy what is read.

        The run file may replace the one that is read, `config`: it says the same and more. Release
        and audit record are files, or else `folders`.
        """
        from swapmeet.base.atomic import check_folder_target, check_target, claim_target
        from swapmeet.io import check_format
        from swapmeet.io.formats import require_labels

        made = self._with_titles()
        if not folders:
            require_labels(self.labels, self.releases)
            for path in self.releases:
                check_format(path)
        for (title, path), (other, second) in combinations(made, 2):
            if are_same(path, second):
                raise UsageError(_refuse_twice(second, title, other))
        for title, path in made:
            read = (source, None if path is self.run_file else config)
            if any(one is not None and are_same(path, one) for one in read):
                raise UsageError(
                    f"{path}: is an input of this run and is never overwritten. "
                    f"Give {title} another name."
                )
            if folders and path is not self.run_file:
                check_folder_target(path, overwrite=True)
            else:
                check_target(path, overwrite=True)
            claim_target(path)
            if path.exists() and not self.overwrite:
                raise UsageError(
                    f"{path}: {title} exists already. "
                    "Choose another name, or give --overwrite to replace it."
                )

    def _with_titles(self) -> list[tuple[str, Path]]:
        made = [*((RELEASE, path) for path in self.releases), ("the run file", self.run_file)]
        return made if self.audit is None else [*made, ("the audit record", self.audit)]


def _refuse_twice(path: Path, title: str, other: str) -> str:
    if title == other:
        return f"{path}: is named twice. Name each file of the release once."
    return f"{path}: {title} and {other} must be different files."


def are_same(one: Path, other: Path) -> bool:
    """Return whether two names mean one file, also through links."""
    if os.path.realpath(one) == os.path.realpath(other):
        return True
    try:
        return os.path.samefile(one, other)  # noqa: PTH121
    except OSError:
        return False
