"""Progress of a command: a bar for people, or lines of JSON for programs."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from itertools import pairwise
from typing import Protocol, Self

from swapmeet.cli.json_progress import JsonProgress
from swapmeet.cli.progress import Bar
from swapmeet.errors import UsageError

OPTION = "--progress"
BAR, JSON = "bar", "json"


class Monitor(Protocol):
    """A progress that knows stages and news, for as long as its context lasts."""

    def __enter__(self) -> Self: ...
    def __exit__(self, *_: object) -> None: ...

    def __call__(self, label: str, done: int, total: int) -> None:
        """Take note of progress."""

    def stage(self, label: str) -> None:
        """Begin a piece of work whose extent is not known, or not yet."""

    def tell(self, news: str) -> None:
        """Tell something besides."""

    def note(self, text: str) -> None:
        """Tell a program what people read at the terminal while the work goes on."""

    def pause(self) -> AbstractContextManager[None]:
        """Give way while something else is written."""


def open_monitor(how: str, *, quiet: bool) -> Monitor:
    """The monitor that `--progress` names; `quiet` hides the bar, which is for people."""
    if how not in {BAR, JSON}:
        raise UsageError(f"{OPTION}: must be {BAR} or {JSON}; got {how!r}.")
    return JsonProgress() if how == JSON else Bar(wanted=not quiet)


def wants_json(arguments: Sequence[str]) -> bool:
    """Return whether a program reads what is said, as far as arguments tell that are perhaps wrong.

    >>> wants_json(["mask", "--progress", "json"]), wants_json(["mask", "--progress=json"])
    (True, True)
    >>> wants_json(["mask", "--progress", "bar"]), wants_json(["mask", "--", "--progress=json"])
    (False, False)
    """
    options = list(arguments[: arguments.index("--")] if "--" in arguments else arguments)
    return f"{OPTION}={JSON}" in options or (OPTION, JSON) in pairwise(options)
