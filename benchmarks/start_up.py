"""How long until something happens: help, first and second demo."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from measure import Figure, compare, seconds

SWAPMEET = Path(sys.executable).with_name("swapmeet")


def main() -> None:
    compare(
        "swapmeet --help / python -c 'import pandas'",
        lambda: run(str(SWAPMEET), "--help"),
        lambda: run(sys.executable, "-c", "import pandas"),
        bound=1.0,
        repeats=7,
    )
    with tempfile.TemporaryDirectory() as folder:
        fresh = {**os.environ, "NUMBA_CACHE_DIR": folder}
        first = seconds(lambda: run(str(SWAPMEET), "demo", folder=folder, env=fresh))
        Figure("first swapmeet demo, nothing compiled / 30 s", first, 30.0, 1.0).show()
        later = [
            seconds(lambda: run(str(SWAPMEET), "demo", folder=folder, env=fresh)) for _ in range(3)
        ]
        Figure("second swapmeet demo / 5 s", median(later), 5.0, 1.0).show()


def run(*command: str, folder: str | None = None, env: dict[str, str] | None = None) -> None:
    subprocess.run(command, check=True, capture_output=True, cwd=folder, env=env)


if __name__ == "__main__":
    main()
