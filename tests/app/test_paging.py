from __future__ import annotations

from urllib.parse import parse_qs

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.requests import Request

from swapmeet.app.paging import SIZE, cut

MANY = [{"name": f"column{at}"} for at in range(10_000)]


def ask(query):
    return Request({"type": "http", "query_string": query.encode(), "headers": []})


def places(part):
    return [at for at, _ in part.items]


@pytest.mark.slow
def test_ten_thousand_columns_come_in_parts():
    parts = [cut(MANY, ask(f"page={page}")) for page in range(1, 201)]
    assert {part.pages for part in parts} == {200}
    assert [at for part in parts for at in places(part)] == list(range(10_000))


def test_the_first_part_comes_first():
    assert places(cut(MANY, ask(""))) == list(range(SIZE))


@pytest.mark.parametrize(
    ("page", "shown"),
    [("0", 1), ("-1", 1), ("x", 1), ("", 1), ("²", 1), ("201", 200), ("9" * 30, 200)],
)
def test_parts_that_there_are_not_become_the_nearest(page, shown):
    assert cut(MANY, ask(f"page={page}")).page == shown


def test_a_number_of_thousands_of_digits_is_the_last_part():
    assert cut(MANY, ask(f"page={'9' * 5000}")).page == 200


def test_what_is_looked_for_keeps_its_place():
    part = cut(MANY, ask("find=column99&page=3"))
    assert (part.total, part.matching, part.pages) == (10_000, 111, 3)
    assert places(part) == list(range(9989, 10_000))


def test_capitals_do_not_matter():
    assert cut([{"name": "Age"}], ask("find=aGE")).matching == 1


def test_nothing_found_is_one_empty_part():
    part = cut(MANY, ask("find=nobody"))
    assert (part.pages, part.page, list(part.items)) == (1, 1, [])


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
def test_links_lead_to_the_same_search(wanted):
    part = cut([{"name": wanted}] * 300, ask(""))
    link = type(part)(part.items, 300, 300, 1, wanted).link(2)
    assert parse_qs(link[1:], keep_blank_values=True) == {"page": ["2"], "find": [wanted]}


@given(
    names=st.lists(st.text(max_size=3), max_size=250),
    find=st.text("ab", max_size=2),
    page=st.integers(-1, 5),
)
def test_all_parts_together_are_all_that_match(names, find, page):
    items = [{"name": name} for name in names]
    last = cut(items, ask(f"find={find}")).pages
    found = [
        at for p in range(1, last + 1) for at in places(cut(items, ask(f"find={find}&page={p}")))
    ]
    assert found == [at for at, name in enumerate(names) if find.lower() in name.lower()]
    assert 1 <= cut(items, ask(f"find={find}&page={page}")).page <= last
