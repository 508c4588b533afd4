"""What does Spark cost on one machine, against the local engine, and what do two workers gain?

From a Parquet file to a release: `local[2]` against `mask_file`, wall clock without the start of
Spark, and the memory of all processes together. Then a standalone cluster on this machine, whose
job may use one worker or both. Fewer rows, of which most of the time is Spark's own: `python
spark.py 1000000`.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from measure import Figure
from streaming import BLOCK, COLUMNS, written

if TYPE_CHECKING:
    from collections.abc import Iterator

SIZES, REPEATS = (10_000_000,), 3
ROWS_OF_WORKERS, BLOCK_OF_WORKERS = 300_000, 25_000
LIGHT = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""Java compiles and collects without threads of its own, for the cores are few."""
LOCAL = """
import time, warnings
import swapmeet as sm
from swapmeet.running.masking import mask_file
warnings.simplefilter("ignore")
method = sm.SJPPDS(bins=100)
for source in ({small!r}, {source!r}):
    begin = time.perf_counter()
    mask_file(source, {target!r} + ".parquet", method, block_rows={block}, overwrite=True)
    print(time.perf_counter() - begin, flush=True)
"""
SPARK = """
import time, warnings
import swapmeet as sm
from pyspark.sql import SparkSession
warnings.simplefilter("ignore")
settings = {settings!r}
builder = SparkSession.builder.master({master!r})
for name, value in settings.items():
    builder = builder.config(name, value)
spark = builder.getOrCreate()
spark.sparkContext.setLogLevel("OFF")
engine = sm.Spark(block_rows={block})
for source in ({small!r}, *[{source!r}] * {turns}):
    begin = time.perf_counter()
    release = sm.mask(spark.read.parquet(source), {method}, engine=engine)
    release.write({target!r}, overwrite=True)
    print(time.perf_counter() - begin, flush=True)
spark.stop()
"""
SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.memory": "1g",
    "spark.executor.memory": "1g",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.session.timeZone": "UTC",
}


def main() -> None:
    sizes = [int(text) for text in sys.argv[1:]] or SIZES
    with tempfile.TemporaryDirectory() as folder:
        small = written(Path(folder) / "small.parquet", 2_000)
        for rows in sizes:
            compare(Path(folder), small, rows)
        workers(Path(folder), small)


def compare(folder: Path, small: str, rows: int) -> None:
    source = written(folder / f"{rows}.parquet", rows)
    places = {"small": small, "source": source, "target": str(folder / "release"), "block": BLOCK}
    spark = SPARK.format(**places, master="local[2]", method="sm.SJPPDS(bins=100)",
                         settings=SETTINGS, turns=1)  # fmt: skip
    runs = [(measured(LOCAL.format(**places)), measured(spark)) for _ in range(REPEATS)]
    local, ours = ([time for time, _ in turn] for turn in zip(*runs, strict=True))
    peak = max(peak for _, (_, peak) in runs)
    what = f"SJPPDS {rows:,} x {COLUMNS}, file to files, Spark local[2]"
    Figure(f"{what}, wall clock", median(ours), median(local), 6.0).show()
    Figure(f"{what}, peak of all (against 4 GB)", peak, 4e9 / 2**30, 1.0, "GiB").show()


def workers(folder: Path, small: str) -> None:
    """One core of the cluster, then two, in turns; the second run of each process counts."""
    source = written(folder / "work.parquet", ROWS_OF_WORKERS)
    times: dict[int, list[float]] = {1: [], 2: []}
    with cluster(folder) as master:
        for _ in range(REPEATS):
            for cores, found in times.items():
                settings = {**SETTINGS, "spark.cores.max": str(cores), "spark.executor.cores": "1",
                            "spark.driver.extraJavaOptions": LIGHT,
                            "spark.executor.extraJavaOptions": LIGHT}  # fmt: skip
                code = SPARK.format(
                    small=small, source=source, target=str(folder / "release"), master=master,
                    block=BLOCK_OF_WORKERS, method="sm.RWN(k=10)", settings=settings,
                    turns=2,
                )  # fmt: skip
                found.append(measured(code)[0])
    spread = {cores: f"{min(found):.1f} to {max(found):.1f} s" for cores, found in times.items()}
    print(f"one worker {spread[1]}, two {spread[2]}")
    what = f"RWN k = 10 {ROWS_OF_WORKERS:,} x {COLUMNS}, two workers (time of one / 1.6)"
    Figure(what, median(times[2]), median(times[1]) / 1.6, 1.0).show()


@contextmanager
def cluster(folder: Path) -> Iterator[str]:
    """A standalone master and two workers of one core, on loopback."""
    package, here = "org.apache.spark.deploy", ("--host", "127.0.0.1", "--webui-port", "0")
    started = [daemon(folder / "master.log", f"{package}.master.Master", *here, "--port", "0")]
    try:
        address = waited_for(folder / "master.log", r"spark://[\d.]+:\d+")
        for name in ("one", "two"):
            started.append(daemon(folder / f"{name}.log", f"{package}.worker.Worker", *here,
                                  "--cores", "1", "--memory", "1g", address))  # fmt: skip
            waited_for(folder / f"{name}.log", "Successfully registered")
        yield address
    finally:
        for process in started:
            process.kill()
            process.wait()


def daemon(log: Path, *words: str) -> subprocess.Popen[bytes]:
    import pyspark

    home = Path(pyspark.__file__).parent
    environment = {
        **os.environ,
        "SPARK_HOME": str(home),
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_WORKER_DIR": str(log.with_suffix("")),
        "SPARK_DAEMON_MEMORY": "256m",
    }
    with log.open("w") as file:
        command = [str(home / "bin" / "spark-class"), *words]
        return subprocess.Popen(command, stdout=file, stderr=subprocess.STDOUT, env=environment)


def waited_for(log: Path, pattern: str) -> str:
    for _ in range(600):
        found = re.search(pattern, log.read_text())
        if found:
            return found.group()
        time.sleep(0.1)
    raise SystemExit(f"{pattern} did not come: {log.read_text()[-1000:]}")


def measured(code: str) -> tuple[float, float]:
    """The seconds of the second run in a process, and the peak of it and its children, in GiB."""
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable}
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True,
                               stderr=subprocess.DEVNULL, env=environment)  # fmt: skip
    peaks = [0.0]
    watch = threading.Thread(target=watched, args=(process, peaks))
    watch.start()
    out, _ = process.communicate()
    watch.join()
    return float(out.split()[-1]), max(peaks)


def watched(process: subprocess.Popen[str], peaks: list[float]) -> None:
    while process.poll() is None:
        peaks.append(sum(map(memory_of, family_of(process.pid))) / 2**20)
        time.sleep(0.2)


def family_of(number: int) -> list[int]:
    """A process and all that descend from it."""
    parents = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(status.parent.name)] = int(status.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
    family = [number]
    for one in family:
        family += [child for child, parent in parents.items() if parent == one]
    return family


def memory_of(number: int) -> int:
    """KiB of a process; what is shared counts in parts."""
    try:
        rollup = Path(f"/proc/{number}/smaps_rollup").read_text()
    except OSError:
        return 0
    found = re.search(r"^Pss:\s+(\d+)", rollup, re.MULTILINE)
    return int(found[1]) if found else 0


if __name__ == "__main__":
    main()
