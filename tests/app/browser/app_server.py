"""The app as a process of its own, and the processes that work for it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

PATIENCE = 20.0


@dataclass
class App:
    """An app that runs until `stop`."""

    folder: Path
    process: subprocess.Popen
    link: str

    @classmethod
    def start(cls, folder, port=0):
        command = [sys.executable, "-m", "swapmeet", "app", "--no-browser", "--port", str(port),
                   "--folder", str(folder)]  # fmt: skip
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        first = process.stdout.readline()
        if "/enter?token=" not in first:
            process.kill()
            process.communicate()
            raise AssertionError(f"the app did not start: {first!r}")
        return cls(folder, process, first.split()[-1])

    @property
    def address(self):
        return self.link.partition("/enter")[0]

    @property
    def port(self):
        return urlsplit(self.link).port

    def stop(self, number=signal.SIGTERM):
        """What it says at last."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        said, _ = self.process.communicate(timeout=PATIENCE)
        return said

    def start_again(self):
        """The same folder at the same port, by another process."""
        return App.start(self.folder, self.port)

    def list_jobs(self):
        """The processes that it has started."""
        return [one.number for one in list_processes() if one.parent == self.process.pid]


@dataclass(frozen=True)
class Process:
    number: int
    parent: int
    session: int


def list_processes():
    """All processes of this machine that are not dead."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, parent, _, session = path.read_text().rpartition(")")[2].split()[:4]
        except (FileNotFoundError, ProcessLookupError):
            continue
        if state != "Z":
            found.append(Process(int(path.parent.name), int(parent), int(session)))
    return found


def list_session(leader):
    """A job and all processes that it has started in turn."""
    return [one.number for one in list_processes() if one.session == leader]


def kill(number):
    os.kill(number, signal.SIGKILL)


def wait_until(holds, patience=PATIENCE):
    """What `holds` returns as soon as that is true."""
    end = time.monotonic() + patience
    while not (found := holds()):
        if time.monotonic() > end:
            raise AssertionError("waited in vain")
        time.sleep(0.05)
    return found
