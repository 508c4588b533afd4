from __future__ import annotations

import cpu_limit
import pytest
from cpu_limit import CpuLimit

BURN = """
import time
import pytest

def burn():
    end = time.process_time() + 0.1
    while time.process_time() < end:
        pass

"""


class Outcomes:
    """How each test ended, with the words of its failure."""

    def __init__(self):
        self.words = {}

    def pytest_runtest_logreport(self, report):
        if report.when == "call":
            self.words[report.head_line] = str(report.longrepr or "")


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run tests in a folder of their own; 0.05 CPU seconds are too many on a quiet machine."""
    monkeypatch.setattr(cpu_limit, "measure_load", lambda: 0.5)

    def run(source, *more):
        (tmp_path / f"{tmp_path.name}.py").write_text(BURN + source)
        (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = slow\npython_files = *.py\n")
        off = ("cacheprovider", "xdist", "unraisableexception", "threadexception")
        options = [word for name in off for word in ("-p", f"no:{name}")]
        options.append("--import-mode=importlib")
        outcomes = Outcomes()
        plugins = [CpuLimit(0.05), outcomes]
        settings = ["-c", str(tmp_path / "pytest.ini"), "--rootdir", str(tmp_path)]
        pytest.main([*options, *settings, *more, str(tmp_path)], plugins)
        [words] = outcomes.words.values()
        return words

    return run


def test_a_test_that_takes_too_long_fails_with_what_to_do(run):
    words = run("def test_it(): burn()")
    assert words.startswith("test_it: a test that is not marked slow may use 0.05 CPU second")
    assert "Mark it slow (only CI runs it), make its table smaller, or share a fixture." in words


@pytest.mark.parametrize(
    "source",
    [
        "def test_it(): time.sleep(0.1)",
        "@pytest.mark.slow\ndef test_it(): burn()",
        "@pytest.fixture(scope='module')\ndef shared(): burn()\ndef test_it(shared): pass",
        "ran = []\ndef test_it():\n    if not ran:\n        burn()\n    ran.append(1)",
        "from numba import njit\ndef test_it(): assert njit(lambda a: a + 1)(1) == 2",
    ],
    ids=["waiting", "slow", "a shared fixture", "the first time only", "compiling"],
)
def test_these_do_not_count(run, source):
    assert run(source) == ""


def test_its_own_fixture_counts(run):
    assert run("@pytest.fixture\ndef own(): burn()\ndef test_it(own): pass")


def test_on_a_busy_machine_it_may_use_more(run, monkeypatch):
    monkeypatch.setattr(cpu_limit, "measure_load", lambda: 4.0)
    assert run("def test_it(): burn()") == ""


EXAMPLE = """
ran = []

def work():
    '''
    >>> work()
    '''
    if not ran:
        burn()
    ran.append(1)
"""


def test_an_example_in_a_docstring_can_run_again(run):
    assert run(EXAMPLE, "--doctest-modules") == ""
