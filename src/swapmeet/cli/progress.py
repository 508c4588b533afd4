"""A progress bar on standard error, for whatever takes longer than two seconds."""

from __future__ import annotations

import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.progress import Progress, TaskID

PATIENCE = 2.0


class Bar:
    """Shows nothing for two seconds, then what is being done, how much of it, and the time left."""

    def __init__(self, *, wanted: bool) -> None:
        self._wanted = wanted
        self._lock = threading.Lock()
        self._progress: Progress | None = None
        self._task: TaskID | None = None
        self._state: tuple[str, int, int | None] = ("", 0, None)

    def __call__(self, label: str, done: int, total: int) -> None:
        """Take note of progress."""
        with self._lock:
            self._state = (label, done, total)
            self._refresh()

    @contextmanager
    def stage(self, label: str) -> Iterator[None]:
        """A piece of work that may take long; its progress may or may not be known."""
        self._state = (label, 0, None)
        timer = threading.Timer(PATIENCE, self._show)
        timer.daemon = True
        if self._wanted:
            timer.start()
        try:
            yield
        finally:
            timer.cancel()
            self._hide()

    def _show(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
        from rich.progress import TimeRemainingColumn as TimeLeft

        with self._lock:
            self._progress = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                TextColumn("{task.percentage:>3.0f} %"),
                TimeElapsedColumn(),
                TextColumn("left"),
                TimeLeft(),
                console=Console(file=sys.stderr),
                transient=True,
            )
            self._progress.start()
            self._task = self._progress.add_task(self._state[0], total=None)
            self._refresh()

    def _refresh(self) -> None:
        if self._progress is not None and self._task is not None:
            label, done, total = self._state
            self._progress.update(self._task, description=label, completed=done, total=total)

    def _hide(self) -> None:
        with self._lock:
            if self._progress is not None:
                self._progress.stop()
            self._progress = self._task = None
