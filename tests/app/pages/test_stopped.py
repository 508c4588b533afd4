from __future__ import annotations


def test_a_page_of_an_app_that_has_stopped_leads_nowhere(site):
    page = site.post("/quit").text
    assert "Swapmeet has stopped" in page
    assert "To the first page" not in page
