"""What the progress bar looks like."""

from __future__ import annotations

import sys
from datetime import timedelta
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, TextColumn
from rich.text import Text

if TYPE_CHECKING:
    from rich.progress import Task


class Share(ProgressColumn):
    """How much is done, where that is known."""

    def render(self, task: Task) -> Text:
        return Text("" if task.total is None else f"{task.percentage:3.0f} %")


class Clock(ProgressColumn):
    """The time left; the time so far, where that is all that is known."""

    max_refresh = 0.5

    def render(self, task: Task) -> Text:
        left = task.time_remaining if task.total is not None else None
        if left is not None:
            return Text(f"{timedelta(seconds=int(left))} left")
        return Text(f"{timedelta(seconds=int(task.elapsed or 0))} so far")


def display() -> Progress:
    """A bar on standard error that vanishes when it stops."""
    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        Share(),
        Clock(),
        console=Console(file=sys.stderr),
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    )
