"""Run the command line; end with one exit code and one message, which holds no cell's value."""

from __future__ import annotations

import os
import re
import sys
import traceback
from collections.abc import Iterator, Sequence
from shutil import get_terminal_size
from textwrap import fill
from typing import Any, NoReturn, TypeGuard

from swapmeet.base.compile_watch import compile_ahead
from swapmeet.cli import signals
from swapmeet.cli.json_progress import write_event
from swapmeet.cli.monitor import wants_json
from swapmeet.cli.output import printable
from swapmeet.errors import Stopped, SwapmeetError, did_you_mean

STOPPED = "stopped before the end; no partial files were left behind."
UNEXPECTED = (
    "an unexpected error occurred ({kind}). "
    "Run the command again with --debug and report its output."
)
UNREAD = "the results could not be shown: nobody reads them."
LAST_NEEDED = {"demo": "guessing", "assess": "guessing", "mask matched-swap": "trading"}
"""The loops that a command comes to last: on a new machine, another core compiles them."""


def run() -> NoReturn:
    """Run the command line and leave the program."""
    signals.listen()
    signals.mind_what_is_swallowed()
    try:
        from swapmeet.cli.program import app

        with compile_ahead(_find_last_needed(sys.argv[1:])):
            code = app(prog_name="swapmeet", standalone_mode=False)
        sys.stdout.flush()
    except (Exception, Stopped, KeyboardInterrupt) as error:  # noqa: BLE001
        message, code = _describe(error)
        trace = list(_trace(error)) if "--debug" in sys.argv else []
        tell = _write_error if wants_json(sys.argv) else _print_error
        tell(message, code, trace)
        if _is_about_the_stream(error):
            sys.stdout = None
    sys.exit(code if isinstance(code, int) else 0)


def _find_last_needed(words: Sequence[str]) -> list[str]:
    """Find the work that another process can do ahead for this command."""
    return [job for command, job in LAST_NEEDED.items() if {*command.split()} <= {*words}]


def _print_error(message: str, _: int, trace: list[str]) -> None:
    """For people; nothing is said to those who have seen help, or look no more."""
    for text in ("\n".join(trace), f"error: {message}" if message else ""):
        if text:
            sys.stderr.write(_fit(printable(text, keep="\n")) + "\n")


def _fit(text: str) -> str:
    """Lines that a terminal need not break in the middle of a word."""
    if not sys.stderr.isatty():
        return text
    width = get_terminal_size().columns
    return "\n".join(
        fill(line, width, break_long_words=False, break_on_hyphens=False)
        for line in text.splitlines()
    )


def _write_error(message: str, code: int, trace: list[str]) -> None:
    """For programs, which get a line however a command fails."""
    words = printable(message or UNREAD, keep="\n")
    more = {"trace": [printable(line, keep="\n") for line in trace]} if trace else {}
    write_event("error", message=words, exit_code=code, **more)


def _describe(error: BaseException) -> tuple[str, int]:
    if isinstance(error, SwapmeetError):
        return str(error), error.exit_code
    if isinstance(error, (Stopped, KeyboardInterrupt)) or type(error).__name__ == "Abort":
        return STOPPED, 1
    if isinstance(error, MemoryError):
        return "not enough memory for this table.", 1
    if isinstance(error, BrokenPipeError):
        return "", 1
    if _is_about_the_stream(error):
        return f"the results could not be shown: {os.strerror(error.errno or 0)}.", 1
    if hasattr(error, "format_message"):
        return _describe_misuse(error), int(getattr(error, "exit_code", 2))
    return UNEXPECTED.format(kind=type(error).__name__), 1


def _is_about_the_stream(error: BaseException) -> TypeGuard[OSError]:
    """Return whether standard output failed; errors of files have names, or are refusals."""
    return isinstance(error, OSError) and error.filename is None and error.errno is not None


def _describe_misuse(error: Any) -> str:
    """Describe what typer refuses: an unknown command or option, a missing or surplus argument."""
    if type(error).__name__ == "NoArgsIsHelpError":
        return ""
    command = error.ctx.command_path if getattr(error, "ctx", None) else "swapmeet"
    message = re.sub(r"\(Possible options: (.*)\)$", r"Did you mean \1?", error.format_message())
    unknown = re.fullmatch(r"No such command '(.*)'\.", message)
    if unknown:
        commands = error.ctx.command.list_commands(error.ctx)
        message = message[:-1] + did_you_mean(unknown[1], commands)
    return f"{message}\nTry: {command} --help"


def _trace(error: BaseException) -> Iterator[str]:
    """Trace an error to where it came from, first causes first, without other libraries' words.

    Their messages may quote what they choked on: a cell's value.
    """
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if cause is not None:
        yield from _trace(cause)
        yield "... which led to:"
    frames = traceback.StackSummary.extract(traceback.walk_tb(error.__traceback__))
    yield from (line.rstrip("\n") for line in frames.format())
    own = isinstance(error, SwapmeetError)
    yield f"{type(error).__name__}: {error}" if own else type(error).__name__
