"""A Spark session for a master, kept from the other users of the machine, or a refusal."""

from __future__ import annotations

import os
import re
import shutil
import socket
import sys
import warnings
from contextlib import contextmanager, nullcontext, suppress
from typing import TYPE_CHECKING, Any

from swapmeet.base.extras import require_library
from swapmeet.engines.spark.failures import silence_logs
from swapmeet.engines.spark.private_run import SAFE_PATH, run_privately
from swapmeet.errors import EngineError, FileError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from contextlib import AbstractContextManager
    from pathlib import Path

LOCAL = "local[*]"
_MASTERS = r"local(\[(\*|\d+)(,\d+)?\])?|spark://[^,/]+:\d+(,[^,/]+:\d+)*|yarn|k8s://.+|sc://.+"
SECONDS = 5.0
"""So long a master may take to answer."""
SETTINGS = {
    "spark.app.name": "swapmeet",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.session.timeZone": "UTC",
    f"spark.executorEnv.{SAFE_PATH}": "1",
}


@contextmanager
def session(master: str, *, loud: bool = False) -> Iterator[Any]:
    """A session that ends with the block; what Spark chats goes nowhere unless it is `loud`."""
    require_installed()
    _require_master(master)
    remote = master.startswith("sc://")
    if not remote:
        require_java()
    local = master.startswith("local")
    if local:
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    privately: AbstractContextManager[Mapping[str, str]]
    privately = run_privately() if local else nullcontext({})
    with privately as private:
        found = _started(master, {**SETTINGS, **private}, loud=loud)
        if not loud and not remote:
            found.sparkContext.setLogLevel("OFF")
        try:
            yield found
        finally:
            with suppress(Exception):
                _forget(found, private)
                found.stop()
                _forget_folders()


def read_parquet(spark: Any, path: Path) -> Any:
    """A Parquet file, or all that are in a folder."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        with silence_logs():
            return spark.read.parquet(path.absolute().as_uri())
    except (PySparkException, Py4JError):
        raise FileError(
            f"{path}: Spark cannot read it as Parquet: it is none, or has a type that Spark lacks "
            "(such as moments in nanoseconds)."
        ) from None


def require_installed() -> None:
    """Refuse a Python without pyspark."""
    require_library("pyspark", "Spark frames", EngineError)


def require_java() -> None:
    """Refuse a machine without Java."""
    home = os.environ.get("JAVA_HOME")
    found = shutil.which("java", path=os.path.join(home, "bin")) if home else shutil.which("java")  # noqa: PTH118
    if found is None:
        raise EngineError(
            "Spark needs Java, and none was found. Install Java 17 or later, and set JAVA_HOME to "
            "its folder."
        )


def _require_master(master: str) -> None:
    if not re.fullmatch(_MASTERS, master):
        raise UsageError(
            f"--master {master}: is not the address of a Spark master. Give local[*], local[2], "
            "spark://HOST:PORT, yarn, k8s://ADDRESS or sc://HOST:PORT (Spark Connect)."
        )
    if master.startswith(("spark://", "sc://")):
        addresses = master.split("://")[1].split("/")[0].split(",")
        if not any(map(_answers, addresses)):
            raise EngineError(
                f"--master {master}: nobody answers there. Start a master "
                "(spark-class org.apache.spark.deploy.master.Master --host HOST) and workers "
                "(spark-class org.apache.spark.deploy.worker.Worker MASTER), or use this machine: "
                "--master local[*]."
            )


def _answers(address: str) -> bool:
    host, _, port = address.rpartition(":")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), SECONDS):
            return True
    except (OSError, ValueError):
        return False


def _started(master: str, settings: Mapping[str, str], *, loud: bool) -> Any:
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    builder: Any = SparkSession.builder
    builder = builder.remote(master) if master.startswith("sc://") else builder.master(master)
    for name, value in settings.items():
        builder = builder.config(name, value)
    try:
        _forget_folders()
        with _quiet(wanted=not loud):
            return builder.getOrCreate()
    except (PySparkException, Py4JError, ImportError, OSError) as error:
        raise EngineError(
            f"--master {master}: Spark did not start ({type(error).__name__}). Java 17 or later is "
            "needed (JAVA_HOME), and workers of the same version of Spark. --debug shows its words."
        ) from None


def _forget(session: Any, settings: Iterable[str]) -> None:
    """Keep the next session of this process from starting with the settings of this one."""
    for name in settings:
        session.sparkContext._jvm.System.clearProperty(name)  # noqa: SLF001


def _forget_folders() -> None:
    """Keep a session from the folders of another: Spark gives all of a process those of the first.

    Rows of ours would lie where others can read them, and theirs where ours are swept away.
    """
    from pyspark import SparkContext

    jvm = SparkContext._jvm  # noqa: SLF001
    if jvm is not None and SparkContext._active_spark_context is None:  # noqa: SLF001
        getattr(getattr(jvm.org.apache.spark.util, "Utils$"), "MODULE$").clearLocalRootDirs()


@contextmanager
def _quiet(*, wanted: bool) -> Iterator[None]:
    """Programs that are started meanwhile have nowhere to write messages to, as long as they run.

    Only what this program itself says is heard.
    """
    if not wanted:
        yield
        return
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)
