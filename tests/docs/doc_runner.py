"""Running a page: its commands in this process, its Python blocks in one namespace."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from swapmeet.cli import main

if TYPE_CHECKING:
    import pytest
    from doc_pages import Block, Page

QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
SHELL = re.compile(r"[|&;<>$`*]")
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@dataclass
class Runner:
    """Runs the blocks of a page in the folder where we are."""

    monkeypatch: pytest.MonkeyPatch
    words: dict[str, str]
    """What stands for `{here}`, the folder of the page, and for `{postgresql}`, a server."""
    names: dict[str, Any] = field(default_factory=lambda: {"__name__": "documentation"})

    def run(self, page: Page) -> None:
        """Run what is to be run, and compare what it prints with what the page shows."""
        for block in page.blocks:
            where = f"{page.name}:{block.line}"
            if not block.why_not_run:
                code, printed = self.run_block(block, where)
                assert code == block.exit_code, f"{where}: exit code {code}\n{printed}"
                for shown in block.shown:
                    if "varies" not in shown.marks:
                        compare(shown.text, printed, f"{page.name}:{shown.line}")

    def run_block(self, block: Block, where: str) -> tuple[int, str]:
        script = block.script
        for word, meaning in self.words.items():
            script = script.replace("{" + word + "}", meaning)
        if block.language == "python":
            return 0, self.run_python(script, where)
        return self.run_commands(split_commands(script), where)

    def run_python(self, script: str, where: str) -> str:
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compile(script, where, "exec"), self.names)
        return printed.getvalue()

    def run_commands(self, commands: list[str], where: str) -> tuple[int, str]:
        """All but the last must end with 0; what counts is how the last one ends."""
        code, printed = 0, ""
        for command in commands:
            assert code == 0, f"{where}: exit code {code} before `{command}`\n{printed}"
            code, told = self.run_command(command)
            printed += told
        return code, printed

    def run_command(self, command: str) -> tuple[int, str]:
        words = shlex.split(command)
        if words[0] == "export":
            name, _, value = words[1].partition("=")
            self.monkeypatch.setenv(name, value)
            return 0, ""
        plain = SHELL.search(QUOTED.sub("", command)) is None
        return run_swapmeet(words) if words[0] == "swapmeet" and plain else run_shell(command)


def split_commands(script: str) -> list[str]:
    """Lines that end in a backslash go on; empty ones and comments are none."""
    lines = script.replace("\\\n", " ").splitlines()
    commands = (re.sub(r"(^|\s)#\s.*", "", line).strip() for line in lines)
    return [command for command in commands if command]


def run_swapmeet(words: list[str]) -> tuple[int, str]:
    """The command line in this process, which has loaded and compiled most of it."""
    handlers, argv = {number: signal.getsignal(number) for number in SIGNALS}, sys.argv
    sys.argv = words
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            main()
    except SystemExit as ended:
        return int(ended.code or 0), printed.getvalue()
    finally:
        sys.argv = argv
        for number, handler in handlers.items():
            signal.signal(number, handler)
    raise AssertionError("the program must leave with an exit code")


def run_shell(command: str) -> tuple[int, str]:
    """Whatever is no plain command of ours; `swapmeet` and `python` are those of the tests."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", command], text=True, check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={**os.environ, "PATH": path},
    )  # fmt: skip
    return done.returncode, done.stdout


def compare(shown: str, printed: str, where: str) -> None:
    """What a page shows stands in what was printed, in order; `…` is anything."""
    told, begin = " ".join(printed.split()), 0
    for piece in shown.split("…"):
        wanted = " ".join(piece.split())
        found = told.find(wanted, begin)
        assert found >= 0, f"{where}: the page shows\n{wanted}\nand this was printed:\n{printed}"
        begin = found + len(wanted)
