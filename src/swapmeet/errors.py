"""Everything Swapmeet refuses, and the exit code the command line gives it.

::

    SwapmeetError            1  the base: anything else that went wrong
    ├── UsageError           2  the request is wrong, whatever the data
    │   └── ParameterError      a parameter is unknown or outside its domain
    ├── InputError           3  the data, or the request for this data, is wrong
    │   ├── SchemaError         columns that are not there, roles that contradict each other
    │   ├── TableError          a table that cannot be masked as asked
    │   ├── FileError           a file that cannot be read
    │   ├── DatabaseError       a database that cannot be reached, or a table that cannot be read
    │   └── EngineError         an engine that is not installed, or cannot be reached
    ├── LimitError           4  a risk limit was not met
    └── OutputError          1  the release could not be written; nothing was left behind

    SwapmeetWarning             something the curator should know; the work goes on
    Stopped                     the user or the system asked the program to stop

A message names the culprit, the rule and the remedy. It names columns and counts, never a cell's
value, a seed or a donor.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from difflib import get_close_matches
from inspect import currentframe
from typing import ClassVar

HOUSE = f"{__name__.partition('.')[0]}."


class SwapmeetError(Exception):
    """Base of all errors that Swapmeet raises on purpose."""

    exit_code: ClassVar[int] = 1


class UsageError(SwapmeetError):
    """The request is wrong, whatever the data."""

    exit_code = 2


class ParameterError(UsageError):
    """A parameter is unknown or outside its domain."""


class InputError(SwapmeetError):
    """The data, or the request for this data, is wrong."""

    exit_code = 3


class SchemaError(InputError):
    """One or more problems of a schema, raised together."""

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(self.problems))


class TableError(InputError):
    """A table that cannot be masked as asked."""


class FileError(InputError):
    """A file that cannot be read."""


class DatabaseError(InputError):
    """A database that cannot be reached, or a table of one that cannot be read."""


class EngineError(InputError):
    """An engine that is not installed, or cannot be reached."""


class LimitError(SwapmeetError):
    """A risk limit was not met."""

    exit_code = 4


class OutputError(SwapmeetError):
    """The output could not be written; nothing was left behind."""


class Stopped(BaseException):
    """The user or the system asked the program to stop; not an error, so that none swallows it."""


class SwapmeetWarning(UserWarning):
    """Something the curator should know; the work goes on."""


def warn(note: str) -> None:
    """Warn of something, at the line of the user's own code that led to it."""
    depth, frame = 0, currentframe()
    while frame is not None and str(frame.f_globals.get("__name__")).startswith(HOUSE):
        depth, frame = depth + 1, frame.f_back
    warnings.warn(note, SwapmeetWarning, stacklevel=depth + 1)


def did_you_mean(name: str, known: Iterable[str], most: int = 1) -> str:
    """A hint that ends an «unknown name» message.

    >>> did_you_mean("agee", ["age", "sex"])
    "; did you mean 'age'?"
    >>> did_you_mean("height", ["age", "sex"])
    '.'
    """
    *others, last = map(repr, get_close_matches(name, list(known), n=most) or [""])
    meant = f"{', '.join(others)} or {last}" if others else last
    return f"; did you mean {meant}?" if meant != "''" else "."
