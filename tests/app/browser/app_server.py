"""The app as a process of its own, and the processes that work for it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

PATIENCE = 90.0


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
        """Another process for the same folder, at the same port."""
        again = App.start(self.folder, self.port)
        self.process, self.link = again.process, again.link

    def list_jobs(self):
        """The processes that it has started."""
        return list_children(self.process.pid)


def find_parents():
    """The parent of each process of this machine that lives."""
    found = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(FileNotFoundError, ProcessLookupError):
            state, parent = path.read_text().rpartition(")")[2].split()[:2]
            if state != "Z":
                found[int(path.parent.name)] = int(parent)
    return found


def list_children(number):
    return [child for child, parent in find_parents().items() if parent == number]


def list_descendants(number):
    """The processes that a process has started, and those that they have started in turn."""
    children = list_children(number)
    return [*children, *(one for child in children for one in list_descendants(child))]


def are_gone(numbers):
    return find_parents().keys().isdisjoint(numbers)


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
