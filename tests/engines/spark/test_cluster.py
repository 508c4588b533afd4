"""A cluster of two workers on this machine, which encrypt, and of which one dies at work."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ENCRYPTED = {
    "spark.authenticate": "true",
    "spark.authenticate.secret": "known-to-this-test",
    "spark.network.crypto.enabled": "true",
    "spark.io.encryption.enabled": "true",
    "spark.executorEnv.PYTHONSAFEPATH": "1",
}

PROGRAM = """
import pickle, sys
import pyarrow as pa, pyarrow.ipc
import swapmeet as sm
from pyspark.sql import SparkSession

master, folder = sys.argv[1:]
builder = SparkSession.builder.master(master)
for name, value in {settings!r}.items():
    builder = builder.config(name, value)
spark = builder.getOrCreate()
table = pa.ipc.open_file(folder + "/people.arrow").read_all()
schema = pickle.load(open(folder + "/schema.pickle", "rb"))
frame = spark.createDataFrame(table).repartition(6)
engine = sm.Spark(block_rows=30, row_id="row")
release = sm.mask(frame, sm.RWN(k=5), schema=schema, seed=3, engine=engine)
print("masking", flush=True)
found = release.data.toArrow().sort_by("row").cast(
    table.select(release.data.columns).schema)
with pa.ipc.new_file(folder + "/release.arrow", found.schema) as file:
    file.write_table(found)
spark.stop()
"""


def started(stack, log, *words):
    """A process of Spark, killed at the end."""
    import pyspark

    home = Path(pyspark.__file__).parent
    environment = {**os.environ, "SPARK_HOME": str(home), "PYSPARK_PYTHON": sys.executable,
                   "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_WORKER_DIR": str(log.parent / log.stem),
                   "SPARK_DAEMON_MEMORY": "256m", "SPARK_DAEMON_JAVA_OPTS": " ".join(
                       f"-D{name}={value}" for name, value in ENCRYPTED.items())}  # fmt: skip
    process = subprocess.Popen(
        words if words[0] == sys.executable else [str(home / "bin" / "spark-class"), *words],
        stdout=stack.enter_context(log.open("w")), stderr=subprocess.STDOUT, env=environment,
    )  # fmt: skip
    stack.callback(process.wait)
    stack.callback(process.kill)
    return process


def waited_for(log, pattern, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = re.search(pattern, log.read_text())
        if found:
            return found
        time.sleep(0.1)
    raise AssertionError(f"{pattern} did not come: {log.read_text()[-2000:]}")


def test_a_worker_that_dies_changes_nothing(needs_spark, people, masked, tmp_path):
    import pickle

    import pyarrow as pa

    import swapmeet as sm

    settings = {"spark.ui.enabled": "false", "spark.executor.memory": "512m",
                "spark.executor.cores": "1", "spark.cores.max": "2",
                "spark.sql.session.timeZone": "UTC", "spark.sql.shuffle.partitions": "8",
                "spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1",
                "spark.sql.adaptive.enabled": "false", **ENCRYPTED}  # fmt: skip
    with pa.ipc.new_file(tmp_path / "people.arrow", people.data.schema) as file:
        file.write_table(people.data)
    (tmp_path / "schema.pickle").write_bytes(pickle.dumps(people.schema))
    (tmp_path / "program.py").write_text(PROGRAM.replace("{settings!r}", repr(settings)))
    names = ("master", "one", "two", "program")
    logs = {name: tmp_path / f"{name}.log" for name in names}
    package, host = "org.apache.spark.deploy", ("--host", "127.0.0.1", "--webui-port", "0")
    with ExitStack() as stack:
        started(stack, logs["master"], f"{package}.master.Master", *host, "--port", "0")
        address = waited_for(logs["master"], r"spark://[\d.]+:\d+").group()
        workers = [
            started(stack, logs[name], f"{package}.worker.Worker", *host, "--cores", "1",
                    "--memory", "600m", address)
            for name in ("one", "two")
        ]  # fmt: skip
        for name in ("one", "two"):
            waited_for(logs[name], "Successfully registered")
        program = started(stack, logs["program"], sys.executable, str(tmp_path / "program.py"),
                          address, str(tmp_path))  # fmt: skip
        waited_for(logs["program"], "^masking|\nmasking", 400)
        time.sleep(1.0)
        workers[0].kill()
        assert program.wait(400) == 0, logs["program"].read_text()[-3000:]
        assert "Lost executor" in logs["program"].read_text()
    found = pa.ipc.open_file(tmp_path / "release.arrow").read_all()
    local = sm.Local(block_rows=30)
    expected = masked(people.data, sm.RWN(k=5), schema=people.schema, seed=3, engine=local)
    assert repr(found.to_pydict()) == repr(expected.data.to_pydict())
