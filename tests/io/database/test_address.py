from __future__ import annotations

import pytest

from swapmeet.errors import UsageError
from swapmeet.io.database import DatabaseTable, is_address


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
