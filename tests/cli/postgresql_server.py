"""A PostgreSQL server for tests: on loopback, of a temporary folder, by an unprivileged user."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

PASSWORD = "pass-word-4711-of-the-tests"
OWNER = "curator"


def find_programs():
    """The folder with the server's programs, or None."""
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda f: float(f.parent.name))
    known = shutil.which("initdb")
    others = [Path(known).resolve().parent] if known else []
    return next((f for f in (*reversed(folders), *others) if (f / "initdb").exists()), None)


@dataclass
class Server:
    """A server that runs until `stop`."""

    programs: Path
    folder: Path
    port: int

    @classmethod
    def start(cls):
        with closing(socket.socket()) as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        folder = Path(tempfile.mkdtemp(prefix="swapmeet-tests-postgresql-"))
        server = cls(find_programs(), folder, port)
        (folder / "password").write_text(PASSWORD)
        if os.geteuid() == 0:
            for path in (folder, folder / "password"):
                shutil.chown(path, server.user)
        server.call("initdb", "-D", folder / "data", "-U", OWNER, "-N", "-E", "UTF8",
                    "--locale=C", "-A", "scram-sha-256",
                    f"--pwfile={folder / 'password'}")  # fmt: skip
        settings = f"-c listen_addresses=127.0.0.1 -p {port} -c unix_socket_directories='' -F"
        server.call("pg_ctl", "-D", folder / "data", "-w", "-l", folder / "log", "-o", settings,
                    "start")  # fmt: skip
        return server

    @property
    def user(self):
        """Whoever may run the server: it refuses to be run by root."""
        import pwd

        names = {entry.pw_name for entry in pwd.getpwall()}
        return "postgres" if "postgres" in names else "nobody"

    def call(self, program, *args):
        drop = {"user": self.user, "extra_groups": []} if os.geteuid() == 0 else {}
        subprocess.run([self.programs / program, *args], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, cwd="/", env={"LC_ALL": "C"}, **drop)  # fmt: skip

    def stop(self):
        self.call("pg_ctl", "-D", self.folder / "data", "-m", "immediate", "stop")
        shutil.rmtree(self.folder, ignore_errors=True)

    def empty_database(self):
        """The database that every server has, without what tests made there."""
        clinic = Clinic(self, "postgres")
        clinic.run("drop event trigger if exists spoil", "drop schema public cascade",
                   "create schema public")  # fmt: skip
        return clinic


@dataclass
class Clinic:
    """A database of the server."""

    server: Server
    name: str

    @property
    def url(self):
        return f"postgresql://{OWNER}@127.0.0.1:{self.server.port}/{self.name}"

    def connect(self, **options):
        from adbc_driver_postgresql import dbapi

        return dbapi.connect(self.url.replace("@", f":{PASSWORD}@"), **options)

    def run(self, *statements):
        with self.connect(autocommit=True) as connection, connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)

    def ask(self, question):
        with self.connect() as connection, connection.cursor() as cursor:
            cursor.execute(question)
            return cursor.fetchall()

    def list_tables(self):
        found = self.ask(
            "select relname::text from pg_class c join pg_namespace n on n.oid = relnamespace "
            "where relkind in ('r', 'v') and nspname not in ('pg_catalog', 'information_schema') "
            "order by 1"
        )
        return [name for (name,) in found]

    def describe(self, table):
        """Name, type and whether it must have a value, of each column."""
        return self.ask(
            "select attname::text, format_type(atttypid, atttypmod), attnotnull, atthasdef, "
            f"attidentity::text from pg_attribute where attrelid = '{table}'::regclass and "
            "attnum > 0 and not attisdropped order by attnum"
        )
