"""What is missing is told before Spark is started."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from modes import is_private

from swapmeet.engines.spark import session as module
from swapmeet.engines.spark.session import FOLDERS, SAFE_PATH, run_privately
from swapmeet.errors import EngineError, UsageError


def refused(error, master="local[2]"):
    with pytest.raises(error) as caught, module.session(master):
        pass
    return str(caught.value)


def test_without_pyspark_it_is_told_how_to_install_it(hide):
    hide("pyspark")
    assert refused(EngineError).endswith('pip install "swapmeet[spark]"')


def test_without_java_it_is_told_how_to_install_it(monkeypatch, tmp_path):
    monkeypatch.setattr(module, "require_library", lambda *_: None)
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "Install Java 17" in refused(EngineError)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert "JAVA_HOME" in refused(EngineError)


@pytest.mark.parametrize("master", ["", "locl", "local[x]", "spark://", "http://host:7077"])
def test_what_is_no_address_is_refused(master, monkeypatch):
    monkeypatch.setattr(module, "require_library", lambda *_: None)
    assert "is not the address of a Spark master" in refused(UsageError, master)


@pytest.mark.parametrize("scheme", ["spark", "sc"])
def test_a_master_that_does_not_answer_is_told_how_to_start(scheme, monkeypatch):
    monkeypatch.setattr(module, "require_library", lambda *_: None)
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
        told = refused(EngineError, f"{scheme}://127.0.0.1:{port}")
    assert "nobody answers there. Start a master" in told


def test_nothing_is_heard_of_what_is_started_quietly(capfd):
    with module._quiet(wanted=True):
        os.write(2, b"chatter")
    os.write(2, b"heard")
    assert capfd.readouterr().err == "heard"


SEVERAL = """
import json
from pyspark.sql import SparkSession
from swapmeet.engines.spark.session import session

def work_in_own_session():
    builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    spark = builder.getOrCreate()
    folder = spark.sparkContext._temp_dir
    spark.stop()
    return folder

own, ours, private = [work_in_own_session()], [], []
for _ in range(2):
    with session("local[1]") as spark:
        ours.append(spark.sparkContext._temp_dir)
        private.append(spark.conf.get("spark.local.dir"))
own.append(work_in_own_session())
print(json.dumps([own, ours, private]))
"""


@pytest.mark.slow
def test_sessions_of_one_process_do_not_share_their_folders(needs_spark):
    done = subprocess.run(
        [sys.executable, "-c", SEVERAL], stdout=subprocess.PIPE, check=True, timeout=300
    )
    own, ours, private = json.loads(done.stdout.splitlines()[-1])
    assert not [folder for folder in own if ".swapmeet" in folder]
    assert len(set(private)) == 2
    assert all(map(str.startswith, ours, private))


@pytest.fixture
def plain(monkeypatch):
    """An environment in which nobody has set up Spark."""
    for name in (FOLDERS, SAFE_PATH, "SPARK_CONF_DIR", "SPARK_HOME"):
        monkeypatch.delenv(name, raising=False)
    return monkeypatch


def test_folders_are_private_and_go_with_the_run(plain):
    with run_privately() as settings:
        folder = Path(settings["spark.local.dir"])
        assert is_private(folder)
        assert folder.parent.parent == Path(tempfile.gettempdir()).resolve()
        assert os.environ[SAFE_PATH] == "1"
        (folder / "rows").write_text("aside")
    assert not folder.exists()
    assert FOLDERS not in os.environ
    assert SAFE_PATH not in os.environ


def test_the_disks_that_the_user_names_are_used(plain, tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    named = f"{tmp_path / 'one'}, {tmp_path / 'two'}"
    plain.setenv(FOLDERS, named)
    with run_privately() as settings:
        parents = [
            Path(folder).parents[1].name for folder in settings["spark.local.dir"].split(",")
        ]
        assert parents == ["one", "two"]
        assert os.environ[FOLDERS] == settings["spark.local.dir"]
    assert os.environ[FOLDERS] == named


@pytest.mark.parametrize("gap", [" ", "=", "\t", " = "])
@pytest.mark.parametrize("variable", ["SPARK_CONF_DIR", "SPARK_HOME"])
def test_the_disk_that_the_defaults_of_spark_name_is_used(plain, tmp_path, gap, variable):
    folder = tmp_path if variable == "SPARK_CONF_DIR" else tmp_path / "conf"
    folder.mkdir(exist_ok=True)
    text = f"# settings\n\nalone\nspark.local.dir{gap}{tmp_path}\n"
    (folder / "spark-defaults.conf").write_text(text)
    plain.setenv(variable, str(tmp_path))
    with run_privately() as settings:
        assert Path(settings["spark.local.dir"]).parents[1] == tmp_path


LOOK = """
import json, pathlib, stat, pyarrow as pa
from swapmeet.engines.spark.session import session

def listening(pid):
    own = {p.readlink().name for p in pathlib.Path(f"/proc/{pid}/fd").iterdir() if p.is_symlink()}
    own = {link.split("[")[1][:-1] for link in own if link.startswith("socket:")}
    rows = [line.split() for kind in ("tcp", "tcp6")
            for line in pathlib.Path(f"/proc/{pid}/net/{kind}").read_text().splitlines()[1:]]
    return [row[1].split(":")[0] for row in rows if row[3] == "0A" and row[9] in own]

with session("local[1]") as spark:
    frame = spark.createDataFrame(pa.table({"a": ["CANARY-CELL"] * 500}))
    frame = frame.mapInArrow(lambda batches: batches, frame.schema).repartition(2)
    from pyspark import StorageLevel
    frame.persist(StorageLevel.DISK_ONLY).count()
    folder = pathlib.Path(spark.conf.get("spark.local.dir"))
    files = [path for path in folder.rglob("*") if path.is_file()]
    told = {
        "mode": stat.S_IMODE(folder.stat().st_mode),
        "files": len(files),
        "readable": sum(b"CANARY" in path.read_bytes() for path in files),
        "addresses": sorted(set(listening(spark.sparkContext._jvm.ProcessHandle.current().pid()))),
    }
print(json.dumps({**told, "left": folder.exists()}))
"""
LOOPBACK = {"0100007F", "0000000000000000FFFF00000100007F", "00000000000000000000000001000000"}


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_a_local_run_is_nobody_elses_business(needs_spark, tmp_path):
    (tmp_path / "look.py").write_text(LOOK)
    hostile = tmp_path / "current"
    hostile.mkdir()
    for name in ("bisect", "heapq", "random"):
        (hostile / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    done = subprocess.run(
        [sys.executable, "-P", tmp_path / "look.py"],
        cwd=hostile, stdout=subprocess.PIPE, check=True, timeout=300,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )  # fmt: skip
    told = json.loads(done.stdout.splitlines()[-1])
    assert told["mode"] == 0o700
    assert told["files"] > 0
    assert told["readable"] == 0
    assert set(told["addresses"]) <= LOOPBACK
    assert told["addresses"]
    assert not told["left"]
    assert not (tmp_path / "ran").exists()
