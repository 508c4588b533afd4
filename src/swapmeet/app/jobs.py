"""Work in the background: one run of a file after the other, in processes that can be stopped."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from swapmeet.app.child import SECRETLY
from swapmeet.app.guard import tell_terminal
from swapmeet.app.run import Command, Run, RunKind, State, summarize
from swapmeet.base.disk import name_reason, remove
from swapmeet.base.progress import SEARCHING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from swapmeet.app.workspace import Workspace

PATIENCE = 3.0
"""Seconds that a run has to stop tidily before it is killed."""
PATIENCE_WITH_SEARCHES = 20.0
"""The same for a search, which then tells what its trials have shown; on a busy machine that takes
longer."""
ALONE = 1.0
"""Seconds that children have to end by themselves when their process has."""
LIMIT_NOT_MET = 4
LONGEST_LINE = 1 << 20
DIED = (
    "The process ended without a message: the system or somebody killed it, perhaps because memory "
    "ran out. Try again; with a larger table, close other programs first."
)
STOPPED = "Stopped on request."
UNEXPECTED = "Something unexpected went wrong, and the terminal says where. Try again."
AT_ONCE = 2
"""Inspections of a file that may go on beside each other, and beside a longer run."""


@dataclass
class WaitingRun:
    """A run that is under way: what it is doing, and the process that does it."""

    run: Run
    label: str = ""
    done: int = 0
    total: int = 0
    news: str = ""
    notes: list[str] = field(default_factory=list)
    stage_began: float = 0.0
    first_done: int = 0
    stopping: bool = False
    message: str = ""
    process: asyncio.subprocess.Process | None = None
    task: asyncio.Task[None] | None = None
    began: float = field(default_factory=time.monotonic)

    def hear(self, event: dict[str, Any]) -> None:
        """Take note of a line that the command line wrote."""
        if event.get("event") == "progress":
            label, done = str(event.get("label", "")), int(event.get("done", 0))
            if label != self.label or done < self.done:
                self.stage_began, self.first_done, self.news = time.monotonic(), done, ""
            self.label, self.done, self.total = label, done, int(event.get("total", 0))
        elif event.get("event") == "news":
            self.news = str(event.get("text", ""))
        elif event.get("event") == "note":
            text = str(event.get("text", ""))
            for command in self.run.commands:
                text = command.rename_files(text)
            self.notes.append(text)
        elif event.get("event") == "error":
            self.message = str(event.get("message", ""))

    @property
    def seconds_left(self) -> float | None:
        """The seconds that the stage will still take at its pace so far; None if unknown."""
        if self.label == SEARCHING and self.total > 0:
            return max(self.total - self.done, 0)
        made = self.done - self.first_done
        if made <= 0 or self.total <= 0:
            return None
        return (time.monotonic() - self.stage_began) / made * max(self.total - self.done, 0)

    @property
    def seconds(self) -> float:
        """The seconds it has been under way."""
        return time.monotonic() - self.began


class Jobs:
    """All runs that are waiting or under way."""

    def __init__(self, space: Workspace) -> None:
        self._space = space
        self._jobs: dict[tuple[str, str], WaitingRun] = {}
        self._lanes: dict[tuple[str, bool], asyncio.Semaphore] = {}

    def start(self, run: Run, given: Iterable[Path] = ()) -> Run:
        """Keep a run and do it as soon as its turn comes; its folder has the files `given`."""
        run = self._space.add_run(replace(run, asked=time.time()))
        for path in given:
            _share(path, run.folder / path.name)
        return self._enqueue(run)

    def resume(self, run: Run) -> Run:
        """Do a run again that was stopped, in the same folder; a search goes on by its journal."""
        run = replace(run, state=State.WAITING, error="")
        self._space.save_run(run)
        return self._enqueue(run)

    def find(self, run: Run) -> WaitingRun | None:
        """The job of a run, while it is open."""
        return self._jobs.get((run.case, run.name))

    def open_jobs(self, case: str) -> list[WaitingRun]:
        """The jobs of a case that wait or are under way."""
        return [job for job in self._jobs.values() if job.run.case == case]

    def find_ahead(self, job: WaitingRun) -> WaitingRun | None:
        """The work on the same file that a run waits for, while it waits."""
        others = (one for one in self.open_jobs(job.run.case) if one.run.state is State.RUNNING)
        long = (one for one in others if one.run.kind is not RunKind.INSPECTION)
        return next(long, None) if job.run.state is State.WAITING else None

    async def stop(self, run: Run) -> None:
        """Stop a run at once; returns when its processes are gone."""
        job = self.find(run)
        if job is None or job.task is None:
            return
        job.stopping = True
        if job.process is None:
            job.task.cancel()
        else:
            is_search = job.run.kind is RunKind.SEARCH
            await _end(job.process, PATIENCE_WITH_SEARCHES if is_search else None)
        with suppress(asyncio.CancelledError):
            await asyncio.wait([job.task])
        if self._jobs.pop((run.case, run.name), None):  # it was stopped before it had begun
            self._keep(job, state=State.STOPPED, error=STOPPED)

    async def stop_case(self, case: str) -> None:
        """Stop all runs of a case."""
        await asyncio.gather(*(self.stop(job.run) for job in self.open_jobs(case)))

    async def stop_all(self) -> None:
        """Stop everything."""
        await asyncio.gather(*(self.stop(job.run) for job in list(self._jobs.values())))

    def _enqueue(self, run: Run) -> Run:
        job = WaitingRun(run)
        self._jobs[run.case, run.name] = job
        job.task = asyncio.create_task(self._work(job))
        return run

    async def _work(self, job: WaitingRun) -> None:
        is_short = job.run.kind is RunKind.INSPECTION
        lane = self._lanes.setdefault(
            (job.run.case, is_short), asyncio.Semaphore(AT_ONCE if is_short else 1)
        )
        try:
            async with lane:
                job.began = time.monotonic()
                self._keep(job, state=State.RUNNING)
                state, error = await self._run_commands(job)
        except asyncio.CancelledError:
            state, error = State.STOPPED, STOPPED
        except OSError as error_of_system:
            state, error = State.FAILED, f"It could not be started: {name_reason(error_of_system)}."
        except Exception as unexpected:  # noqa: BLE001
            tell_terminal(unexpected)
            state, error = State.FAILED, UNEXPECTED
        finally:
            self._jobs.pop((job.run.case, job.run.name), None)
        self._keep(job, state=state, error=error, seconds=job.seconds)

    def _keep(self, job: WaitingRun, **changes: Any) -> None:
        job.run = replace(job.run, **changes)
        if not job.run.state.is_open:
            job.run = replace(job.run, facts={**job.run.facts, **summarize(job.run)})
        try:
            self._space.save_run(job.run)
        except OSError as error:
            job.run = replace(job.run, state=State.FAILED, error=f"{name_reason(error)}.")

    async def _run_commands(self, job: WaitingRun) -> tuple[State, str]:
        for number, command in enumerate(job.run.commands, 1):
            if number <= job.run.facts.get("done_before", 0):
                continue
            code = await self._run_command(job, number, command)
            if job.stopping:
                return State.STOPPED, STOPPED
            if code not in {0, LIMIT_NOT_MET}:
                remove(job.run.output_path(number))
                return State.FAILED, command.rename_files(job.message) or DIED
            if code == LIMIT_NOT_MET and not job.run.output(number):
                return State.FAILED, command.rename_files(job.message)
        return State.DONE, ""

    async def _run_command(self, job: WaitingRun, number: int, command: Command) -> int:
        secret = ("--seed", job.run.seed) if number == 1 and job.run.seed else ()
        with job.run.output_path(number).open("wb") as out:
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-P", "-m", "swapmeet.app.child", SECRETLY,
                stdin=asyncio.subprocess.PIPE, stdout=out, stderr=asyncio.subprocess.PIPE,
                cwd=job.run.folder, start_new_session=True, limit=LONGEST_LINE,
            )  # fmt: skip
            job.process = process
            assert process.stdin is not None
            process.stdin.write(json.dumps([*command.args, *secret]).encode() + b"\n")
            watch = asyncio.create_task(_kill_orphans(process))
            try:
                await _listen(process, job)
                code = await process.wait()
            except BaseException:
                await _end(process)
                raise
            finally:
                watch.cancel()
                job.process = None
        return code


def _share(path: Path, to: Path) -> None:
    """Have a file in another folder, too; without a copy where the disk can do that."""
    try:
        os.link(path, to)
    except OSError:
        shutil.copy2(path, to)


async def _listen(process: asyncio.subprocess.Process, job: WaitingRun) -> None:
    """Hear what the process tells until it ends; what is no event is no news for people."""
    assert process.stderr is not None
    while not process.stderr.at_eof():
        with suppress(ValueError, TypeError, AttributeError, OverflowError):
            job.hear(json.loads(await process.stderr.readline()))


async def _kill_orphans(process: asyncio.subprocess.Process) -> None:
    """Kill the children of a process that has ended; a run that was killed leaves them behind."""
    while process.returncode is None:
        await asyncio.sleep(ALONE / 10)
    await asyncio.sleep(ALONE)
    _signal(process, _KILL)


async def _end(process: asyncio.subprocess.Process, patience: float | None = None) -> None:
    """Ask the process and its children to stop, and kill them if they do not."""
    _signal(process, signal.SIGTERM)
    try:
        await asyncio.wait_for(process.wait(), patience or PATIENCE)
    except TimeoutError:
        pass
    finally:
        _signal(process, _KILL)
        await process.wait()


_KILL = getattr(signal, "SIGKILL", signal.SIGTERM)


def _signal(process: asyncio.subprocess.Process, number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, number)
        else:
            process.terminate()
