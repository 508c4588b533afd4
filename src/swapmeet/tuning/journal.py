"""The journal of a study: one line on disk for each trial, so that no trial is lost."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from swapmeet.base.atomic import check_target
from swapmeet.base.disk import lock_descriptor
from swapmeet.errors import FileError, InputError, OutputError, SwapmeetError, warn
from swapmeet.tuning.study_setup import UNSURE, StudySetup
from swapmeet.tuning.trial import Trial

FORMAT = "swapmeet study 1"
TRIAL, CHOICE = "trial", "choice"
_DAMAGE = (
    ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError,
    SwapmeetError,
)  # fmt: skip
"""What reading a damaged line may raise."""


@dataclass(frozen=True)
class Content:
    """The content of a journal; `whole` is the length of what can be read, `lost` what was cut."""

    setup: StudySetup
    choice: Mapping[str, Any]
    whole: int
    lost: bool


class Journal:
    """A file to which trials are appended; it is locked against a second writer."""

    def __init__(self, descriptor: int, path: Path) -> None:
        self._descriptor = descriptor
        self._path = path

    @classmethod
    def resume(
        cls,
        path: Path,
        setup: StudySetup,
        each: Callable[[Trial], None],
        *,
        fresh: bool = False,
    ) -> Self:
        """Start a journal, or continue one of the same setup; `each` is called with its trials.

        A last line that was cut off is removed; if it is the only one, the journal starts over. A
        `fresh` one takes the place of any other journal, but of nothing else, and not of one that
        another search writes to.
        """
        check_target(path, overwrite=True)
        journal = cls._open(path)
        try:
            if fresh:
                journal.clear()
            journal.catch_up(setup, each)
        except BaseException:
            journal.close()
            raise
        return journal

    def add(self, trial: Trial) -> None:
        """Append a trial."""
        self.append({"kind": TRIAL, **trial.to_dict()})

    def write_choice(self, choice: Mapping[str, Any]) -> None:
        """Append limits and goal; the last such line counts."""
        self.append({"kind": CHOICE, **choice})

    def close(self) -> None:
        """Release the file."""
        os.close(self._descriptor)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def clear(self) -> None:
        """Forget what is there, if it is a journal."""
        if self._path.stat().st_size > 0:
            read(self._path, lambda _: None)
            os.ftruncate(self._descriptor, 0)
        self._path.chmod(0o600)

    def catch_up(self, setup: StudySetup, each: Callable[[Trial], None]) -> None:
        """Read what is there, and leave the file so that lines can be appended."""
        if _header_was_cut(self._path, setup):
            os.ftruncate(self._descriptor, 0)
            self.append(_header(setup))
            return
        content = read(self._path, each, expected=setup)
        os.ftruncate(self._descriptor, content.whole)

    @classmethod
    def _open(cls, path: Path) -> Self:
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0)
        try:
            descriptor = os.open(path, flags, 0o600)
        except OSError as error:
            raise FileError(f"{path}: could not be opened: {error.strerror}.") from None
        problem = _lock(descriptor)
        if problem:
            os.close(descriptor)
            raise FileError(f"{path}: {problem}")
        return cls(descriptor, path)

    def append(self, record: Mapping[str, Any]) -> None:
        """Append a line; it is on disk when this returns."""
        try:
            _write_all(self._descriptor, _line(record))
            os.fsync(self._descriptor)
        except OSError as error:
            raise OutputError(
                f"{self._path}: could not be written: {error.strerror}. "
                "The earlier trials are kept; run the search again to continue."
            ) from None


def _lock(descriptor: int) -> str:
    """Lock a journal; what is wrong if it cannot be."""
    try:
        return "" if lock_descriptor(descriptor) else "another search is writing to this journal."
    except OSError as error:
        return f"could not be locked: {error.strerror}. Choose a folder on another disk."


def _header(setup: StudySetup) -> dict[str, Any]:
    return {"format": FORMAT, **setup.to_dict()}


def _header_was_cut(path: Path, setup: StudySetup) -> bool:
    """Return whether there is nothing yet, or no more than the beginning of the first line."""
    header = _line(_header(setup))
    return path.stat().st_size < len(header) and header.startswith(path.read_bytes())


def _line(record: Mapping[str, Any]) -> bytes:
    return json.dumps(record, allow_nan=False).encode() + b"\n"


def read(
    path: Path, each: Callable[[Trial], None], *, expected: StudySetup | None = None
) -> Content:
    """Read a journal line by line, so that its length does not matter.

    A last line that cannot be read was cut off; any other means that the file is damaged.
    """
    choice: Mapping[str, Any] = {}
    setup, whole, lost = None, 0, ""
    for number, line in enumerate(_lines(path), 1):
        if lost:
            raise FileError(
                f"{path}: line {lost} is damaged. Repair or delete it, or start a new journal."
            )
        try:
            record = _parse(line)
            if number == 1:
                setup = _parse_setup(record)
            elif record["kind"] == CHOICE:
                choice = record
            else:
                each(Trial.from_dict(record))
            whole += len(line)
        except _DAMAGE:
            if setup is None:
                break
            lost = str(number)
        if number == 1 and setup is not None and expected is not None:
            _require_same(path, expected, setup)
    if setup is None:
        raise FileError(f"{path}: is not the journal of a study.")
    return Content(setup, choice, whole, bool(lost))


def _lines(path: Path) -> Iterator[bytes]:
    try:
        with path.open("rb") as file:
            yield from file
    except OSError as error:
        raise FileError(f"{path}: could not be read: {error.strerror or 'failed'}.") from None


def _parse(line: bytes) -> dict[str, Any]:
    if not line.endswith(b"\n"):
        raise ValueError
    record = json.loads(line)
    if not isinstance(record, dict):
        raise TypeError
    json.dumps(record, ensure_ascii=False).encode()  # no half characters
    return record


def _parse_setup(record: Mapping[str, Any]) -> StudySetup:
    if record["format"] != FORMAT:
        raise ValueError
    return StudySetup.from_dict(record)


def _require_same(path: Path, expected: StudySetup, setup: StudySetup) -> None:
    reasons = list(expected.differences(setup))
    if reasons:
        raise InputError(
            f"{path}: is the journal of another study: {'; '.join(reasons)}. "
            "Give another file name to start a new journal."
        )
    if not expected.data.is_comparable(setup.data):
        warn(UNSURE)


def _write_all(descriptor: int, content: bytes) -> None:
    while content:
        content = content[os.write(descriptor, content) :]
