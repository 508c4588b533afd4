"""Pages that need Spark, on a master of this machine."""

from __future__ import annotations

import os
import shutil
import sys

import pytest
from doc_pages import list_pages

PAGES = [p for p in list_pages() if p.mentions("local[2]") or p.mentions("SparkSession")]


@pytest.fixture
def spark(monkeypatch):
    """Spark can be started."""
    pytest.importorskip("pyspark")
    if not (os.environ.get("JAVA_HOME") or shutil.which("java")):
        pytest.skip("Spark needs Java")
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::swapmeet.SwapmeetWarning")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_about_spark_runs(page, run_page, spark):
    run_page(page)
