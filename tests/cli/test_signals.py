"""A run stops when it is asked to, whatever it is doing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap

import pytest

from swapmeet.cli import signals

START = """
import ctypes, os, signal, sys, time
for name in ("SIGINT", "SIGTERM", "SIGHUP"):
    if hasattr(signal, name):
        signal.signal(getattr(signal, name), signal.SIG_DFL)
from swapmeet.cli import signals
from swapmeet.errors import Stopped

def work():
    end = time.monotonic() + 20
    while time.monotonic() < end:
        time.sleep(0.01)

signals.listen()
signals.mind_what_is_swallowed()
"""


def stop_in(code, *arguments):
    """What a program says that is stopped while it runs the code."""
    program = START + textwrap.dedent(code)
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.skipif(os.name == "nt", reason="signals are sent as POSIX does")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_stop_inside_a_callback_of_compiled_code_is_not_lost(name):
    """The compiler calls back when a loop is done: whoever stops it meanwhile is heard there."""
    run = stop_in(f"""
        @ctypes.CFUNCTYPE(None)
        def call_back():
            os.kill(os.getpid(), signal.{name})
            time.sleep(0.01)

        try:
            call_back()
            work()
        except Stopped:
            print("stopped")
    """)
    assert (run.stdout, run.stderr) == ("stopped\n", "")


@pytest.mark.skipif(os.name == "nt", reason="signals are sent as POSIX does")
def test_a_stop_while_an_object_is_removed_is_not_lost():
    run = stop_in("""
        class Removed:
            def __del__(self):
                os.kill(os.getpid(), signal.SIGINT)
                time.sleep(0.01)

        try:
            Removed()
            work()
        except Stopped:
            print("stopped")
    """)
    assert (run.stdout, run.stderr) == ("stopped\n", "")


@pytest.mark.skipif(os.name == "nt", reason="signals are sent as POSIX does")
def test_only_signals_that_are_listened_to_remind():
    run = stop_in("""
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signals._remind()
    """)
    assert run.stderr.rstrip().endswith("Stopped")


@pytest.mark.parametrize(("arguments", "heard"), [([], False), (["--debug"], True)])
def test_other_complaints_are_heard_with_debug_only(arguments, heard):
    run = stop_in(
        """
        class Removed:
            def __del__(self):
                raise ValueError

        Removed()
        """,
        *arguments,
    )
    assert ("ValueError" in run.stderr) == heard


def test_signals_that_the_caller_ignores_stay_ignored():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    others = {name: signal.getsignal(getattr(signal, name)) for name in ("SIGTERM", "SIGHUP")
              if hasattr(signal, name)}  # fmt: skip
    try:
        signals.listen()
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
        for name, handler in others.items():
            signal.signal(getattr(signal, name), handler)
