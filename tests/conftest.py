from __future__ import annotations

import atexit
import gc
import os
import shutil
import sys
import tempfile
import warnings
from collections import Counter
from contextlib import nullcontext
from functools import cache
from pathlib import Path

import pandas as pd
import pytest
import typer.main
from byte_code import share_byte_code
from cpu_limit import CpuLimit
from fixed_entropy import FixedEntropy
from hypothesis import settings

import swapmeet as sm
from swapmeet.cli import entry_point
from swapmeet.tables.schema import Schema
from swapmeet.tuning.goal import Goal
from swapmeet.tuning.study import Study
from swapmeet.tuning.study_setup import DataMark, StudySetup
from swapmeet.tuning.trial import Setting, Trial
from swapmeet.tuning.trial_table import TrialTable

FIXED = settings(deadline=None, derandomize=True, database=None)
settings.register_profile("everyday", FIXED, max_examples=20)
settings.register_profile("thorough", FIXED, max_examples=300)
settings.register_profile("random", deadline=None, max_examples=1_000, print_blob=True)
settings.load_profile("everyday")

SCRATCH = Path(tempfile.mkdtemp())
atexit.register(shutil.rmtree, SCRATCH, ignore_errors=True)
os.environ["SWAPMEET_STATE"] = str(SCRATCH)
"""Tests leave the user's own key alone."""
if sys.dont_write_bytecode:  # workers, and what tests start, then share byte code that lies aside
    share_byte_code(SCRATCH / "byte-code")
os.environ.setdefault("SPARK_SUBMIT_OPTS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
"""Java does not prepare for hours of work: it then takes half the time."""
os.fsync = os.fstat
"""Tests do not wait for the disk; programs that they start do."""
gc.set_threshold(10_000, 20, 20)
"""Garbage is looked for less often: tests and compilers make much that lives for long."""
typer.main.get_command = cache(typer.main.get_command)
"""Commands and their options are made once, not for each command that a test types."""

entry_point.compile_ahead = nullcontext
"""What tests type compiles in their own process only."""

WORKER = int(os.environ.get("PYTEST_XDIST_WORKER", "gw-1").removeprefix("gw"))
"""Number of this worker of xdist; -1 where there are none."""
SERVERS = {"chromium", "finished", "needs_spark", "postgresql_server", "spark"}
"""Fixtures that take programs of seconds: tests that ask for one are slow."""
SLOW_DOCTESTS = {
    "swapmeet.running.protecting.protection.protect",
    "swapmeet.testing.methods.check_method",
}
MEASURES = ("dbrl", "pil", "dcr")
SPREAD = (0.0, -0.02, 0.02)


@pytest.fixture(scope="session")
def shared():
    """The folder of data sets and reference values, which is not part of the repository."""
    default = Path(__file__).parents[2] / "shared"
    folder = Path(os.environ.get("SWAPMEET_SHARED", default))
    if not all((folder / part).is_dir() for part in ("data", "reference")):
        pytest.skip(f"no data in {folder}; set SWAPMEET_SHARED to their folder")
    return folder


@pytest.fixture
def hide(monkeypatch):
    """Make as if a library were not installed."""

    def make_absent(*libraries):
        from importlib.util import find_spec

        monkeypatch.setattr(
            "swapmeet.base.extras.find_spec",
            lambda name: None if name in libraries else find_spec(name),
        )

    return make_absent


@pytest.fixture(scope="session")
def svcensus(shared):
    """20,090 programmers and engineers; occupation is a code."""
    return pd.read_csv(shared / "data" / "svcensus.csv", dtype={"occ": str})


@pytest.fixture(scope="session")
def masked():
    """mask(), with its warnings unheard."""

    def quietly(*args, **options):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", sm.SwapmeetWarning)
            return sm.mask(*args, **options)

    return quietly


@pytest.fixture(scope="session")
def study_of():
    """A study with these median risks (dbrl) and losses (pil) by method; None is a failure.

    Of the three repeats of a method, one is 0.02 below the median and one 0.02 above; dcr is 1.
    """

    def made(medians, limits=None, balance=0.5):
        trials = TrialTable()
        for method, place in medians.items():
            for repeat, shift in enumerate(SPREAD):
                failure = "" if place else "refused."
                values = dict(zip(MEASURES, (*place, 1.0), strict=True)) if place else {}
                shifted = {name: value + shift for name, value in values.items()}
                trials.add(Trial(Setting.of(method), repeat, 0.1, shifted, failure=failure))
        schema = Schema.infer(sm.datasets.load("diabetes"))
        setup = StudySetup(
            data=DataMark("", "0" * 64), rows=442, schema=schema, measures=MEASURES,
            settings={name: {} for name in MEASURES}, known=schema.names, at_most=None,
        )  # fmt: skip
        goal = Goal({"dbrl": 1.0}, {"pil": 1.0}, balance)
        return Study(setup, trials, limits or {}, goal)

    return made


@pytest.fixture(scope="session")
def small(study_of):
    """Two methods, a failure; sjppds is best, rwn with k = 10 its runner-up."""
    return study_of(
        {
            sm.RWN(k=5): (0.6, 0.1),
            sm.RWN(k=10): (0.3, 0.3),
            sm.RWN(k=200): (0.1, 0.7),
            sm.SJPPDS(bins=5): (0.2, 0.25),
            sm.SJPPDS(bins=20): (0.7, 0.4),
            sm.KLTheta(): None,
        },
        {"dbrl": 0.5},
    )


@pytest.fixture(scope="session")
def postgresql_server():
    """One server for all tests; its password is not in the environment."""
    pytest.importorskip("adbc_driver_postgresql", reason="the extra [db] is not installed")
    from postgresql_server import Server, find_programs

    if find_programs() is None:
        pytest.skip("no PostgreSQL server (initdb) on this machine")
    server = Server.start()
    yield server
    server.stop()


@pytest.fixture
def clinic(postgresql_server, monkeypatch):
    """An empty database of a real PostgreSQL, with the password in the environment."""
    from postgresql_server import PASSWORD

    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    return postgresql_server.empty_database()


def pytest_addoption(parser):
    parser.addoption("--reverse", action="store_true", help="run the files in reverse order")


def pytest_configure(config):
    """Other examples than usual (`--hypothesis-profile`) take other times, and other seeds."""
    if not config.getoption("--hypothesis-profile"):
        config.pluginmanager.register(CpuLimit(), "cpu-limit")
    if config.getoption("--hypothesis-profile") != "random":
        config.pluginmanager.register(FixedEntropy(), "fixed-entropy")
    if config.getoption("--reverse"):
        config.option.loadscopereorder = False


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    """Every other worker compiles test files from the last to the first, and finds the first."""
    report = yield
    if WORKER % 2 and isinstance(collector, pytest.Directory):
        report.result.reverse()
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Mark as slow what needs a server or other marks say, before `-m` looks at the marks."""
    if WORKER >= 0:  # workers collect in different orders
        items.sort(key=lambda item: (*item.path.parts, type(item).__name__))
    if config.getoption("--reverse"):
        places = {item.path: at for at, item in enumerate(items)}
        items.sort(key=lambda item: -places[item.path])
    seen = Counter()
    for item in items:
        if SERVERS & set(getattr(item, "fixturenames", ())) or item.name in SLOW_DOCTESTS:
            item.add_marker("slow")
        if (cases := item.get_closest_marker("slow_case")) and item.callspec.id in cases.args:
            item.add_marker("slow")
        if limit := item.get_closest_marker("slow_beyond"):
            test = item.nodeid.split("[")[0]
            seen[test] += 1
            if seen[test] > limit.args[0]:
                item.add_marker("slow")


def pytest_collection_finish():
    """What was collected stays; to look through it again and again takes a tenth of the time."""
    gc.freeze()


def pytest_unconfigure():
    """Libraries that are left with objects would complain."""
    gc.unfreeze()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Tests go by file, in an order of our own."""
    from schedule import FromBothEnds

    return FromBothEnds(config, log) if config.getvalue("dist") == "load" else None
