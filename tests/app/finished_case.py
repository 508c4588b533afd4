"""A case that a curator has taken all the way: made once, then looked at by many tests.

Every name, town and income is unmistakable, so that a value is known wherever it turns up.
"""

from __future__ import annotations

import json
import os
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from local_site import Site, read_key

from swapmeet.base.disk import try_lock

SEED = "918273645546372819"
WORD = "ZZQX"
NUMBER = "73165"
MARKERS = (WORD, NUMBER, "73,165")
REASON = "For teaching -- and 'nothing' else; <b>the limits</b> are those of the house."
ROWS = 60
PATIENCE = 300.0


@dataclass(frozen=True)
class Finished:
    """The app with the case: candidate 1 has a chosen seed, and candidate 2 was decided on."""

    site: Site
    key: str

    @property
    def home(self):
        return f"/case/{self.key}"

    @property
    def case(self):
        return self.site.case(self.key)

    @property
    def folder(self):
        return self.site.space.case_folder(self.key)

    def get(self, step):
        return self.site.get(f"{self.home}/{step}")

    def run(self, name):
        return self.site.find_run(self.key, name)


def make_people():
    rng = np.random.default_rng(11)
    return pd.DataFrame(
        {
            "name": [f"{WORD}name{at:03d}" for at in range(ROWS)],
            "age": rng.integers(18, 90, ROWS),
            "town": rng.choice([f"{WORD}north", f"{WORD}south", f"{WORD}west"], ROWS),
            "income": [int(f"{n}{NUMBER}") for n in rng.integers(5, 150, ROWS)],
            "happy": np.where(rng.random(ROWS) < 0.1, -9, rng.integers(1, 6, ROWS)),
        }
    )


def make_finished(folder):
    """Go the whole way as a browser would; the key of the case."""
    before = os.umask(0o077)
    site = Site(folder)
    try:
        return _go(site)
    finally:
        site.close()
        os.umask(before)


def _go(site):
    content = make_people().to_csv(index=False).encode()
    key = read_key(site.upload("people 2.csv", content).place)
    site.wait(PATIENCE)
    home = f"/case/{key}"
    site.get(f"{home}/roles")
    send_roles(site, key)
    site.post(f"{home}/mask", method="rank-swap", seed=SEED)
    site.post(f"{home}/mask", method="microaggregation", formats=".parquet")
    site.wait(PATIENCE)
    models = {"models": "income ~ age", "tables": "town,happy", "rare": "age > 80"}
    site.post(f"{home}/candidate/2/analyse", **models)
    revision = site.case(key).revision
    site.post(f"{home}/decide", candidate="2", reason=REASON, revision=revision)
    site.wait(PATIENCE)
    return key


def send_roles(site, key, **changes):
    """Send the form of the roles as the page shows it, but for some roles."""
    case = site.case(key)
    columns = site.desk.first_look(case)["columns"]
    form = {"revision": case.revision, "intruder": case.intruder}
    form |= {name: "\n".join(getattr(case, name)) for name in ("missing", "together", "derive")}
    for at, one in enumerate(columns):
        role = changes.get(one["name"]) or case.role_of(one["name"], one["role"])
        role = "sensitive" if one["name"] == "income" and not changes else role
        form |= {f"role-{at}": role, f"kind-{at}": one["kind"]}
        form |= {f"known-{at}": "yes"} if role in {"key", "place"} else {}
    answer = site.post(f"/case/{key}/roles", **form)
    site.wait(PATIENCE)
    return answer


def share_finished(root):
    """The folder and the key of the finished case, which one process makes for all."""
    done, lock = Path(root) / "finished.json", None
    while not done.exists():
        lock = try_lock(Path(root) / "finished.lock")
        if lock is not None:
            break
        time.sleep(0.5)
    if lock is not None:
        try:
            if not done.exists():
                folder = Path(root) / "finished"
                key = make_finished(folder)
                done.write_text(json.dumps({"folder": str(folder), "key": key}))
        finally:
            lock.release()
    return json.loads(done.read_text())
