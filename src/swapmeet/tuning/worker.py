"""The process that makes trials: python -m swapmeet.tuning.worker, with pickles on its pipes."""

from __future__ import annotations

import os
import pickle
import sys
import warnings


def main() -> None:
    """Read a trial runner, then settings; answer each with a trial, until the pipe ends.

    What libraries warn of is not shown: it may quote a value.
    """
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    questions = sys.stdin.buffer
    warnings.simplefilter("ignore")
    try:
        runner = pickle.load(questions).with_shared_work()
        while True:
            setting, repeat = pickle.load(questions)
            pickle.dump(runner.trial(setting, repeat), answers)
            answers.flush()
    except (EOFError, BrokenPipeError):
        os._exit(0)


if __name__ == "__main__":
    main()
