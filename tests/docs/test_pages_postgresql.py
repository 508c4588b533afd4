"""Pages that need a database, with a server of the tests."""

from __future__ import annotations

import pyarrow as pa
import pytest
from doc_pages import list_pages
from doc_samples import make_named_people

PAGES = [page for page in list_pages() if page.mentions("{postgresql}")]


@pytest.fixture
def patients(clinic):
    """A table of patients in the database."""
    table = pa.Table.from_pandas(make_named_people(), preserve_index=False)
    with clinic.connect(autocommit=True) as connection, connection.cursor() as cursor:
        cursor.adbc_ingest("patients", table, mode="create")
    return clinic


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::swapmeet.SwapmeetWarning")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_about_databases_runs(page, run_page, patients):
    run_page(page, postgresql=patients.url)
