"""A disk without room is refused before any work."""

from __future__ import annotations

from collections import namedtuple
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest

from swapmeet.engines.spark.mask import require_room
from swapmeet.errors import OutputError

HEAD = pa.table({"x": np.zeros(100)})
Usage = namedtuple("Usage", "total used free")


def frame_of(master, folder):
    settings = {"spark.master": master, "spark.local.dir": str(folder)}
    conf = SimpleNamespace(get=lambda name, default: settings.get(name, default))
    return SimpleNamespace(sparkSession=SimpleNamespace(conf=conf))


@pytest.fixture(autouse=True)
def small_disk(monkeypatch):
    """80,000,000 bytes are free: room for 10^6 rows of 40 bytes, twice."""
    monkeypatch.delenv("SPARK_LOCAL_DIRS", raising=False)
    free = Usage(10**9, 0, 80_000_000)
    monkeypatch.setattr("swapmeet.engines.spark.mask.shutil.disk_usage", lambda folder: free)


def test_a_disk_without_room_is_refused(tmp_path):
    with pytest.raises(OutputError, match=r"0\.1 GB of free disk in .* spark\.local\.dir"):
        require_room(frame_of("local[2]", tmp_path), HEAD, 1_000_001)


def test_a_disk_with_room_will_do(tmp_path):
    require_room(frame_of("local[2]", tmp_path), HEAD, 1_000_000)


def test_nothing_is_known_of_the_disks_of_a_cluster(tmp_path):
    require_room(frame_of("spark://host:7077", tmp_path), HEAD, 10**12)
