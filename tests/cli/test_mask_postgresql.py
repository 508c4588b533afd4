"""Masking from, to and between tables of a real PostgreSQL server."""

from __future__ import annotations

import os
import signal
import tempfile
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from modes import is_private
from postgresql_server import PASSWORD

from swapmeet.base.staging import recover
from swapmeet.io.database.postgresql import reading, writing
from swapmeet.io.database.session import CommitUnknownError, Staged
from swapmeet.release.audit import AuditRecord

TYPES = {
    "small": ("smallint not null", "x % 100"),
    "whole": ("integer", "x % 37"),
    "big": ("bigint", "x % 41 * 10000000000"),
    "single": ("real", "(x % 43) / 3.0"),
    "double": ("double precision", "(x % 47) / 7.0"),
    "exact": ("numeric(12,2) not null", "(x % 53) / 100.0"),
    "free": ("numeric", "round((x % 53) / 8.0, 3)"),
    "flag": ("boolean", "x % 2 = 0"),
    "mood": ("mood not null", "(array['sad', 'ok', 'glad'])[1 + x % 3]::mood"),
    "code": ("char(3)", "(array['a', 'bb', 'ccc'])[1 + x % 3]"),
    "short": ("varchar(10)", "'v' || x % 5"),
    "words": ("text not null", "(array['é', '', ' a''b\"c '])[1 + x % 3]"),
    "day": ("date", "date '2020-01-01' + x % 60"),
    "moment": ("timestamp", "timestamp '2020-01-01' + (x % 59) * interval '1.000001 s'"),
    "zoned": ("timestamptz", "timestamptz '2020-01-01 00:00+02' + (x % 61) * interval '1 h'"),
    "coarse": ("timestamp(0)", "timestamp '2020-01-01' + (x % 5) * interval '1 day'"),
    "span": ("interval", "(x % 7) * interval '1 month 3 days 02:03:04.000005'"),
    "hour": ("time", "time '00:00' + (x % 67) * interval '1 min'"),
    "device": ("uuid", "md5((x % 9)::text)::uuid"),
    "list": ("text[]", "array['x,y', null, 'y' || x]"),
    "object": ("jsonb", "jsonb_build_object('x', x, 'ü', null)"),
    "bytes": ("bytea", "decode(md5(x::text), 'hex')"),
    "positive": ("age", "1 + x % 90"),
    "host": ("inet", "('10.0.0.' || x % 4)::inet"),
    'o"d.d': ('text collate "C"', "'o' || x % 2"),
}
UNREAD = ("list", "object", "bytes")
PEOPLE = """create table people (id integer generated always as identity primary key,
  age integer, sex text not null, income numeric(10,2))"""
FILL = """insert into people (age, sex, income) select (x * 37) % 19 * 4 + 18,
  case when x % 10 = 0 then 'x' when x % 3 = 0 then 'm' else 'f' end, (x * 7919) % 40 * 2500.5
  from generate_series(1, 60) x"""
RWN = ("--method", "rwn", "--k", "5", "--weights", "0.1")


@pytest.fixture
def here(out, monkeypatch):
    """The current folder, where run files of tables go."""
    monkeypatch.chdir(out)
    monkeypatch.setenv("TMPDIR", str(out.parent / "tmp"))
    (out.parent / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", None)
    return out


@pytest.fixture
def people(clinic):
    clinic.run(PEOPLE, FILL)
    return clinic


@pytest.fixture
def types(clinic):
    """200 rows of every type, and one without values where there may be none."""
    columns = ", ".join('"{}" {}'.format(n.replace('"', '""'), t) for n, (t, _) in TYPES.items())
    values = ", ".join(sql for _, sql in TYPES.values())
    needed = [name for name, (sql, _) in TYPES.items() if "not null" in sql]
    clinic.run(
        "create type mood as enum ('sad', 'ok', 'glad')",
        "create domain age as integer check (value > 0)",
        f"create table types (id serial primary key, {columns})",
        f"insert into types select x, {values} from generate_series(1, 200) x",
        f"insert into types (id, {', '.join(needed)}) values (0, 1, 0.5, 'ok', 'x')",
    )
    return clinic


def names_in(folder):
    return sorted(path.name for path in folder.iterdir())


def columns_of(clinic, table, *leave):
    return [row[:3] for row in clinic.describe(table) if row[0] not in leave]


def test_every_type_comes_back_as_it_was(swapmeet, types, here):
    kept = ",".join(name for name in TYPES if name != "small")
    run = swapmeet("mask", types.url, "--table", "types", "--out", types.url, "--table", "public_",
                   *RWN, "--drop", "id", "--publish", "device", "--keep", kept)  # fmt: skip
    assert (run.code, run.err) == (0, "")
    assert columns_of(types, "types", "id") == columns_of(types, "public_")
    assert all(row[3:] == (False, "") for row in types.describe("public_"))
    same = ", ".join('"{}"'.format(name.replace('"', '""')) for name in TYPES if name != "small")
    differ = types.ask(f"select {same} from types except all select {same} from public_")
    assert differ == []
    assert types.ask("select count(*) from public_") == [(201,)]
    assert types.ask("select collname::text from pg_attribute join pg_collation c on c.oid = "
                     "attcollation where attrelid = 'public_'::regclass and attname like "
                     "'o%'") == [("C",)]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("memory", [(), ("--memory", "4GB")])
def test_values_of_every_type_move(swapmeet, types, here, memory):
    run = swapmeet("mask", f"{types.url}#types", f"{types.url}#public_", *RWN, "--keep",
                   ",".join(UNREAD), "--drop", "id", "--publish", "device", *memory)  # fmt: skip
    assert (run.code, run.err) == (0, "")
    assert columns_of(types, "types", "id") == columns_of(types, "public_")
    for name in TYPES:
        quoted = '"{}"'.format(name.replace('"', '""'))
        strange = f"select {quoted}::text from public_ except select {quoted}::text from types"
        assert types.ask(strange) == [], name
    order = "select bytes from {} where bytes is not null"
    assert types.ask(order.format("public_")) != types.ask(order.format("types"))
    assert names_in(here) == ["public_.run.toml"]
    assert names_in(here.parent / "tmp") == []


def test_all_rows_are_of_one_moment(swapmeet, people, here, monkeypatch):
    before = people.ask("select age, sex, income from people order by id")
    spool = reading._spool

    def change_meanwhile(*args):
        people.run("update people set age = 0, income = 99999.99", "insert into people (age, sex) "
                   "values (1, 'late')")  # fmt: skip
        spool(*args)

    monkeypatch.setattr(reading, "_spool", change_meanwhile)
    run = swapmeet("mask", f"{people.url}#people", "o.parquet", *RWN, "--drop", "id", "--keep",
                   "age,sex", "--keep-order")  # fmt: skip
    assert (run.code, run.err) == (0, "")
    table = pq.read_table("o.parquet")
    assert list(zip(*(table[name].to_pylist() for name in ("age", "sex")), strict=True)) == [
        row[:2] for row in before
    ]
    assert set(map(str, table["income"].to_pylist())) <= {row[2] for row in before}


@pytest.mark.slow
def test_views_partitions_and_generated_columns_are_read(swapmeet, people, here):
    people.run("alter table people add twice integer generated always as (age * 2) stored",
               "create materialized view kept as select age, sex, twice from people",
               "create table parts (age integer not null, sex text) partition by list (sex)",
               "create table women partition of parts for values in ('f')",
               "create table others partition of parts default",
               "insert into parts select age, sex from people")  # fmt: skip
    for name, columns in (
        ("kept", [("age", "integer", False), ("sex", "text", False), ("twice", "integer", False)]),
        ("parts", [("age", "integer", True), ("sex", "text", False)]),
    ):
        run = swapmeet("mask", f"{people.url}#{name}", f"{people.url}#{name}_out", *RWN)
        assert (run.code, run.err) == (0, "")
        assert columns_of(people, f"{name}_out") == columns
        assert people.ask(f"select count(*) from {name}_out") == [(60,)]
    empty = "delete from people", "alter table people drop twice cascade"
    people.run(*empty)
    none = swapmeet("mask", f"{people.url}#people", f"{people.url}#o", *RWN, "--drop", "id")
    assert (none.code, "has no rows" in none.err) == (3, True)


@pytest.mark.slow
def test_a_connection_that_breaks_is_told_as_such(swapmeet, people, here, monkeypatch):
    def break_off(*_):
        people.run("select pg_terminate_backend(pid) from pg_stat_activity where "
                   "application_name = 'swapmeet'")  # fmt: skip

    def call_later(real):
        def call(*args):
            break_off()
            return real(*args)

        return call

    asked = ("mask", f"{people.url}#people", f"{people.url}#release", *RWN, "--drop", "id",
             "--audit", "a")  # fmt: skip
    for module, name, code in ((reading, "_spool", 3), (writing, "fill", 1)):
        with monkeypatch.context() as patch:
            patch.setattr(module, name, call_later(getattr(module, name)))
            run = swapmeet(*asked)
        assert run.code == code
        assert "the connection broke" in run.err or "the server was shut down" in run.err
        assert people.list_tables() == ["people"]
        assert names_in(here) == names_in(here.parent / "tmp") == []


@pytest.mark.slow
def test_settings_in_the_address_reach_the_server(swapmeet, people, here):
    url = f"{people.url}?options=-c%20search_path%3Dpg_catalog"
    unseen = swapmeet("inspect", f"{url}#people")
    assert (unseen.code, "public.people" in unseen.err) == (3, True)
    assert swapmeet("inspect", f"{url}#public.people", "--json").json["rows"] == 60


@pytest.mark.slow
def test_values_that_the_database_cannot_hold_are_told_by_column(swapmeet, people, here):
    moments = pa.array([n * 1001 for n in range(60)], pa.timestamp("ns"))
    pq.write_table(pa.table({"age": [n % 17 for n in range(60)], "seen": moments}), "ns.parquet")
    run = swapmeet("mask", "ns.parquet", f"{people.url}#o", *RWN)
    assert run.code == 1
    assert "column 'seen' of type timestamp[ns] holds values that timestamp cannot hold" in run.err


@pytest.mark.slow
def test_columns_that_cannot_be_compared_are_refused_until_they_are_kept_or_dropped(
    swapmeet, types, here
):
    run = swapmeet("mask", f"{types.url}#types", f"{types.url}#public_", *RWN, "--drop",
                   "id,device")  # fmt: skip
    assert run.code == 3
    assert "nested or binary values" in run.err
    assert "Give it the role drop; mask also takes keep" in run.err
    assert types.list_tables() == ["types"]
    assert names_in(here) == []


@pytest.mark.slow
def test_a_release_in_a_database_is_assessed_with_its_record(swapmeet, people, here):
    places = f"{people.url}#people", f"{people.url}#public.release"
    made = swapmeet("mask", *places, *RWN, "--drop", "id", "--audit", "a")
    assert (made.code, made.err) == (0, "")
    assert names_in(here) == ["a", "public.release.run.toml"]
    assert is_private(Path("a"))
    asked = ("--audit", "a", "--measure", "dbrl", "--limit", "none", "--json")
    first = swapmeet("assess", *places, *asked)
    assert (first.code, first.err) == (0, "")
    people.run("update people set age = age where id < 30")  # rows move inside the table
    again = swapmeet("assess", *places, *asked)
    assert again.json["scores"] == first.json["scores"]
    pieces = swapmeet("assess", *places, *asked, "--memory", "4GB")
    assert pieces.code == 0
    values = [score["value"] for score in first.json["scores"]]
    assert [score["value"] for score in pieces.json["scores"]] == values
    people.run("update release set age = age + 1")
    assert swapmeet("assess", *places, *asked).code == 3


@pytest.mark.slow
def test_tables_go_to_files_and_files_to_tables(swapmeet, people, here):
    assert swapmeet("mask", f"{people.url}#people", "r.parquet", *RWN, "--drop", "id").code == 0
    schema = pq.read_schema("r.parquet")
    assert [str(field.type) for field in schema] == ["int32", "string", "decimal128(10, 2)"]
    assert [field.nullable for field in schema] == [True, False, True]
    run = swapmeet("mask", "r.parquet", f"{people.url}#back", "copy.csv", *RWN, "--audit", "a")
    assert (run.code, run.err) == (0, "")
    assert [row[:2] for row in people.describe("back")] == [
        ("age", "integer"), ("sex", "text"), ("income", "numeric(10,2)")
    ]  # fmt: skip
    ages = [int(line.split(",")[0]) for line in Path("copy.csv").read_text().splitlines()[1:]]
    assert ages == [age for (age,) in people.ask("select age from back")]
    assert len(AuditRecord.load("a").owner) == 60


@pytest.mark.slow
def test_recoded_columns_get_a_type_that_holds_them(swapmeet, people, here):
    people.run("create type kind as enum ('f', 'm', 'x')",
               "alter table people alter sex type kind using sex::kind")  # fmt: skip
    run = swapmeet("mask", f"{people.url}#people", f"{people.url}#release", *RWN, "--drop", "id",
                   "--recode", "sex: group f = woman", "--recode", "age: top 60")  # fmt: skip
    assert (run.code, run.err) == (0, "")
    assert columns_of(people, "release")[:2] == [("age", "integer", False), ("sex", "text", False)]
    assert people.ask("select distinct sex from release order by 1") == [
        ("m",), ("woman",), ("x",)
    ]  # fmt: skip
    assert people.ask("select max(age) from release") == [(60,)]


@pytest.mark.slow
def test_suppressed_cells_may_be_null_in_the_release(swapmeet, people, here):
    run = swapmeet("mask", f"{people.url}#people", f"{people.url}#release", *RWN, "--drop", "id",
                   "--keep", "sex", "--recode", "sex: suppress rare 10")  # fmt: skip
    assert (run.code, run.err) == (0, "")
    assert columns_of(people, "release")[1] == ("sex", "text", False)
    assert people.ask("select count(*) filter (where sex is null) from release") == [(6,)]


def test_a_table_is_never_replaced_unless_told(swapmeet, people, here):
    people.run("create table release (old text)", "grant select on release to public")
    asked = ("mask", f"{people.url}#people", f"{people.url}#release", *RWN, "--drop", "id")
    refused = swapmeet(*asked)
    assert refused.code == 2
    assert "exists already" in refused.err
    assert names_in(here) == []
    assert [row[0] for row in people.describe("release")] == ["old"]
    done = swapmeet(*asked, "--overwrite", "--json")
    assert done.code == 0
    assert any("privileges" in note for note in done.json["notes"])
    assert [row[0] for row in people.describe("release")] == ["age", "sex", "income"]


@pytest.mark.slow
def test_neither_the_input_nor_a_view_is_replaced(swapmeet, people, here):
    people.run("create view ages as select age, sex from people",
               "create table parts (age integer) partition by range (age)")  # fmt: skip
    source = f"{people.url}#people"
    itself = people.url.replace("127.0.0.1", "localhost") + "#public.people"
    for target, reason in (
        (itself, "is an input"),
        (f"{people.url}#ages", "is a view"),
        (f"{people.url}#parts", "is a partitioned table"),
    ):
        run = swapmeet("mask", source, target, *RWN, "--drop", "id", "--overwrite")
        assert run.code == 2
        assert reason in run.err
    assert people.ask("select count(*) from people") == [(60,)]
    assert names_in(here) == []


@pytest.mark.slow
def test_other_objects_that_need_the_former_table_stop_the_run(swapmeet, people, here):
    people.run("create table release as select age from people",
               "create view v as select * from release")  # fmt: skip
    run = swapmeet("mask", f"{people.url}#people", f"{people.url}#release", *RWN, "--drop", "id",
                   "--overwrite", "--audit", "a")  # fmt: skip
    assert run.code == 1
    assert "depend on the former table" in run.err
    assert names_in(here) == []
    assert [row[0] for row in people.describe("release")] == ["age"]


@pytest.mark.slow_beyond(1)
@pytest.mark.parametrize("name", ['x"; drop table people; --', "a b", "schéma.Ta'ble", "select"])
def test_odd_names_of_tables_are_names_only(swapmeet, people, here, name):
    whole = '"{}"'.format(name.replace('"', '""'))
    people.run(f"alter table people rename to {whole}")
    run = swapmeet("mask", people.url, people.url, "--table", whole, "--table", whole[:-1] + '2"',
                   *RWN, "--drop", "id")  # fmt: skip
    assert (run.code, run.err) == (0, "")
    assert people.list_tables() == sorted([name, f"{name}2"])
    (file,) = names_in(here)
    assert file.endswith(".run.toml")


@pytest.mark.slow
def test_if_the_commit_fails_all_is_as_it_was(swapmeet, people, here, monkeypatch):
    def fail(staged):
        raise RuntimeError

    Path("a").write_text("old record")
    Path("release.run.toml").write_text("")
    people.run("create table release (old text)")
    monkeypatch.setattr(Staged, "commit", fail)
    run = swapmeet("mask", f"{people.url}#people", f"{people.url}#release", *RWN, "--drop", "id",
                   "--audit", "a", "--overwrite")  # fmt: skip
    assert run.code == 1
    assert Path("a").read_text() == "old record"
    assert Path("release.run.toml").read_text() == ""
    assert [row[0] for row in people.describe("release")] == ["old"]
    assert names_in(here.parent / "tmp") == []


@pytest.mark.slow
def test_the_record_is_kept_if_nobody_knows_whether_the_release_is_out(
    swapmeet, people, here, monkeypatch
):
    def break_off(staged):
        staged.end()
        raise CommitUnknownError("the connection broke.")

    monkeypatch.setattr(Staged, "commit", break_off)
    asked = ("mask", f"{people.url}#people", f"{people.url}#release", *RWN, "--drop", "id")
    assert swapmeet(*asked, "--audit", "a").code == 1
    assert people.list_tables() == ["people", "release"]
    assert AuditRecord.load("a").columns == ("age", "sex", "income")


@pytest.mark.slow
def test_files_that_cannot_be_written_leave_no_table(swapmeet, people, here, monkeypatch):
    from swapmeet.base import atomic

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(atomic, "rename_together", fail)
    run = swapmeet("mask", f"{people.url}#people", f"{people.url}#release", *RWN, "--drop", "id",
                   "--audit", "a")  # fmt: skip
    assert run.code == 1
    assert "disk is full" in run.err
    assert people.list_tables() == ["people"]
    assert names_in(here) == []


def test_the_password_is_nowhere(swapmeet, people, here):
    url = people.url
    told = url.replace("@", f":{PASSWORD}@"), f"{url}?password={PASSWORD}"
    for place in told:
        run = swapmeet("mask", f"{place}#people", "o.csv", *RWN, "--debug")
        assert run.code == 2
        assert "PGPASSWORD" in run.err
        assert PASSWORD not in run.said
    asked = ("mask", f"{url}#people", f"{url}#release", *RWN, "--drop", "id", "--audit", "a")
    run = swapmeet(*asked, "--json")
    assert run.code == 0
    files = [path.read_bytes() for path in here.iterdir()]
    assert not any(PASSWORD.encode() in content for content in [*files, run.said.encode()])


@pytest.mark.slow
def test_a_wrong_password_a_wrong_table_and_a_wrong_server_are_told_apart(
    swapmeet, people, here, monkeypatch
):
    wrong = swapmeet("inspect", f"{people.url}#peple")
    assert wrong.code == 3
    assert "did you mean 'people'?" in wrong.err
    absent = swapmeet("inspect", f"{people.url}absent#people")
    assert (absent.code, "no such database" in absent.err) == (3, True)
    nobody = swapmeet("inspect", f"{people.url.rpartition(':')[0]}:1/clinic#people")
    assert (nobody.code, "no server listens" in nobody.err) == (3, True)
    monkeypatch.setenv("PGPASSWORD", "wrong-word-4712")
    refused = swapmeet("inspect", f"{people.url}#people", "--debug")
    assert (refused.code, "refuses this user" in refused.err) == (3, True)
    assert "wrong-word" not in refused.said
    monkeypatch.delenv("PGPASSWORD")
    assert "asks for a password" in swapmeet("inspect", f"{people.url}#people").err


@pytest.mark.slow
def test_a_password_file_will_do(swapmeet, people, here, monkeypatch):
    monkeypatch.delenv("PGPASSWORD")
    Path("pass").write_text(f"*:*:*:*:{PASSWORD}\n")
    Path("pass").chmod(0o600)
    monkeypatch.setenv("PGPASSFILE", str(here / "pass"))
    run = swapmeet("inspect", people.url, "--table", "people", "--json")
    assert (run.code, run.json["rows"]) == (0, 60)


@pytest.mark.slow
def test_infinite_values_are_refused_with_their_count(swapmeet, people, here):
    people.run("create view v as select *, case when id < 3 then 'NaN' else income end as odd, "
               "case when id = 5 then date 'infinity' else current_date end as day "
               "from people")  # fmt: skip
    run = swapmeet("inspect", f"{people.url}#v")
    assert run.code == 3
    assert "'odd', 'day': 3 values are infinite or not a number" in run.err


@pytest.mark.slow
def test_errors_of_the_server_never_quote_a_value(swapmeet, people, here):
    people.run("create domain word as text check (value <> 'f')",
               "create table secret (age integer, sex word)")  # fmt: skip
    people.run("create function spoil() returns event_trigger language plpgsql as $$ begin "
               "raise exception 'value f-4711 of Ann'; end $$",
               "create event trigger spoil on ddl_command_end when tag in ('CREATE TABLE') "
               "execute function spoil()")  # fmt: skip
    run = swapmeet("mask", f"{people.url}#people", f"{people.url}#release", *RWN, "--drop", "id",
                   "--debug")  # fmt: skip
    assert run.code == 1
    assert "4711" not in run.said
    assert "the database failed" in run.err
    assert names_in(here) == []


@pytest.mark.slow
def test_two_databases_need_two_tables(swapmeet, people, here):
    url = people.url
    for names, message in (
        (("people",), "first that of"),
        (("a", "b", "c"), "3 times"),
        ((), "which table?"),
    ):
        options = [part for name in names for part in ("--table", name)]
        run = swapmeet("mask", url, "--out", url, *options, *RWN)
        assert run.code == 2
        assert message in run.err
    run = swapmeet("mask", f"{url}#people", "o.csv", "--table", "x", *RWN)
    assert (run.code, "Leave it out" in run.err) == (2, True)
    run = swapmeet("mask", f"{url}#people", "o.csv", "--delimiter", ";", *RWN)
    assert run.code == 2
    run = swapmeet("mask", f"{url}#people", f"{url}#o", "--engine", "spark", *RWN)
    assert (run.code, "Name a file" in run.err) == (2, True)


@pytest.mark.slow
def test_a_killed_run_changes_nothing(start_program, people, here):
    people.run("create table release as select age from people")
    with people.connect() as holder, holder.cursor() as cursor:
        cursor.execute("lock table release in access share mode")
        process = start_program("mask", f"{people.url}#people", f"{people.url}#release", *RWN,
                                "--drop", "id", "--overwrite", "--audit", "a",
                                env={**os.environ, "TMPDIR": str(here.parent / "tmp")})  # fmt: skip
        waiting = "select count(*) from pg_locks where not granted"
        for _ in range(400):
            if people.ask(waiting) != [(0,)]:
                break
            assert process.poll() is None, process.stderr.read()
            time.sleep(0.1)
        assert people.ask(waiting) == [(1,)]
        process.send_signal(signal.SIGKILL)
        process.wait()
    for _ in range(100):
        if people.ask("select count(*) from pg_stat_activity where query like 'drop%'") == [(0,)]:
            break
        time.sleep(0.1)
    assert people.list_tables() == ["people", "release"]
    assert [row[0] for row in people.describe("release")] == ["age"]
    for folder in (here, here.parent / "tmp"):
        assert all(map(is_private, folder.iterdir()))
        recover(folder / "anything")  # the next run would do so
        assert names_in(folder) == []


@pytest.mark.slow
def test_compare_report_and_tune_take_tables(swapmeet, people, here):
    source, one, two = (f"{people.url}#{name}" for name in ("people", "one", "two"))
    for target in (one, two):
        assert swapmeet("mask", source, target, *RWN, "--drop", "id", "--seed", "1").code == 0
    few = ("--measure", "pscr", "--limit", "none")
    compared = swapmeet("compare", one, two, "--original", source, *few)
    assert (compared.code, compared.err) == (0, "")
    page = swapmeet("report", "r.html", "--file", source, "--release", one, *few)
    assert (page.code, page.err) == (0, "")
    assert PASSWORD not in Path("r.html").read_text()
    found = swapmeet("tune", people.url, "--table", "people", "--drop", "id", "--methods",
                     "rwn:k=3|5", "--repeats", "1", "--final-repeats", "1", "--limit", "dbrl=1",
                     "--risk", "dbrl", "--loss", "margins")  # fmt: skip
    assert (found.code, found.err) == (0, "")
    assert Path("people.study.jsonl").exists()
