"""The process that makes trials: python -m swapmeet.tuning.worker, with pickles on its pipes."""

from __future__ import annotations

import os
import pickle
import sys
import threading
import time
import warnings

PULSE = 0.5
"""Seconds between looks at whether the search still lives."""


def main() -> None:
    """Read a trial runner, then jobs; answer each with a trial, until the pipe ends.

    What libraries warn of is not shown: it may quote a value.
    """
    threading.Thread(target=end_with, args=(os.getppid(),), daemon=True).start()
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    questions = sys.stdin.buffer
    warnings.simplefilter("ignore")
    try:
        runner = pickle.load(questions).with_shared_work()
        while True:
            pickle.dump(runner.make(*pickle.load(questions)), answers)
            answers.flush()
    except (EOFError, BrokenPipeError):
        os._exit(0)


def end_with(parent: int) -> None:
    """End as soon as the search was killed; a trial that nobody awaits may take hours."""
    while os.getppid() == parent:
        time.sleep(PULSE)
    os._exit(1)


if __name__ == "__main__":
    main()
