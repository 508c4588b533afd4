"""What must fail on Windows or macOS is not in the code, as far as that can be told from here."""

from __future__ import annotations

import ast
import errno
import os
import re
import sys
from pathlib import Path

import pytest
from windows import pretend

import swapmeet
from swapmeet.base.atomic import (
    all_or_nothing,
    check_target,
    scratch_folder,
    write_atomically,
    write_folder_atomically,
)
from swapmeet.base.disk import FAR, lock_descriptor
from swapmeet.errors import UsageError

SOURCES = sorted(Path(swapmeet.__file__).parent.rglob("*.py"))
TESTS = sorted(Path(__file__).parent.rglob("*.py"))
POSIX_ONLY = {"fcntl", "grp", "posix", "pty", "pwd", "resource", "syslog", "termios", "tty"}
POSIX_CALLS = {
    "fork", "forkpty", "getuid", "geteuid", "getgid", "killpg", "mkfifo", "nice", "setsid",
    "sched_getaffinity", "statvfs", "uname", "wait",
}  # fmt: skip
"""Functions of `os` that are not on all systems; asking for one first is allowed."""
SIGNALS = {"SIGINT", "SIGTERM", "SIG_IGN", "SIG_DFL"}
"""What `signal` has on all systems."""


def nodes_of(pattern):
    """All nodes of the modules in whose text something is found, which spares reading the rest."""
    for path in SOURCES:
        text = path.read_text(encoding="utf-8")
        if re.search(pattern, text):
            yield path, list(ast.walk(ast.parse(text)))


def named(path, found):
    return [f"{path.name}:{node.lineno}" for node in found]


def test_no_module_imports_what_one_system_has_alone():
    wrong = re.compile(rf"^(import|from) ({'|'.join(POSIX_ONLY)})\b", re.MULTILINE)
    assert wrong.search("import os\nimport fcntl\n")
    assert [path for path in SOURCES if wrong.search(path.read_text(encoding="utf-8"))] == []


def test_every_test_can_be_collected_wherever_it_is_run():
    """What a module does when it is imported happens on all systems, also in the tests."""
    wrong = re.compile(
        rf"^(import|from) ({'|'.join(POSIX_ONLY)})\b|^[@\w].*\bos\.({'|'.join(POSIX_CALLS)})\b",
        re.MULTILINE,
    )
    assert wrong.search("@skipif(os.geteuid() == 0)\n")
    found = [path for path in TESTS if wrong.search(path.read_text(encoding="utf-8"))]
    assert found == []


def test_functions_and_signals_that_a_system_may_lack_are_asked_for_first():
    for path, nodes in nodes_of(rf"os\.({'|'.join(POSIX_CALLS)})\b|signal\.SIG"):
        asked = {
            node.args[1].value
            for node in nodes
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "hasattr"
        }
        for node in nodes:
            if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
                continue
            if node.value.id == "os":
                assert node.attr not in POSIX_CALLS - asked, named(path, [node])
            if node.value.id == "signal" and node.attr.startswith("SIG"):
                assert node.attr in SIGNALS, named(path, [node])


def test_texts_are_read_and_written_with_an_encoding():
    for path, nodes in nodes_of(r"open\(|_text\("):
        plain = [node for node in nodes if opens_text(node)]
        assert not plain, named(path, plain)


def opens_text(node):
    """Whether a call opens a text and leaves the encoding to the system."""
    if not isinstance(node, ast.Call) or any(word.arg == "encoding" for word in node.keywords):
        return False
    if isinstance(node.func, ast.Name):
        return node.func.id == "open" and not is_binary(node)
    if not isinstance(node.func, ast.Attribute):
        return False
    owner = ast.unparse(node.func.value)
    of_path = node.func.attr in {"read_text", "write_text"}
    opened = node.func.attr == "open" and (owner == "path" or "Path(" in owner or "/" in owner)
    descriptor = (owner, node.func.attr) == ("os", "fdopen")
    return of_path or ((opened or descriptor) and not is_binary(node))


def is_binary(node):
    words = [word.value for word in node.keywords if word.arg == "mode"]
    return any("b" in str(getattr(one, "value", "")) for one in (*node.args, *words))


# the rules of Windows

here_only = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="pretends on Linux")


@pytest.fixture
def windows(monkeypatch, tmp_path):
    return pretend(monkeypatch)


@here_only
def test_the_rules_that_are_pretended_hold(windows, tmp_path):
    (tmp_path / "a").write_text("a")
    with (tmp_path / "a").open("rb") as file:
        with pytest.raises(PermissionError):
            (tmp_path / "a").unlink()
        with pytest.raises(OSError, match="read only"):
            os.fsync(file.fileno())
    with pytest.raises(PermissionError):
        os.open(tmp_path, os.O_RDONLY)


@here_only
@pytest.mark.usefixtures("windows")
def test_files_and_folders_are_written_and_overwritten_by_the_rules_of_windows(tmp_path):
    for text in ("old", "new"):
        with all_or_nothing():
            for name in ("rel.csv", "rel.csv.run.toml"):
                with write_atomically(tmp_path / name, overwrite=True, private=True) as aside:
                    aside.write_text(text)
            with write_folder_atomically(tmp_path / "folder", overwrite=True) as aside:
                (aside / "part.parquet").write_text(text)
    found = {path.name: path for path in tmp_path.iterdir()}
    assert sorted(found) == ["folder", "rel.csv", "rel.csv.run.toml"]
    assert found["rel.csv"].read_text() == "new"
    assert (found["folder"] / "part.parquet").read_text() == "new"


@here_only
@pytest.mark.usefixtures("windows")
def test_a_spool_that_is_open_is_left_for_the_next_run(tmp_path):
    with scratch_folder(tmp_path / "rel") as folder:
        file = (folder / "spool").open("wb")
    assert (tmp_path / ".swapmeet").exists()
    file.close()
    with scratch_folder(tmp_path / "rel"):
        pass
    assert list(tmp_path.iterdir()) == []


@here_only
@pytest.mark.usefixtures("windows")
def test_a_run_claims_its_targets_by_the_rules_of_windows(tmp_path):
    with all_or_nothing() as work:
        work.claim(tmp_path / "rel")
        with pytest.raises(UsageError, match="another run"):
            type(work)().claim(tmp_path / "REL")


@here_only
def test_a_lock_takes_a_byte_that_nobody_reads(windows, tmp_path):
    path = tmp_path / "journal"
    path.write_text("line\n")
    one, two = (os.open(path, os.O_RDWR | os.O_APPEND) for _ in range(2))
    assert lock_descriptor(one)
    assert not lock_descriptor(two)
    assert [place for _, place in windows.locked] == [FAR]
    assert os.read(one, 5) == b"line\n"
    os.close(one)
    assert lock_descriptor(two)
    os.close(two)


@here_only
@pytest.mark.usefixtures("windows")
@pytest.mark.parametrize("name", ["nul", "Com1.csv", "rel.csv:hidden", "rel.", "a?b.csv"])
def test_names_that_mean_something_else_on_windows_are_refused(tmp_path, name):
    with pytest.raises(UsageError, match="no name for a file on Windows"):
        check_target(tmp_path / name, overwrite=True)


@here_only
def test_macos_folders_that_cannot_be_flushed_are_no_obstacle(tmp_path, monkeypatch):
    real = os.fsync

    def refuse_folders(descriptor):
        if Path(f"/proc/self/fd/{descriptor}").readlink().is_dir():
            raise OSError(errno.EINVAL, "Invalid argument")
        real(descriptor)

    monkeypatch.setattr(os, "fsync", refuse_folders)
    with write_atomically(tmp_path / "rel", overwrite=False) as aside:
        aside.write_text("x")
    assert (tmp_path / "rel").read_text() == "x"
