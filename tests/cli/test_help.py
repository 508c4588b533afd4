from __future__ import annotations

import re
import subprocess
import sys

import pytest
from typer.main import get_command

from swapmeet import __version__
from swapmeet.cli.parameters import flag
from swapmeet.cli.program import app
from swapmeet.methods import METHODS

HEAVY = ("pandas", "polars", "pyarrow", "numba", "scipy", "sklearn", "statsmodels", "randomgen",
         "narwhals", "pyreadstat", "openpyxl")  # fmt: skip
SHOW = """
import sys
from swapmeet.cli import main
sys.argv = ["swapmeet", *{args!r}]
try:
    main()
except SystemExit:
    print(sorted(sys.modules.keys() & set({heavy!r})), file=sys.stderr)
"""


@pytest.mark.slow_beyond(1)
@pytest.mark.parametrize("args", [("--help",), ("mask", "--help"), ("methods",), ("--version",)])
def test_help_loads_no_heavy_library(args):
    code = SHOW.format(args=args, heavy=HEAVY)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"
    assert done.stdout


def test_help_shows_the_first_steps_line_by_line(swapmeet):
    run = swapmeet("--help")
    assert run.code == 0
    for step in ("swapmeet demo", "swapmeet inspect people.csv", "--method matched-swap --k 10"):
        assert any(line.strip().endswith(step) for line in run.out.splitlines())
    for command in ("demo", "inspect", "mask", "methods"):
        assert command in run.out


def test_exit_codes_are_explained(swapmeet):
    text = " ".join(swapmeet("--help").out.split())
    assert "0 done, 2 wrong usage, 3 bad input, 4 risk limit not met, 1 anything else" in text


@pytest.mark.parametrize("command", ["demo", "inspect", "mask", "methods"])
@pytest.mark.parametrize("flag", ["--help", "-h", "--help-all"])
def test_every_command_has_help_that_fits_80_columns(swapmeet, command, flag):
    run = swapmeet(command, flag)
    assert (run.code, run.err) == (0, "")
    assert max(map(len, run.out.splitlines())) <= 80
    assert "<bool>" not in run.out
    assert "{" not in run.out
    assert "\x1b" not in run.out


LONG = ("inspect", "mask", "assess", "compare", "tune", "report")
"""Commands with a short help."""


def list_options(text):
    return set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", text))


@pytest.mark.parametrize("command", LONG)
def test_help_fits_two_screens_and_names_the_way_to_the_rest(swapmeet, command):
    short, full = swapmeet(command, "--help").out, swapmeet(command, "--help-all").out
    assert len(short.splitlines()) <= 48
    left = int(re.search(r"and (\d+) more options: swapmeet " + command, short)[1])
    assert list_options(short) - {"--help-all"} < list_options(full)
    options = [one for one in get_command(app).commands[command].params if one.opts[0][0] == "-"]
    assert all(one.opts[0] in list_options(full) for one in options)
    assert left == len([one for one in options if one.opts[0] not in list_options(short)])


@pytest.mark.parametrize("command", LONG)
def test_options_of_the_short_help_exist(command):
    command = get_command(app).commands[command]
    assert set(command.first) <= {one.name for one in command.params}


def test_the_short_help_of_a_method_has_all_of_its_options(swapmeet):
    short = swapmeet("mask", "--method", "rwn", "--help").out
    assert {"--k", "--eps", "--only-eps", "--drop"} < list_options(short)
    assert not {"--min-leaf", "--threads"} & list_options(short)


def test_help_of_mask_names_every_parameter_of_every_method_but_functions(swapmeet):
    text = swapmeet("mask", "--help-all").out
    for method in METHODS.values():
        for parameter in (p for p in method.parameters() if not p.in_python_only):
            assert re.search(rf"{flag(parameter.name)}\b", text)


def test_defaults_stand_beside_the_options(swapmeet):
    text = " ".join(swapmeet("mask", "--help-all").out.replace("│", " ").split())
    assert "[rwn] a neighbourhood has at least this many rows (default 5)" in text
    assert "(required)" in text


def test_the_program_alone_shows_its_help(swapmeet):
    run = swapmeet()
    assert run.code in {0, 2}  # as the version of typer sees it
    assert "swapmeet demo" in run.out
    assert run.err == ""


def test_version_is_told(swapmeet):
    run = swapmeet("--version")
    assert (run.code, run.out) == (0, f"swapmeet {__version__}\n")


@pytest.mark.parametrize(
    ("args", "hint"),
    [
        (("mas",), "mask"),
        (("mask", "a.csv"), "OUT"),
        (("mask", "a.csv", "b.csv", "--methd", "rwn"), "--method"),
        (("inspect", "a.csv", "c.csv"), "c.csv"),
        (("mask", "a.csv", "b.csv", "--k"), "--k"),
        (("mask", "a.csv", "b.csv", "--threads", "many"), "--threads"),
        (("inspect",), "FILE"),
        (("inspect", "a.csv", "--kind", "x"), "--kind"),
    ],
)
def test_wrong_usage_is_told_in_plain_words(swapmeet, args, hint):
    run = swapmeet(*args)
    assert run.code == 2
    assert run.out == ""
    assert run.err.startswith("error: ")
    assert hint in run.err
    assert "--help" in run.err
    assert "╭" not in run.err


@pytest.mark.parametrize("command", ["mask", "tune", "inspect", "assess"])
def test_help_does_not_promise_that_keys_are_masked(swapmeet, command):
    text = " ".join(swapmeet(command, "--help-all").out.replace("│", " ").split())
    assert "Masked, unless the method leaves it as it is" in text
    assert "Every column is masked" not in text
    assert "know it. Masked. " not in text
