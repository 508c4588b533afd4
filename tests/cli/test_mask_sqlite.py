"""Masking from, to and between tables of SQLite files."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pyreadstat
import pytest

import swapmeet as sm
from swapmeet.errors import UsageError
from swapmeet.io.database.session import Staged

pytest.importorskip("adbc_driver_sqlite", reason="the extra [db] is not installed")

RWN = ("--method", "rwn", "--k", "5", "--weights", "0.1", "--drop", "id")
COLUMNS = """id integer primary key, age integer not null, height real, income numeric(10,2),
  sex varchar(3) not null, born date, seen datetime, said timestamp, photo blob, empty integer,
  plain"""


@pytest.fixture
def here(out, monkeypatch):
    monkeypatch.chdir(out)
    return out


@pytest.fixture
def people(here):
    with closing(sqlite3.connect("people.db")) as file:
        file.execute(f"create table people ({COLUMNS})")
        file.executemany(
            f"insert into people values ({', '.join('?' * 11)})",
            [
                (n, n % 23 + 18, None if n < 1100 else n % 31 / 3, n % 4 / 2,
                 "fmx"[n % 3], f"1980-01-{n % 28 + 1:02d}", f"2020-01-01 00:{n % 60:02d}:00",
                 f"{n % 12} o'clock", bytes([0, n % 256]), None, f"{n % 5:03d}")
                for n in range(1200)
            ],
        )  # fmt: skip
        file.commit()
    return "sqlite:///people.db"


def ask(question, file="people.db"):
    with closing(sqlite3.connect(file)) as connection:
        return connection.execute(question).fetchall()


def test_values_and_declared_types_come_back(swapmeet, people, here):
    names = "height, income, sex, born, seen, said, photo, empty, plain"
    run = swapmeet("mask", people, "--table", "people", "--out", people, "--table", "release",
                   *RWN, "--keep", names, "--audit", "a")  # fmt: skip
    assert (run.code, run.err) == (0, "")
    types = "select name, upper(type), \"notnull\", pk from pragma_table_info('{}')"
    assert ask(types.format("people"))[1:] == ask(types.format("release"))
    kinds = ", ".join(f"typeof({name})" for name in names.split(", "))
    rows = "select " + names + ", " + kinds + " from {} order by photo, seen, income, height, born"
    assert ask(rows.format("release")) == ask(rows.format("people"))
    assert ask("select photo from release") != ask("select photo from people")
    assert sorted(path.name for path in here.iterdir()) == ["a", "people.db", "release.run.toml"]


@pytest.mark.slow
def test_values_of_each_kind_move(swapmeet, people):
    run = swapmeet("mask", f"{people}#people", "sqlite:///new.db#release", *RWN, "--keep", "photo",
                   "--drop", "empty", "--memory", "4GB")  # fmt: skip
    assert (run.code, run.err) == (0, "")
    for name in ("age", "height", "income", "sex", "born", "seen", "said", "plain"):
        found = set(ask(f"select {name}, typeof({name}) from release", "new.db"))
        assert found <= set(ask(f"select {name}, typeof({name}) from people")), name


@pytest.mark.slow
def test_a_release_is_assessed_with_its_record(swapmeet, people):
    places = f"{people}#people", f"{people}#release"
    assert swapmeet("mask", *places, *RWN, "--drop", "photo,empty", "--audit", "a").code == 0
    run = swapmeet("assess", *places, "--audit", "a", "--measure", "pscr", "--limit", "none",
                   "--json")  # fmt: skip
    assert (run.code, run.err) == (0, "")
    assert [score["measure"] for score in run.json["scores"]] == ["pscr"]


def test_nothing_is_replaced_unless_told_and_never_the_input(swapmeet, people, here):
    asked = ("mask", f"{people}#people", f"{people}#PEOPLE", *RWN, "--drop", "photo,empty")
    refused = swapmeet(*asked)
    assert (refused.code, "exists already" in refused.err) == (2, True)
    itself = swapmeet(*asked, "--overwrite")
    assert (itself.code, "is an input" in itself.err) == (2, True)
    assert ask("select count(*) from people") == [(1200,)]
    assert [path.name for path in here.iterdir()] == ["people.db"]


def test_a_failure_leaves_neither_table_nor_file(swapmeet, people, here, monkeypatch):
    def fail(staged):
        raise RuntimeError

    monkeypatch.setattr(Staged, "commit", fail)
    for target in ("new.db", "people.db"):
        run = swapmeet("mask", f"{people}#people", f"sqlite:///{target}#release", *RWN, "--drop",
                       "photo,empty", "--audit", "a")  # fmt: skip
        assert run.code == 1
    assert [path.name for path in here.iterdir()] == ["people.db"]
    assert ask("select name from sqlite_master") == [("people",)]


def test_mixed_types_are_refused_by_name_and_count(swapmeet, people):
    with closing(sqlite3.connect("people.db")) as file:
        file.execute("update people set age = 'unknown' where id < 7")
        file.commit()
    run = swapmeet("inspect", people, "--table", "people")
    assert run.code == 3
    assert "column 'age' holds mixed types (1193 integer, 7 text)" in run.err
    assert "unknown" not in run.err


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("sqlite:///absent.db#t", "no such file"),
        ("sqlite:///text.db#t", "not a SQLite database"),
        ("sqlite:///people.db#peple", "did you mean 'people'?"),
    ],
)
def test_what_cannot_be_read_is_told(swapmeet, people, place, message):
    Path("text.db").write_text("this is no database at all, but long enough to be one" * 20)
    run = swapmeet("inspect", place)
    assert run.code == 3
    assert message in run.err
    assert not Path("absent.db").exists()


@pytest.mark.slow
def test_strict_tables_stay_strict(swapmeet, here):
    with closing(sqlite3.connect("people.db")) as file:
        file.execute("create table people (age integer, sex text) strict")
        file.executemany(
            "insert into people values (?, ?)", [(n % 9, "fm"[n % 2]) for n in range(50)]
        )
        file.commit()
    place = "sqlite:///people.db"
    assert swapmeet("mask", f"{place}#people", f"{place}#release", *RWN[:-2]).code == 0
    assert ask("select strict from pragma_table_list where name = 'release'") == [(1,)]


@pytest.mark.slow
def test_notes_name_the_table_and_not_the_file_by_which_it_goes_there(swapmeet, people):
    assert swapmeet("mask", f"{people}#people", "o.sav", *RWN, "--drop", "photo,empty").code == 0
    labels = {"sex": {"f": "female", "m": "male", "x": "other"}}
    frame, _ = pyreadstat.read_sav("o.sav")
    pyreadstat.write_sav(frame, "labelled.sav", variable_value_labels=labels)
    run = swapmeet("mask", "labelled.sav", f"{people}#release", *RWN[:-2], "--json")
    assert (run.code, run.err) == (0, "")
    assert any(note.startswith("release does not keep: labels") for note in run.json["notes"])


def test_python_reads_tables(people):
    document = sm.read(f"{people}#people")
    assert document.frame.num_rows == 1200
    with pytest.raises(UsageError, match="does not apply"):
        sm.read(f"{people}#people", delimiter=";")
