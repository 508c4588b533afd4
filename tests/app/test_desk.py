from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from local_site import FORM, MULTIPART, end_form, pack_file, pack_text

from swapmeet.app.case import Case
from swapmeet.app.desk import is_stale, lines

CASE = Case(name="a", source="a", revision=7)


def send(site, body, kind=FORM):
    return site.ask("POST", "/example", body=body, kind=kind)


@pytest.fixture
def site(same_site):
    return same_site


def test_a_form_of_the_app_is_read(site):
    assert "no such example" in send(site, f"csrf={site.keys.form}&name=x".encode()).text


def test_a_form_in_parts_is_read(site):
    body = pack_text("csrf", site.keys.form) + pack_text("name", "x") + end_form()
    assert "no such example" in send(site, body, MULTIPART).text


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"", ""),
        (b"", FORM),
        (b"csrf", FORM),
        (b"%00%ff=%zz", FORM),
        (b"{}", "application/json"),
        (b"nonsense", MULTIPART),
        (b"nonsense", "multipart/form-data"),
        (b"csrf=x", "text/plain"),
    ],
)
def test_what_is_no_form_is_refused(site, body, kind):
    answer = send(site, body, kind)
    assert answer.status in {400, 403}
    assert "Traceback" not in answer.text


def test_files_are_taken_by_the_upload_only(site):
    body = pack_text("csrf", site.keys.form) + pack_file("a.csv", b"ZZQX") + end_form()
    answer = send(site, body, MULTIPART)
    assert answer.status == 400
    assert "ZZQX" not in answer.text


@given(st.binary(max_size=200), st.sampled_from([FORM, MULTIPART, "", "application/json"]))
def test_no_bytes_are_taken_for_a_form_of_the_app(same_site, body, kind):
    assert send(same_site, body, kind).status in {400, 403}


def test_a_page_is_out_of_date_once_the_case_has_changed():
    assert not is_stale({"revision": "7"}, CASE)
    for revision in ("6", "8", "", None, "7.0", " 7"):
        assert is_stale({"revision": revision}, CASE)
    assert is_stale({}, CASE)


@given(st.lists(st.text(st.characters(exclude_categories=["Zl", "Zp", "Cc", "Cs"]))))
def test_lines_are_read_as_they_were_written(texts):
    wanted = tuple(text.strip() for text in texts if text.strip())
    assert lines({"rule": "\r\n".join(texts)}, "rule") == wanted


def test_no_lines_are_none():
    assert lines({}, "rule") == ()
    assert lines({"rule": " \n\n\t"}, "rule") == ()
