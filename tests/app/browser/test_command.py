"""The command that a page shows gives the release that the app gives."""

from __future__ import annotations

import shlex
import subprocess
import sys

import pytest

SEED = 7


def run_in_terminal(command, folder):
    program, *words = shlex.split(command)
    assert program == "swapmeet"
    subprocess.run([sys.executable, "-m", "swapmeet", *words], cwd=folder, check=True,
                   capture_output=True)  # fmt: skip


def take_release(curator, seed, folder):
    """A release by the app, and the command that its page shows."""
    curator.look_at_candidate(curator.make_candidate(seed))
    command = curator.command
    curator.click("Go on: decide on it", to="decide?candidate=*")
    curator.decide("A test.")
    name = curator.page.locator(".files a").first.inner_text()
    return curator.take(name, folder), command, name


@pytest.fixture
def folders(tmp_path):
    """One for what is taken away, and an empty one for the terminal."""
    found = tmp_path / "taken", tmp_path / "empty"
    for folder in found:
        folder.mkdir()
    return found


@pytest.mark.slow
def test_the_command_of_a_seeded_candidate_gives_its_release_byte_for_byte(curator, folders):
    taken, empty = folders
    curator.open_example()
    release, command, name = take_release(curator, SEED, taken)
    assert "--seed NUMBER" in command
    run_in_terminal(command.replace("NUMBER", str(SEED)), empty)
    assert (empty / name).read_bytes() == release.read_bytes()


@pytest.mark.slow
def test_roles_chosen_on_the_page_are_in_the_command(curator, folders, people):
    taken, empty = folders
    curator.open_path(people)
    curator.click("Go on: roles and intruder", to="roles")
    for column, role in {"region": "strata", "sex": "drop", "income": "sensitive"}.items():
        curator.page.get_by_label(f"Role of {column}", exact=True).select_option(role)
    curator.click("Save and go on: protect", to="protect")
    release, command, name = take_release(curator, SEED, taken)
    run_in_terminal(command.replace("NUMBER", str(SEED)), empty)
    assert (empty / name).read_bytes() == release.read_bytes()
    assert release.read_text().startswith("age,income,region\n")


@pytest.mark.slow
def test_without_a_seed_the_command_shows_none_and_gives_another_release(curator, folders, people):
    taken, empty = folders
    curator.open_path(people)
    curator.wait_for("rows and")
    release, command, name = take_release(curator, None, taken)
    assert "--seed" not in command
    run_in_terminal(command, empty)
    assert (empty / name).read_bytes() != release.read_bytes()
