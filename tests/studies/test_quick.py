"""Every study runs from the command line, in its quick form, and accounts for what differs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

STUDIES = Path(__file__).parents[2] / "studies"


@pytest.mark.slow
@pytest.mark.parametrize("study", sorted(path.stem for path in STUDIES.glob("*.py")))
def test_a_quick_study_writes_its_page_and_says_why_numbers_differ(study, shared, tmp_path):
    command = [sys.executable, str(STUDIES / f"{study}.py"), "--quick", "--out", str(tmp_path)]
    environment = {**os.environ, "SWAPMEET_SHARED": str(shared)}
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=900, check=False
    )
    assert done.returncode == 0, done.stderr
    page = (tmp_path / f"{study}.html").read_text()
    assert "<svg" in page
    found = json.loads((tmp_path / f"{study}.json").read_text())
    claims = [
        claim
        for section in found["sections"].values()
        for group in section["claims"]
        for claim in group["claims"]
    ]
    assert claims or study == "beyond"
    unexplained = [c["what"] for c in claims if c["verdict"] == "differs" and not c["note"]]
    assert unexplained == []
