"""What is missing is told before Spark is started."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys

import pytest

from swapmeet.engines.spark import session as module
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
