from __future__ import annotations

import gc
import os
import subprocess
import sys
import tempfile
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import numpy as np
import pytest
from modes import is_private

from swapmeet.base import jit as kernel_cache

SOURCE = """
from typing import NamedTuple
from swapmeet.base.jit import kernel

STEP = 1

class Pair(NamedTuple):
    first: int
    second: int

@kernel
def add(values):
    total = 0
    for i in range(len(values)):
        total += increase(values[i])
    return total

@kernel
def increase(value):
    return value + STEP

@kernel
def subtract(pair):
    return pair.first - pair.second
"""


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty folder for machine code."""
    folder = tmp_path / "cache"
    monkeypatch.setattr(kernel_cache.config, "CACHE_DIR", str(folder))
    kernel_cache._find_private.cache_clear()
    kernel_cache._delete_unused.cache_clear()
    yield folder
    kernel_cache._find_private.cache_clear()


@pytest.fixture
def load(tmp_path, monkeypatch):
    """Load compiled loops from a file, as another process or clone would."""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # it would outlive an edit in its second

    def load(source=SOURCE, place="installation"):
        folder = tmp_path / place
        folder.mkdir(exist_ok=True)
        (folder / "loops.py").write_text(source)
        spec = spec_from_file_location("loops", folder / "loops.py")
        sys.modules["loops"] = module = module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    yield load
    sys.modules.pop("loops", None)


def run(module, expected=10):
    """Whether the machine code of `add` was found; it must give what the source says."""
    assert module.add(np.arange(4)) == expected
    return bool(module.add.stats.cache_hits)


def files(folder):
    return sorted(folder.rglob("*.kernel"))


def test_another_process_and_another_clone_compile_nothing(cache, load):
    assert not run(load())
    assert run(load())
    assert run(load(place="another clone"))
    assert run(load("\n\n# moved down\n" + SOURCE))
    assert is_private(cache)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("STEP = 1", "STEP = 3", 18),
        ("value + STEP", "value - STEP", 2),
        ("total = 0", "total = 5", 15),
    ],
    ids=["a constant", "a loop that it calls", "the loop itself"],
)
def test_an_edit_recompiles_what_depends_on_it(cache, load, before, after, expected):
    run(load())
    assert not run(load(SOURCE.replace(before, after)), expected)
    assert run(load())


def test_fields_of_a_named_tuple_are_part_of_the_content(cache, load):
    module = load()
    assert module.subtract(module.Pair(first=3, second=1)) == 2
    fields = "    first: int\n    second: int\n"
    swapped = load(SOURCE.replace(fields, "    second: int\n    first: int\n"))
    assert swapped.subtract(swapped.Pair(first=3, second=1)) == 2


def test_an_edit_keeps_the_machine_code_of_what_does_not_depend_on_it(cache, load):
    run(load())
    edited = load(SOURCE.replace("pair.first - pair.second", "pair.second"))
    assert run(edited)


@pytest.mark.parametrize("content", ["nothing", "half"])
def test_a_file_that_was_cut_off_is_made_anew(cache, load, content):
    run(load())
    for victim in files(cache):
        whole = victim.read_bytes()
        victim.write_bytes(whole[: len(whole) // 2] if content == "half" else b"")
    assert not run(load())
    assert run(load())


def test_a_full_disk_keeps_nobody_from_masking(cache, load, monkeypatch):
    def refuse(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(kernel_cache, "_write", refuse)
    assert not run(load())
    assert files(cache) == []


def test_a_file_that_cannot_be_read_is_compiled_anew(cache, load):
    if os.name != "posix" or os.getuid() == 0:
        pytest.skip("root reads everything")
    run(load())
    for victim in files(cache):
        victim.chmod(0)
    assert not run(load())


def test_a_write_that_fails_leaves_nothing_behind(cache, load, monkeypatch):
    def refuse(*_, **__):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(Path, "replace", refuse)
    assert not run(load())
    assert list(cache.iterdir()) == []


@pytest.fixture
def no_home(tmp_path, monkeypatch):
    """Make a home that cannot be written, and an empty place for temporary files."""
    (tmp_path / "home").write_text("a file, so that no folder can be made in it")
    monkeypatch.setattr(kernel_cache.config, "CACHE_DIR", "")
    monkeypatch.setattr(kernel_cache, "find_cache_folder", lambda: tmp_path / "home" / "cache")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    kernel_cache._find_private.cache_clear()
    yield
    kernel_cache._find_private.cache_clear()


@pytest.mark.usefixtures("no_home")
def test_code_is_kept_in_a_private_folder_where_the_home_cannot_be_written(load, tmp_path):
    assert not run(load())
    assert run(load())
    (folder,) = {path.parent for path in files(tmp_path)}
    assert folder.parent == tmp_path
    assert is_private(folder)


@pytest.mark.usefixtures("no_home")
@pytest.mark.parametrize(
    "trouble", ["nowhere", "the current folder", "open to others", "a link", "somebody's"]
)
def test_code_is_not_kept_where_others_could_change_it(load, tmp_path, monkeypatch, trouble):
    monkeypatch.chdir(tmp_path) if trouble == "the current folder" else None
    folder = kernel_cache._find_temporary_folder()
    if trouble == "nowhere":
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "absent"))
    elif trouble == "open to others":
        folder.mkdir()
        folder.chmod(0o777)
    elif trouble == "a link":
        (tmp_path / "elsewhere").mkdir(0o700)
        folder.symlink_to(tmp_path / "elsewhere")
    elif trouble == "somebody's":
        folder.mkdir(0o700)
        real = os.getuid()
        monkeypatch.setattr(os, "getuid", lambda: real + 1)
        folder.rename(tmp_path / f"swapmeet-{real + 1}")
    assert not run(load())
    assert not run(load())
    assert files(tmp_path) == []


def test_code_that_nobody_used_for_long_is_deleted(cache, load):
    run(load())
    old, inner = files(cache)
    ancient = old.stat().st_mtime - 100 * kernel_cache.DAY
    os.utime(old, (ancient, ancient))
    kernel_cache._delete_unused.cache_clear()
    run(load(SOURCE.replace("total = 0", "total = 1")), 11)
    assert not old.exists()
    assert inner.exists()


def test_code_that_is_used_is_young(cache, load):
    run(load())
    used = files(cache)[0]
    before = used.stat().st_mtime - 80 * kernel_cache.DAY
    os.utime(used, (before, before))
    assert run(load())
    assert used.stat().st_mtime > before + 79 * kernel_cache.DAY


@pytest.mark.slow
def test_two_processes_at_once_keep_the_same_files(tmp_path):
    words = (
        "import numpy as np; from swapmeet.base.jit import lengthen;"
        "print(lengthen(np.ones((2, 2), np.int64))[:2].sum())"
    )
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    both = [
        subprocess.Popen([sys.executable, "-c", words], env=environment, stdout=subprocess.PIPE)
        for _ in range(4)
    ]
    assert {one.communicate()[0].strip() for one in both} == {b"4"}
    assert len(list(tmp_path.iterdir())) == 1


CONSTANTS = """
from swapmeet.base.jit import kernel

@kernel
def outer(values):
    return inner(values, 1) + inner(values, 2) + inner(values, values[0])

@kernel
def inner(values, step):
    return values[0] + step
"""


def test_a_loop_is_not_compiled_once_more_for_each_constant(cache, load):
    module = load(CONSTANTS)
    assert module.outer(np.array([5])) == 6 + 7 + 10
    assert len(module.inner.signatures) == 1
    assert len(files(cache)) == 2


def test_garbage_is_looked_for_as_often_as_before_once_code_is_compiled(cache, load):
    before = gc.get_threshold()
    run(load())
    assert gc.get_threshold() == before
