from __future__ import annotations

import os
import tempfile
from importlib.util import module_from_spec, spec_from_file_location

import numpy as np
import pytest
from modes import is_private
from numba.core import caching

from swapmeet.core.base import kernel_cache
from swapmeet.core.base.jit import kernel

SOURCE = """
def add_one(values):
    total = 0
    for i in range(len(values)):
        total += values[i] + 1
    return total
"""


@pytest.fixture
def make(tmp_path, monkeypatch):
    """A compiled loop in a folder of its own; its machine code is kept as usual."""
    monkeypatch.setattr(caching.config, "CACHE_DIR", "")
    folder = tmp_path / "installation"
    folder.mkdir()
    (folder / "loops.py").write_text(SOURCE)

    def load():
        spec = spec_from_file_location("loops", folder / "loops.py")
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
        return kernel(module.add_one)

    return load


def kept(folder):
    return sorted(folder.rglob("*.nb[ic]"))


def count(loop):
    assert loop(np.arange(4)) == 10
    hits = loop.stats.cache_hits
    return sum(hits.values())


@pytest.mark.parametrize(
    ("suffix", "content"), [(".nbi", b""), (".nbc", "half"), (".nbi", "half"), (".nbc", b"")]
)
@pytest.mark.slow_beyond(2)
def test_a_cache_that_was_cut_off_is_made_anew(make, tmp_path, suffix, content):
    assert count(make()) == 0
    (victim,) = [path for path in kept(tmp_path) if path.suffix == suffix]
    whole = victim.read_bytes()
    victim.write_bytes(whole[: len(whole) // 2] if content == "half" else content)
    assert count(make()) == 0
    assert count(make()) == 1


def test_a_full_disk_does_not_keep_anybody_from_masking(make, monkeypatch):
    def refuse(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(caching.IndexDataCacheFile, "save", refuse)
    assert count(make()) == 0


@pytest.fixture
def nothing_can_be_written(monkeypatch):
    """Neither installation nor home."""

    def refuse(self):
        raise PermissionError(13, "Permission denied")

    for locator in (caching.InTreeCacheLocator, caching.UserWideCacheLocator):
        monkeypatch.setattr(locator, "ensure_cache_path", refuse)


@pytest.mark.usefixtures("nothing_can_be_written")
def test_code_is_kept_in_a_private_folder_where_nothing_else_can_be_written(
    make, tmp_path, monkeypatch
):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert count(make()) == 0
    assert count(make()) == 1
    (folder,) = {path.parent.parent for path in kept(tmp_path)}
    assert folder.parent == tmp_path
    assert is_private(folder)
    assert caching.config.CACHE_DIR == ""


@pytest.mark.usefixtures("nothing_can_be_written")
@pytest.mark.parametrize(
    "trouble", ["nowhere", "the current folder", "open to others", "a link", "somebody's"]
)
def test_code_is_not_kept_where_others_could_change_it(make, tmp_path, monkeypatch, trouble):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    folder = kernel_cache._make_private_folder()
    if trouble == "nowhere":
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "absent"))
    elif trouble == "the current folder":
        monkeypatch.chdir(tmp_path)
    elif trouble == "open to others":
        folder.chmod(0o777)
    elif trouble == "a link":
        folder.rename(tmp_path / "elsewhere")
        folder.symlink_to(tmp_path / "elsewhere")
    else:
        real = os.getuid()
        monkeypatch.setattr(os, "getuid", lambda: real + 1)
        folder.rename(tmp_path / folder.name.replace(f"-{real}", f"-{real + 1}"))
    assert count(make()) == 0
    assert count(make()) == 0
    assert kept(tmp_path) == []
