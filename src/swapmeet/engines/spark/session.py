"""A Spark session for a master, kept from the other users of the machine, or a refusal.

On one machine, Spark puts rows and donors aside in folders that everybody may read, listens on
every interface, and its Python processes run whatever lies in the current folder under the name of
a module.
"""

from __future__ import annotations

import os
import re
import shutil
import socket
import sys
import tempfile
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any

from swapmeet.base.atomic import scratch_folder
from swapmeet.base.extras import require_library
from swapmeet.engines.spark.failures import silence_logs
from swapmeet.errors import EngineError, FileError, UsageError

FOLDERS = "SPARK_LOCAL_DIRS"
SAFE_PATH = "PYTHONSAFEPATH"
LOOPBACK = "127.0.0.1"
PRIVATE = {
    "spark.driver.bindAddress": LOOPBACK,
    "spark.driver.host": LOOPBACK,
    "spark.io.encryption.enabled": "true",
}
"""Rows that are put aside are encrypted with a key that ends with the run."""


@contextmanager
def run_privately() -> Iterator[dict[str, str]]:
    """The settings of a run whose folders only the user may enter; they go when it ends."""
    with ExitStack() as stack:
        places = [Path(folder) / "spark" for folder in _find_folders()]
        folders = ",".join(str(stack.enter_context(scratch_folder(place))) for place in places)
        named = {FOLDERS: folders} if FOLDERS in os.environ else {}
        with _environment({**named, SAFE_PATH: "1"}):
            yield {**PRIVATE, "spark.local.dir": folders}


def _find_folders() -> list[str]:
    """Find the folders for Spark's temporary rows, by its variable or its file of defaults."""
    text = os.environ.get(FOLDERS) or _read_defaults().get("spark.local.dir")
    named = [folder.strip() for folder in (text or "").split(",") if folder.strip()]
    return named or [tempfile.gettempdir()]


def _read_defaults() -> dict[str, str]:
    folder = os.environ.get("SPARK_CONF_DIR")
    home = os.environ.get("SPARK_HOME")
    place = Path(folder) if folder else Path(home or ".") / "conf"
    path = place / "spark-defaults.conf"
    if not (folder or home) or not path.is_file():
        return {}
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    settings = (line.replace("=", " ", 1).split(None, 1) for line in lines if line.strip())
    return {pair[0]: pair[1].strip() for pair in settings if len(pair) == 2}


@contextmanager
def _environment(variables: Mapping[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


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
        spark = _started(master, {**SETTINGS, **private}, loud=loud)
        if not loud and not remote:
            spark.sparkContext.setLogLevel("OFF")
        try:
            yield spark
        finally:
            with suppress(Exception):
                _forget(spark, private)
                spark.stop()
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
    java = shutil.which("java", path=os.path.join(home, "bin")) if home else shutil.which("java")  # noqa: PTH118
    if java is None:
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
