from __future__ import annotations

import io

import pandas as pd
import pytest
from finished_case import ROWS, make_people

import swapmeet as sm


def audit(finished, **controls):
    return finished.site.post(f"{finished.home}/release/2/audit", **controls)


def test_the_data_can_be_taken_in_each_format(finished):
    taken = pd.read_csv(io.BytesIO(finished.get("release/2/release.csv").body))
    other = pd.read_parquet(io.BytesIO(finished.get("release/2/release.parquet").body))
    assert len(taken) == len(other) == ROWS
    assert list(taken.columns) == ["age", "town", "income", "happy"]


def test_the_release_is_not_the_original(finished):
    taken = pd.read_csv(io.BytesIO(finished.get("release/2/release.csv").body))
    original = make_people().drop(columns="name")
    assert not taken.equals(original)
    assert set(taken["town"]) <= set(original["town"])


def test_files_are_named_after_the_table_and_kept_not_shown(finished):
    told = finished.get("release/2/release.csv").headers["content-disposition"]
    assert told.startswith("attachment")
    assert "people%202-release.csv" in told


def test_the_run_file_tells_no_secret(finished):
    text = finished.get("release/2/release.csv.run.toml").text
    assert "microaggregation" in text
    assert "seed" not in text


def test_the_run_file_is_not_among_what_is_published(finished):
    text = finished.get("release").text
    publish, keep = text.split('id="publish-title"')[1].split('id="keep-title"')
    assert ("release.csv.run.toml" in publish, "release.csv.run.toml" in keep) == (False, True)


@pytest.mark.parametrize("name", ["run.audit", "audit", "run.json", "out-1.json", "internal.html",
                                  "..%2F..%2Fcase.json", "release.sav", "."])  # fmt: skip
def test_nothing_else_can_be_taken(finished, name):
    assert finished.get(f"release/2/{name}").status == 404


def test_the_audit_record_needs_a_confirmation(finished):
    answer = audit(finished)
    assert answer.status == 400
    assert "Tick the box first" in answer.text
    assert audit(finished, understood="no").status == 400


def test_the_audit_record_is_that_of_the_release(finished, tmp_path):
    answer = audit(finished, understood="yes")
    assert "people%202-secret.audit" in answer.headers["content-disposition"]
    (tmp_path / "a.audit").write_bytes(answer.body)
    assert len(sm.AuditRecord.load(tmp_path / "a.audit").donors) == ROWS


def test_the_audit_record_cannot_be_had_by_a_link(finished):
    assert finished.get("release/2/audit?understood=yes").status in {404, 405}


def test_reports_can_be_taken_and_read(finished):
    for audience in ("internal", "public"):
        kept = finished.get(f"papers/1/{audience}")
        assert kept.headers["content-disposition"].startswith("attachment")
        read = finished.get(f"papers/1/{audience}?read=1")
        assert read.headers["content-type"].startswith("text/html")
        assert "sandbox" in read.headers["content-security-policy"]
        assert kept.body == read.body


def test_there_are_two_reports(finished):
    assert finished.get("papers/1/secret").status == 404
    assert finished.get("papers/2/public").status == 404


def test_the_page_offers_all_of_it(finished):
    page = finished.get("release").text
    for name in ("release/2/release.csv", "release/2/release.parquet", "papers/1/public",
                 "papers/1/internal", "release/2/audit"):  # fmt: skip
        assert f"{finished.home}/{name}" in page


def test_without_a_decision_there_is_nothing_to_take(site, tmp_path, monkeypatch):
    monkeypatch.setattr("swapmeet.app.opening.look", lambda *_, **__: None)
    (tmp_path / "a.csv").write_text("a\n1\n")
    place = site.post("/open", path=str(tmp_path / "a.csv")).place.replace("/data", "")
    assert "No candidate has been chosen yet" in site.get(f"{place}/release").text
    assert site.post(f"{place}/papers").status == 404
