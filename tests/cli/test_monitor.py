from __future__ import annotations

import pytest

from swapmeet.cli.json_progress import JsonProgress
from swapmeet.cli.monitor import open_monitor
from swapmeet.cli.progress import Bar
from swapmeet.errors import UsageError

COMMANDS = ("inspect", "mask", "assess", "compare", "tune", "report")


@pytest.mark.parametrize(("how", "kind"), [("bar", Bar), ("json", JsonProgress)])
@pytest.mark.parametrize("quiet", [True, False])
def test_the_option_names_the_monitor(how, kind, quiet):
    assert type(open_monitor(how, quiet=quiet)) is kind


def test_another_name_is_refused_with_the_two_there_are():
    with pytest.raises(UsageError, match=r"--progress: must be bar or json; got 'xml'\."):
        open_monitor("xml", quiet=False)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_that_takes_long_has_the_option(swapmeet, command):
    text = " ".join(swapmeet(command, "--help-all").out.replace("│", " ").split())
    assert "--progress HOW How progress is shown: bar" in text
    assert "(default: bar)" in text or "[default: bar]" in text


def test_the_bar_is_the_default(swapmeet, people, out):
    run = swapmeet("mask", people, out / "r.csv", "--method", "rwn", "--drop", "name")
    assert (run.code, run.err) == (0, "")
    assert swapmeet("inspect", people, "--progress", "bar").err == ""


def test_a_wrong_name_ends_the_command(swapmeet, people):
    run = swapmeet("inspect", people, "--progress", "xml")
    assert (run.code, run.err) == (2, "error: --progress: must be bar or json; got 'xml'.\n")
