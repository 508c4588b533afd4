from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swapmeet.errors import UsageError
from swapmeet.io.database.address import TableName, quote, quote_text

NAMES = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1)


@given(st.lists(NAMES, min_size=1, max_size=2))
def test_a_name_as_people_write_it_is_read_back(parts):
    name = TableName(tuple(parts))
    assert TableName.parse(name.text) == name
    assert TableName.parse(name.quoted) == name


@given(NAMES, NAMES)
def test_names_and_texts_are_only_what_they_are_in_sql(name, text):
    name = f"t{name}"  # SQLite keeps names that begin with sqlite_ for itself
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(f"create table {quote(name)} (a)")
        connection.execute(f"insert into {quote(name)} values ({quote_text(text)})")
        assert connection.execute("select name from sqlite_master").fetchall() == [(name,)]
        assert connection.execute(f"select a from {quote(name)}").fetchall() == [(text,)]


@pytest.mark.parametrize("text", ["", ".", "a.", "a.b.c", '"a', 'a"b', "a\0b", '""'])
def test_what_is_no_name_is_refused(text):
    with pytest.raises(UsageError, match="not the name of a table"):
        TableName.parse(text)
