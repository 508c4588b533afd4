"""What a bare installation must do: read a CSV file, inspect, mask and assess it.

Run it with the Python of the installation to be tried, from any folder. It needs nothing that
Swapmeet does not need, and ends with an error where anything goes wrong or is left out. With
--quick it takes few measures, whose loops are soon compiled.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path


def run_command(folder: Path, *args: str, expect: tuple[int, ...] = (0,)) -> str:
    """What a command of Swapmeet prints."""
    command = [sys.executable, "-P", "-m", "swapmeet", *args]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode not in expect:
        raise SystemExit(
            f"swapmeet {' '.join(args)}: {done.returncode}\n{done.stdout}{done.stderr}"
        )
    return done.stdout


def write_people(path: Path) -> None:
    """A table of 300 people."""
    lines = ["age,sex,region,income"]
    for i in range(300):
        region, income = "nsew"[i * 7 % 4], 1000 + (i * 9173) % 4001
        lines.append(f"{18 + i * 31 % 70},{'fm'[i % 2]},{region},{income}.5")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def try_everything(folder: Path, wanted: tuple[str, ...]) -> None:
    """Inspect, mask and assess; 4 is the code of a release that is not safe."""
    write_people(folder / "people.csv")
    run_command(folder, "--help")
    run_command(folder, "inspect", "people.csv")
    run_command(folder, "mask", "people.csv", "release.csv", "--method", "matched-swap",
                "--k", "10", "--sensitive", "income", "--audit", "run.audit")  # fmt: skip
    before, after = ((folder / name).read_text("utf-8") for name in ("people.csv", "release.csv"))
    if before == after or len(before.splitlines()) != len(after.splitlines()):
        raise SystemExit("mask: the release is not a masked table of the same size")
    card = json.loads(run_command(folder, "assess", "people.csv", "release.csv", "--audit",
                                  "run.audit", "--json", *wanted, expect=(0, 4)))  # fmt: skip
    measured = [score["measure"] for score in card["scores"] if score["value"] is not None]
    for name in ("copies", "prediction"):
        if name not in measured:
            raise SystemExit(f"assess: {name} has no value")
    sys.stdout.write(f"inspect, mask and assess work here; {len(measured)} measures have a value\n")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        quick = ("--measure", "copies", "--measure", "prediction")
        try_everything(Path(name), quick if "--quick" in sys.argv else ())
