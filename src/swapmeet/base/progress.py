"""Progress of a piece of work, and the means to stop it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from threading import get_ident
from typing import Final, Protocol, Self

from swapmeet.errors import Stopped

SEARCHING: Final = "searching"
"""Label of the work that is counted in seconds: those that have passed, of those expected."""
INTERVAL: Final = 0.2
"""Seconds after which work that goes on inside other work lets the watcher know."""


class Progress(Protocol):
    """Function that hears from long work how far it is, and says whether to go on.

    Any function of three arguments will do. It is called often, in the thread that asked for the
    work: with what is being done, how much of it is done, and how much there is. `total` may be a
    guess, and is 0 where the extent is not known. Anyone who wants the work to end raises `Stopped`
    in it: nothing is written then, and no thread or process goes on. An object that also has a
    method `tell` is told news, such as the best setting that a search has found so far.
    """

    def __call__(self, label: str, done: int, total: int) -> None:
        """Take note, or raise `Stopped`."""


def silent(label: str, done: int, total: int) -> None:
    """Report nothing."""


def tell(progress: Progress, news: str) -> None:
    """Tell news to a progress that wants to hear some."""
    listen = getattr(progress, "tell", None)
    if listen is not None:
        listen(news)


class Stoppable:
    """A progress with a stop button, which any thread may press.

    >>> job = Stoppable(print)
    >>> job("masking", 1, 3)
    masking 1 3
    >>> job.stop()
    >>> job("masking", 2, 3)
    Traceback (most recent call last):
    swapmeet.errors.Stopped
    """

    def __init__(self, show: Progress = silent) -> None:
        self._show = show
        self.stopped = False

    def __call__(self, label: str, done: int, total: int) -> None:
        """Show it, unless the work is to end."""
        if self.stopped:
            raise Stopped
        self._show(label, done, total)

    def tell(self, news: str) -> None:
        """Pass news on."""
        tell(self._show, news)

    def stop(self) -> None:
        """Let the work end with `Stopped` at its next step."""
        self.stopped = True


class Pulse:
    """A user's progress, which is called in the thread that asked for the work, and in no other.

    Work inside other work does not show its own steps; its progress is a `Beat`.
    """

    def __init__(self, progress: Progress, clock: Callable[[], float] = time.monotonic) -> None:
        self._progress, self._clock = progress, clock
        self._owner = get_ident()
        self._last, self._when = ("", 0, 0), clock()
        self.stopped = False

    @classmethod
    def of(cls, progress: Progress) -> Self:
        """The pulse of a progress; one that is a pulse already stays what it is."""
        return progress if isinstance(progress, cls) else cls(progress)

    def __call__(self, label: str, done: int, total: int) -> None:
        """Tell the user; what the user raises ends all that goes on inside, too."""
        self._last, self._when = (label, done, total), self._clock()
        try:
            self._progress(label, done, total)
        except BaseException:
            self.stopped = True
            raise

    def tell(self, news: str) -> None:
        """Pass news on."""
        tell(self._progress, news)

    def stop(self) -> None:
        """End what goes on inside."""
        self.stopped = True

    def repeat(self) -> None:
        """Repeat the last step if the user has not heard for a while, and this is their thread."""
        if get_ident() == self._owner and self._clock() - self._when >= INTERVAL:
            self(*self._last)


@dataclass(frozen=True)
class Beat:
    """The progress of work inside other work, whose `pulse` it is.

    It repeats the last step of the work around it now and then, so that this can be stopped in the
    middle of a step; in other threads it ends what goes on there once the whole is stopped.
    """

    pulse: Pulse

    def __call__(self, label: str, done: int, total: int) -> None:  # noqa: ARG002
        """Go on, or stop with the whole."""
        if self.pulse.stopped:
            raise Stopped
        self.pulse.repeat()


def quieten(progress: Progress) -> Progress:
    """The progress of work inside the work whose progress it is."""
    if isinstance(progress, Pulse):
        return Beat(progress)
    return progress if isinstance(progress, Beat) else silent
