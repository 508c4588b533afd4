from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys

import pytest


@pytest.fixture
def worker():
    process = subprocess.Popen(
        [sys.executable, "-m", "swapmeet.tuning.worker"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    yield process
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        pipe.close()


@pytest.mark.slow
def test_it_answers_settings_with_trials_and_ends_when_the_pipe_does(
    worker, prepare, numbers, bins
):
    runner, _ = prepare(numbers)
    pickle.dump(runner, worker.stdin)
    for repeat in range(2):
        pickle.dump((bins(5), repeat), worker.stdin)
        worker.stdin.flush()
        trial = pickle.load(worker.stdout)
        assert trial.values == runner.trial(bins(5), repeat).values
    out, err = worker.communicate(timeout=30)
    assert (out, err, worker.returncode) == (b"", b"", 0)


@pytest.mark.slow
def test_it_ends_quietly_when_there_is_nothing_to_do(worker):
    assert worker.communicate(timeout=30) == (b"", b"")
    assert worker.returncode == 0


@pytest.mark.slow
def test_it_ends_quietly_when_nobody_listens(worker, prepare, numbers, bins):
    worker.stdout.close()
    worker.stdin.write(pickle.dumps(prepare(numbers)[0]) + pickle.dumps((bins(5), 0)))
    worker.stdin.close()
    assert worker.wait(30) == 0
    assert worker.stderr.read() == b""


SEARCH = """
import subprocess, sys
subprocess.run([sys.executable, "-c", sys.argv[1]], stdin=subprocess.PIPE)
"""
BUSY = """
import os, time
from swapmeet.tuning import worker
worker.pickle.load = lambda _: os.write(2, b"busy\\n") and time.sleep(60)
worker.main()
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="there are no orphans on Windows")
def test_it_ends_in_the_middle_of_a_trial_when_the_search_was_killed():
    """As long as it lives, it holds what the search would say."""
    search = subprocess.Popen([sys.executable, "-c", SEARCH, BUSY], stderr=subprocess.PIPE)
    assert search.stderr.readline() == b"busy\n"
    search.send_signal(signal.SIGKILL)
    search.communicate(timeout=20)
