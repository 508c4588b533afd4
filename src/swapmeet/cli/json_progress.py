"""Progress, news and failures as lines of JSON on standard error, for programs that wait."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, Self

from swapmeet.base.compile_watch import announce_by
from swapmeet.cli.output import printable

PAUSE: Final = 0.1
"""Seconds between two lines about the same piece of work, but for its last."""


class JsonProgress:
    """Writes a line when a piece of work begins and ends, and now and then between.

    It does so wherever standard error goes, from the first stage on.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.RLock()
        self._step, self._when = ("", 0, 0), 0.0
        self._news = ""

    def __enter__(self) -> Self:
        self._compiling = announce_by(self.tell)
        self._compiling.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._compiling.__exit__(None, None, None)

    def stage(self, label: str) -> None:
        """Begin a piece of work whose extent is not known, or not yet."""
        self(label, 0, 0)

    def __call__(self, label: str, done: int, total: int) -> None:
        """Tell how far the work is, if that is new and nothing was told a moment ago."""
        with self._lock:
            step, begins, ends = (label, done, total), label != self._step[0], 0 < total == done
            if step == self._step or not (begins or ends or self._is_due):
                return
            self._news = "" if begins else self._news
            self._step, self._when = step, self._clock()
            write_event("progress", label=printable(label), done=int(done), total=int(total))

    def tell(self, news: str) -> None:
        """Tell news once; an empty text takes back what was told."""
        with self._lock:
            if news != self._news:
                self._news = news
                write_event("news", text=printable(news))

    def note(self, text: str) -> None:
        """Tell something that stays true until the end of the work."""
        write_event("note", text=printable(text))

    @property
    def _is_due(self) -> bool:
        return self._clock() - self._when >= PAUSE

    @contextmanager
    def pause(self) -> Iterator[None]:
        """Go on: what is written meanwhile goes elsewhere."""
        yield


def write_event(event: str, **facts: Any) -> None:
    """Write a line at once; if nobody listens any more, the work goes on in silence."""
    try:
        sys.stderr.write(json.dumps({"event": event, **facts}) + "\n")
        sys.stderr.flush()
    except (OSError, ValueError):
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
