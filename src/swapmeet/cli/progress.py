"""A progress bar on standard error, for whatever takes longer than two seconds."""

from __future__ import annotations

import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Self

from swapmeet.base.compile_watch import announce_by

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.progress import Progress, TaskID

PATIENCE = 2.0


class Bar:
    """Shows nothing for two seconds, then what is being done, how much of it, and the time left.

    It shows itself in a terminal only, and leaves no trace when it ends.
    """

    def __init__(self, *, wanted: bool) -> None:
        self._wanted = wanted and sys.stderr.isatty()
        self._lock = threading.RLock()
        self._timer = threading.Timer(PATIENCE, self._show)
        self._timer.daemon = True
        self._progress: Progress | None = None
        self._task: TaskID | None = None
        self._label, self._done, self._total = "", 0, 0
        self._news = ""

    def __enter__(self) -> Self:
        if self._wanted:
            self._timer.start()
        self._compiling = announce_by(self.tell)
        self._compiling.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
        self._compiling.__exit__(None, None, None)
        with self._lock:
            self._wanted = False
            if self._progress is not None:
                self._progress.stop()
            self._progress = self._task = None

    def stage(self, label: str) -> None:
        """Begin a piece of work whose extent is not known, or not yet."""
        self(label, 0, 0)

    def __call__(self, label: str, done: int, total: int) -> None:
        """Take note of progress."""
        with self._lock:
            begins = label != self._label or done < self._done or not (total and self._total)
            self._news = self._news if label == self._label else ""
            self._label, self._done, self._total = label, done, total
            if begins:
                self._restart()
            elif self._progress is not None and self._task is not None:
                self._progress.update(self._task, completed=done, total=total or None)

    def tell(self, news: str) -> None:
        """Show something besides, until the next stage."""
        with self._lock:
            self._news = news
            if self._progress is not None and self._task is not None:
                self._progress.update(self._task, news=news)

    def note(self, text: str) -> None:
        """Nothing: people read it above the bar."""

    @contextmanager
    def pause(self) -> Iterator[None]:
        """Hide it while something else is written."""
        with self._lock:
            if self._progress is not None:
                self._progress.stop()
            yield
            if self._progress is not None:
                self._progress.start()

    def _show(self) -> None:
        from swapmeet.cli.display import display

        with self._lock:
            if self._wanted:
                self._progress = display()
                self._progress.start()
                self._restart()

    def _restart(self) -> None:
        if self._progress is None:
            return
        if self._task is not None:
            self._progress.remove_task(self._task)
        self._task = self._progress.add_task(
            self._label, total=self._total or None, completed=self._done, news=self._news
        )
