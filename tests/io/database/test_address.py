from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swapmeet.errors import UsageError
from swapmeet.io.database import DatabaseTable, is_address
from swapmeet.io.database.address import TableName, quote, quote_text


def test_an_address_shows_all_but_a_password():
    place = DatabaseTable.parse("postgres://ann@host:5433/clinic?sslmode=require#a.b")
    assert place.kind == "postgresql"
    assert place.name.parts == ("a", "b")
    assert str(place) == "postgres://ann@host:5433/clinic?sslmode=require#a.b"
    assert place.stem == "a.b"


@pytest.mark.parametrize(
    "text",
    [
        "postgresql://ann:hidden-4711@host/clinic",
        "postgresql://ann@host/clinic?password=hidden-4711",
        "postgresql://ann@host/clinic?SSLPASSWORD=hidden-4711#t",
        "postgresql://ann:hidden-4711@host:port/clinic",
        "postgresql://ann:hidden-4711@[host/clinic",
        "postgresql://ann:12/hidden-4711@host/clinic",
        'postgresql://ann:12#hidden-4711"@host/clinic',
        'postgresql://ann:12/3#hidden-4711"@host/clinic',
        "mysql://ann:hidden-4711@host/clinic",
        "sqlite://ann:hidden-4711@x.db",
    ],
)
def test_a_password_is_refused_and_never_repeated(text):
    with pytest.raises(UsageError) as caught:
        DatabaseTable.parse(text)
    assert "hidden-4711" not in str(caught.value)
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


@pytest.mark.parametrize(
    "text", ["sqlite://x.db", "sqlite:///", "postgresql://host", "oracle://h/d"]
)
def test_what_is_no_address_is_refused_with_an_example(text):
    with pytest.raises(UsageError, match=r"sqlite:///"):
        DatabaseTable.parse(text)


@pytest.mark.parametrize("text", ["postgresql://ann@host/a%40b#t", "postgresql://ann@host/c#t@u"])
def test_names_may_have_an_at_sign(text):
    assert str(DatabaseTable.parse(text)) == text


def test_files_are_no_addresses():
    assert not any(map(is_address, ("people.csv", "C:\\a.csv", "a/b#c.csv", "x:/y", "")))


def test_an_address_without_a_table_says_how_to_name_one():
    place = DatabaseTable.parse("sqlite:///x.db")
    with pytest.raises(UsageError, match=r"x\.db#TABLE"):
        _ = place.name
    with pytest.raises(UsageError, match="named twice"):
        DatabaseTable.parse("sqlite:///x.db#a").with_table("b")


@pytest.mark.parametrize(
    ("table", "stem"), [('"../../x"', "_.._x"), ('"a b/c"', "a_b_c"), ("Ä", "Ä")]
)
def test_files_are_named_after_tables_without_leaving_the_folder(table, stem):
    assert DatabaseTable.parse("sqlite:///x.db").with_table(table).stem == stem


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
