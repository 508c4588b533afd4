from __future__ import annotations

import os
import sys
from importlib.util import cache_from_source
from pathlib import Path

import numpy as np
import pytest
from byte_code import share_byte_code


def test_byte_code_lies_aside_and_that_of_libraries_is_used(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.setattr(sys, "pycache_prefix", None)
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.setenv("PYTHONPYCACHEPREFIX", "")
    installed = Path(np.__spec__.cached)
    if sys.platform == "win32" or not installed.is_file():
        pytest.skip("no byte code to link to")
    share_byte_code(tmp_path)
    assert Path(cache_from_source(np.__file__)).samefile(installed)
    assert Path(cache_from_source(np.__file__)).is_relative_to(tmp_path)
    assert not sys.dont_write_bytecode
    assert "PYTHONDONTWRITEBYTECODE" not in os.environ
