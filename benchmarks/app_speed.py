"""How fast the app answers, alone and while it works, and whether its memory comes back.

    python benchmarks/app_speed.py [--rows 100000] [--large 1000000]

A real server is started and asked as a browser asks it. The figures: seconds until the first page
is there; the median and the slowest answer of all pages of a case while a candidate of `--rows`
rows is made; the same while a Parquet file of `--large` rows and 20 columns is opened; the memory
of the server and of all its processes before a candidate, at its peak, and after it is discarded.
"""

from __future__ import annotations

import argparse
import http.client
import re
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode, urlsplit

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

if TYPE_CHECKING:
    from collections.abc import Iterator

STEPS = ("data", "roles", "protect", "compare", "decide", "release", "jobs")
MB = 1 << 20


class Browser:
    """A browser that was let in; it keeps the cookie and the key of forms."""

    def __init__(self, link: str) -> None:
        parts = urlsplit(link)
        self.host = f"{parts.hostname}:{parts.port}"
        self.cookie = ""
        _, headers, _ = self.ask(f"{parts.path}?{parts.query}")
        self.cookie = headers["set-cookie"].partition(";")[0]
        self.key = re.search(r'name="csrf" value="(\w+)"', self.ask("/")[2])[1]

    def ask(self, where: str, **form: str) -> tuple[int, dict[str, str], str]:
        """One request; a form makes it one that acts."""
        connection = http.client.HTTPConnection(self.host, timeout=120)
        headers = {"Cookie": self.cookie}
        body = None
        if form:
            headers |= {"Origin": f"http://{self.host}",
                        "Content-Type": "application/x-www-form-urlencoded"}  # fmt: skip
            body = urlencode({"csrf": self.key, **form})
        connection.request("POST" if form else "GET", where, body, headers)
        answer = connection.getresponse()
        page = answer.read().decode()
        connection.close()
        return answer.status, {n.lower(): v for n, v in answer.getheaders()}, page

    def open(self, path: Path) -> str:
        """Open a file; the address of its case."""
        status, headers, page = self.ask("/open", path=str(path))
        assert status == 303, page
        return headers["location"].removesuffix("/data")

    def time_pages(self, case: str) -> list[float]:
        """Seconds that each page of a case takes."""
        times = []
        for step in STEPS:
            begin = time.perf_counter()
            status, _, page = self.ask(f"{case}/{step}")
            times.append(time.perf_counter() - begin)
            assert status == 200, page
        return times

    def is_busy(self, case: str) -> bool:
        """Whether something is under way."""
        return 'class="job"' in self.ask(f"{case}/jobs")[2]

    def watch(self, case: str, server: int) -> tuple[list[float], int]:
        """Ask for pages as long as something is under way; their times, and the peak of memory."""
        times, peak = [], 0
        while self.is_busy(case):
            times += self.time_pages(case)
            peak = max(peak, measure_memory(server))
            time.sleep(0.2)
        return times, peak


@contextmanager
def serve(folder: Path) -> Iterator[tuple[int, str, float]]:
    """The process of a server, its link, and when it was started."""
    begin = time.perf_counter()
    command = [sys.executable, "-m", "swapmeet", "app", "--no-browser", "--port", "0"]
    command += ["--folder", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            link = server.stdout.readline().split()[-1]
            yield server.pid, link, begin
        finally:
            server.terminate()


def measure_memory(root: int) -> int:
    """Bytes that a process and all its descendants have to themselves."""
    total, rest = 0, [root]
    while rest:
        process = rest.pop()
        try:
            rolled = Path(f"/proc/{process}/smaps_rollup").read_text()
            rest += map(int, Path(f"/proc/{process}/task/{process}/children").read_text().split())
        except OSError:
            continue
        total += 1024 * int(re.search(r"^Pss:\s+(\d+)", rolled, re.MULTILINE)[1])
    return total


def make_table(path: Path, rows: int, columns: int = 20) -> Path:
    stream = np.random.default_rng(3)
    base = stream.normal(size=rows)
    table = {f"n{at}": base + stream.normal(size=rows) for at in range(columns // 2)}
    table |= {f"c{at}": stream.integers(0, 9, rows) for at in range(columns - columns // 2)}
    pq.write_table(pa.table(table), path)
    return path


def say(what: str, times: list[float]) -> None:
    print(f"{what}: median {1000 * statistics.median(times):.0f} ms, "
          f"slowest {1000 * max(times):.0f} ms, {len(times)} answers")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--large", type=int, default=1_000_000)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        small = make_table(folder / "small.parquet", asked.rows)
        large = make_table(folder / "large.parquet", asked.large)
        with serve(folder / "state") as (server, link, begin):
            browser = Browser(link)
            print(f"first page after {time.perf_counter() - begin:.2f} s")
            case = browser.open(small)
            say(f"while {asked.rows:,} rows are looked at", browser.watch(case, server)[0])
            browser.time_pages(case)
            before = measure_memory(server)
            browser.ask(f"{case}/mask", method="matched-swap", **{"setting-k": "20"})
            begin = time.perf_counter()
            times, peak = browser.watch(case, server)
            say(f"while a candidate is made ({time.perf_counter() - begin:.0f} s)", times)
            browser.ask(f"{case}/candidate/1")
            browser.ask(f"{case}/candidate/1/discard", sure="yes")
            after = measure_memory(server)
            print(f"memory: {before / MB:.0f} MB before, {peak / MB:.0f} MB at its peak, "
                  f"{after / MB:.0f} MB after it was discarded")  # fmt: skip
            begin = time.perf_counter()
            case = browser.open(large)
            opened = time.perf_counter() - begin
            times, _ = browser.watch(case, server)
            seconds, shown = time.perf_counter() - begin, 1000 * opened
            say(f"while {asked.large:,} rows are looked at ({seconds:.0f} s; the page itself came "
                f"after {shown:.0f} ms)", times)  # fmt: skip
            browser.ask(f"{case}/close", sure="yes")
        assert not [*(folder / "state" / "scratch").iterdir()]


if __name__ == "__main__":
    main()
