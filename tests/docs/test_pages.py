"""Every block of every page runs, but for those that say why they do not."""

from __future__ import annotations

import pytest
from doc_pages import list_pages

ELSEWHERE = ("local[2]", "{postgresql}", "SparkSession")
"""What the pages of Spark and of databases have, which run in files of their own."""
EVERYDAY = (
    "docs/explanation/secrets.md",
    "docs/guides/inspecting.md",
    "docs/guides/together.md",
    "docs/reference/identifiers.md",
)
PAGES = [page for page in list_pages() if not any(page.mentions(word) for word in ELSEWHERE)]


@pytest.mark.filterwarnings("ignore::swapmeet.SwapmeetWarning")
@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, id=page.name, marks=() if page.name in EVERYDAY else pytest.mark.slow)
        for page in PAGES
    ],
)
def test_a_page_is_a_script_that_runs(page, run_page):
    run_page(page)
