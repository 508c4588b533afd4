"""From a built-in table through the six steps to a release, its reports and its audit record."""

from __future__ import annotations

import pyarrow.parquet as pq
import pytest
from walk import REASON

import swapmeet as sm


@pytest.fixture(scope="module")
def original():
    return sm.datasets.load("anes96")


@pytest.fixture(scope="module")
def release(walk):
    return pq.read_table(walk.release).to_pandas()


def test_the_release_has_the_rows_and_columns_of_the_original(release, original):
    assert release.shape == original.shape
    assert len(release) == 944
    assert list(release) == list(original)


def test_the_release_has_other_records_of_the_same_values(release, original):
    assert sorted(release["age"]) == sorted(original["age"])
    assert set(release.itertuples(index=False)) != set(original.itertuples(index=False))


def test_the_audit_record_undoes_the_masking(walk, release, original):
    record = sm.AuditRecord.load(walk.audit)
    donors = record.donors[record.owner, record.columns.index("age")]
    assert (original["age"].to_numpy()[donors] == release["age"]).all()


def test_without_the_box_there_is_a_message_and_no_audit_record(walk):
    assert "Tick the box first" in walk.refusal
    assert walk.taken_without_box == 0


@pytest.mark.parametrize("audience", ["internal", "public"])
def test_reports_are_pages(walk, audience):
    page = getattr(walk, audience).read_text()
    assert page.startswith("<!DOCTYPE html>")
    assert page.rstrip().endswith("</html>")


def test_only_the_internal_report_tells_the_reason(walk):
    assert REASON in walk.internal.read_text()
    assert REASON not in walk.public.read_text()


def test_the_run_file_names_the_method_and_no_seed(walk):
    run = walk.run_file.read_text()
    assert 'name = "rank-swap"' in run
    assert "seed" not in run
