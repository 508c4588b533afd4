from __future__ import annotations

from hashlib import sha256
from itertools import count

import pytest
from doc_runner import Runner
from doc_samples import lay_out

from swapmeet.base.seeds import Seed


@pytest.fixture
def run_page(tmp_path, monkeypatch):
    """Run a page in an empty folder that holds its samples, with the same seeds every time.

    Its reader's seeds are secret, so that figures differ; a test must not fail by chance.
    """

    def run(page, **words):
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("COLUMNS", "100")
        number = count()
        monkeypatch.setattr(
            Seed, "fresh", lambda: Seed(sha256(f"{page.name} {next(number)}".encode()).digest())
        )
        for sample in page.samples:
            lay_out(sample, tmp_path)
        Runner(monkeypatch, {"here": str(tmp_path)} | words).run(page)

    return run
