"""The command line in this process, as a curator or the app would run it in a folder."""

from __future__ import annotations

import io
import os
import shlex
import signal
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass

from swapmeet.cli import main

SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")


@dataclass(frozen=True)
class Run:
    """How a command ended, and what it said."""

    code: int
    out: str
    err: str


def run_words(words, folder):
    """Run the command of these words in a folder."""
    known = [getattr(signal, name) for name in SIGNALS if hasattr(signal, name)]
    signals = {number: signal.getsignal(number) for number in known}
    before, out, err = sys.argv, io.StringIO(), io.StringIO()
    sys.argv = ["swapmeet", *words]
    os.environ["COLUMNS"] = "80"
    try:
        with chdir(folder), redirect_stdout(out), redirect_stderr(err):
            main()
    except SystemExit as ended:
        return Run(ended.code, out.getvalue(), err.getvalue())
    finally:
        sys.argv = before
        for number, handler in signals.items():
            signal.signal(number, handler)
    raise AssertionError("the program must leave with an exit code")


def type_command(shown, folder, seed=None):
    """Run a command as a page shows it; a seed stands where the page has a word for it."""
    program, *words = shlex.split(shown)
    assert program == "swapmeet"
    return run_words([seed if word == "NUMBER" else word for word in words], folder)
