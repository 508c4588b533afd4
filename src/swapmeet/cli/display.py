"""The look of the progress bar."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import timedelta

from rich.console import Console, RenderableType
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn
from rich.text import Text

from swapmeet.base.progress import SEARCHING


class Share(ProgressColumn):
    """The column of the bar that shows how much is done, where that is known."""

    def render(self, task: Task) -> Text:
        return Text("" if task.total is None else f"{task.percentage:3.0f} %")


class Clock(ProgressColumn):
    """The time left; the time so far, where that is all that is known."""

    max_refresh = 0.5

    def render(self, task: Task) -> Text:
        left = task.time_remaining if task.total is not None else None
        if task.description == SEARCHING and task.total is not None:
            left = max(task.total - task.completed, 0.0)
        if left is not None:
            return Text(f"{timedelta(seconds=int(left))} left")
        return Text(f"{timedelta(seconds=int(task.elapsed or 0))} so far")


class Display(Progress):
    """A bar, and below it a line of news that is cut off where the terminal ends."""

    def get_renderables(self) -> Iterator[RenderableType]:
        """The bar, and the news if there is some."""
        yield self.make_tasks_table(self.tasks)
        for task in self.tasks:
            if news := task.fields.get("news"):
                yield Text(news, no_wrap=True, overflow="ellipsis")


def display() -> Progress:
    """A bar on standard error that vanishes when it stops."""
    return Display(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        Share(),
        Clock(),
        console=Console(file=sys.stderr),
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    )
