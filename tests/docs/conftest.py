from __future__ import annotations

import pytest
from doc_runner import Runner
from doc_samples import lay_out


@pytest.fixture
def run_page(tmp_path, monkeypatch):
    """Run a page in an empty folder that holds its samples."""

    def run(page, **words):
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("COLUMNS", "100")
        for sample in page.samples:
            lay_out(sample, tmp_path)
        Runner(monkeypatch, words).run(page)

    return run
