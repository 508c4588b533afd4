from __future__ import annotations

import ctypes
import re
import subprocess
import sys
from pathlib import Path

import pytest

from swapmeet.measures import scoring as freed_memory

GROW_AND_SHRINK = """
import re
from pathlib import Path
import numpy as np
from swapmeet.measures.scoring import return_freed_memory

def held():
    return int(re.search(r"VmRSS:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])

pieces = [np.ones(10_000) for _ in range(4_000)]
pieces = pieces[::-1][:1]
before = held()
return_freed_memory()
print(before, held())
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc")
def test_what_was_freed_goes_back_to_the_system():
    if freed_memory._find_trim() is None:
        pytest.skip("this C library has no malloc_trim")
    done = subprocess.run(
        [sys.executable, "-c", GROW_AND_SHRINK], capture_output=True, text=True, check=True
    )
    before, after = map(int, re.findall(r"\d+", done.stdout))
    assert before - after > 200_000


@pytest.mark.parametrize("error", [AttributeError, OSError, TypeError])
def test_nothing_happens_where_the_library_cannot(monkeypatch, error):
    def refuse(_: None) -> None:
        raise error

    monkeypatch.setattr(ctypes, "CDLL", refuse)
    freed_memory._find_trim.cache_clear()
    try:
        assert freed_memory._find_trim() is None
        freed_memory.return_freed_memory()
    finally:
        freed_memory._find_trim.cache_clear()
