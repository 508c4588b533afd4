"""Cut a long piece of work into blocks, run them on all cores, and say how far it is."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from contextlib import closing
from dataclasses import dataclass, field
from typing import TypeVar

from swapmeet.base.progress import Progress, Pulse, quieten, silent

__all__ = ["Progress", "Workers", "count_cores", "ranges", "silent", "with_progress"]

_Item = TypeVar("_Item")


def count_cores() -> int:
    """Count the cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def ranges(total: int, size: int) -> Iterator[tuple[int, int]]:
    """Consecutive ranges of at most `size`.

    >>> list(ranges(5, 2))
    [(0, 2), (2, 4), (4, 5)]
    """
    return ((begin, min(begin + size, total)) for begin in range(0, total, size))


def with_progress(
    items: Iterable[_Item], total: int, progress: Progress, label: str
) -> Iterator[_Item]:
    """The items, with progress reported about a hundred times; `total` may be a guess.

    >>> list(with_progress("abc", 3, print, "reading"))
    reading 1 3
    reading 2 3
    reading 3 3
    ['a', 'b', 'c']
    """
    step = max(total // 100, 1)
    for done, item in enumerate(items, 1):
        yield item
        if done % step == 0:
            progress(label, min(done, total), total)


@dataclass(frozen=True)
class Workers:
    """Threads that work on blocks; a task releases the interpreter lock and keeps to its block."""

    threads: int = field(default_factory=count_cores)
    progress: Progress = silent

    def each(self, task: Callable[[int, int], None], total: int, *, size: int, label: str) -> None:
        """Call `task(begin, end)` for each block of `range(total)`, in any order."""
        blocks = list(ranges(total, size))
        alone = self.threads == 1 or len(blocks) == 1
        work = _one_by_one(task, blocks) if alone else self._side_by_side(task, blocks)
        done = 0
        with closing(work):
            for finished in work:
                done += finished
                self.progress(label, done, total)

    def inside(self, threads: int | None = None) -> Workers:
        """Workers for what goes on inside a task: they show no steps, and stop with the whole."""
        return Workers(threads or self.threads, quieten(self.progress))

    def _side_by_side(
        self, task: Callable[[int, int], None], blocks: list[tuple[int, int]]
    ) -> Generator[int]:
        with ThreadPoolExecutor(self.threads) as pool:
            waiting: dict[Future[None], int] = {
                pool.submit(task, begin, end): end - begin for begin, end in blocks
            }
            try:
                while waiting:
                    finished, _ = wait(waiting, timeout=0.2, return_when=FIRST_EXCEPTION)
                    for future in finished:
                        future.result()
                    yield sum(waiting.pop(future) for future in finished)
            except BaseException as error:
                if isinstance(self.progress, Pulse) and not isinstance(error, Exception):
                    self.progress.stop()
                pool.shutdown(cancel_futures=True)
                raise


def _one_by_one(task: Callable[[int, int], None], blocks: list[tuple[int, int]]) -> Generator[int]:
    for begin, end in blocks:
        task(begin, end)
        yield end - begin
