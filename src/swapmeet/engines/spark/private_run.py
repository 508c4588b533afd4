"""Settings that keep a run of Spark on one machine from its other users.

Spark puts rows and donors aside in folders that everybody may read, listens on every interface,
and its Python processes run whatever lies in the current folder under the name of a module.
"""

from __future__ import annotations

import os
import tempfile
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from swapmeet.base.atomic import scratch_folder

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

FOLDERS = "SPARK_LOCAL_DIRS"
SAFE_PATH = "PYTHONSAFEPATH"
LOOPBACK = "127.0.0.1"
SETTINGS = {
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
        told = ",".join(str(stack.enter_context(scratch_folder(place))) for place in places)
        named = {FOLDERS: told} if FOLDERS in os.environ else {}
        with _environment({**named, SAFE_PATH: "1"}):
            yield {**SETTINGS, "spark.local.dir": told}


def _find_folders() -> list[str]:
    """Find the folders for Spark's temporary rows, by its variable or its file of defaults."""
    told = os.environ.get(FOLDERS) or _read_defaults().get("spark.local.dir")
    named = [folder.strip() for folder in (told or "").split(",") if folder.strip()]
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
