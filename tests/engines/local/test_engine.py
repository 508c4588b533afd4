from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.errors import ParameterError, UsageError
from swapmeet.methods import Method
from swapmeet.release.donors import DonorMap
from swapmeet.release.outcome import Outcome

FRAME = pd.DataFrame({"a": np.random.default_rng(0).random(9000), "b": np.arange(9000.0)})


@dataclass(frozen=True, kw_only=True)
class Wrong(Method):
    name: ClassVar[str] = "wrong"
    summary: ClassVar[str] = "returns something that is no donor matrix"
    result: ClassVar[Any] = None

    def outcome(self, data, streams, workers):
        return Outcome(DonorMap(self.result))


@pytest.mark.parametrize("method", [sm.RWN(k=3), sm.RWN(k=3, eps=0.01), sm.NBRS(eps=0.1)])
def test_donors_do_not_depend_on_threads(method, masked):
    one, two, default = (
        masked(FRAME, method, seed=1, engine=engine)
        for engine in (sm.Local(threads=1), sm.Local(threads=2), None)
    )
    assert np.array_equal(one.audit.donors, two.audit.donors)
    assert np.array_equal(one.audit.donors, default.audit.donors)
    assert np.array_equal(one.audit.owner, two.audit.owner)


def test_number_of_cores_does_not_matter(masked, monkeypatch):
    before = masked(FRAME, sm.RWN(k=3), seed=1).audit.donors
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0, 1, 2, 3, 4})
    assert np.array_equal(masked(FRAME, sm.RWN(k=3), seed=1).audit.donors, before)


def test_progress_is_told_until_all_is_done(masked):
    told = []
    engine = sm.Local(threads=2, progress=lambda *facts: told.append(facts))
    masked(FRAME, sm.RWN(k=3), seed=1, engine=engine)
    label, done, total = told[-1]
    assert label == "neighbourhoods"
    assert done == total > 0


@pytest.mark.parametrize("threads", [0, -1, 1.5, "2", True])
def test_threads_are_a_whole_number(threads):
    with pytest.raises(ParameterError) as caught:
        sm.Local(threads=threads)
    assert str(caught.value) == "Local: `threads` must be a whole number, 1 or more."


@pytest.mark.parametrize("block_rows", [0, 1, -5, 2.0, "100", True])
def test_rows_of_a_block_are_a_whole_number(block_rows):
    with pytest.raises(ParameterError) as caught:
        sm.Local(block_rows=block_rows)
    assert str(caught.value) == "Local: `block_rows` must be a whole number, 2 or more."


@pytest.mark.parametrize(
    "result",
    [
        np.zeros((9000, 1), np.int64),
        np.zeros((9000, 3), np.int64),
        np.zeros((10, 2), np.int64),
        np.full((9000, 2), 9000),
        np.full((9000, 2), -2),
        np.zeros((9000, 2)),
        np.zeros(9000, np.int64),
    ],
)
def test_what_is_no_donor_matrix_is_refused(result, monkeypatch):
    monkeypatch.setattr(Wrong, "result", result)
    with pytest.raises(UsageError):
        sm.mask(FRAME, Wrong(), seed=1)
