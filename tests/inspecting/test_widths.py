from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.errors import SchemaError


def test_proposed_widths_leave_nobody_alone(masked):
    frame = pd.DataFrame(np.random.default_rng(1).normal(size=(500, 2)), columns=["a", "b"])
    found = sm.propose_widths(frame, ["a", "b"], upper=0.8)
    assert found.proposals
    for proposal in found.proposals:
        release = masked(frame, sm.MEWS(columns=["a", "b"], width=proposal.width), seed=1)
        figures = f"partition degree {proposal.degree}, minimal depth {proposal.minimal_depth}:"
        assert release.notes[0].startswith(figures)
        assert "0 of 500 rows are alone" in release.notes[1]


def test_privacy_is_lemma_2_over_the_proposals():
    frame = pd.DataFrame({"a": [20.0, 21.0, 24.0, 25.0, 28.0, 29.0]})
    found = sm.propose_widths(frame, ["a"], upper=1.0)
    depths = [proposal.minimal_depth for proposal in found.proposals]
    assert found.privacy == pytest.approx(np.mean([1 / (depth - 1) for depth in depths]))


def test_no_width_may_be_left():
    frame = pd.DataFrame({"a": [0.0, 1.0, 2.0, 1000.0]})
    assert sm.propose_widths(frame, ["a"], upper=0.5).proposals == ()
    assert sm.propose_widths(frame, ["a"], upper=0.5).privacy is None


def test_nominal_columns_are_refused():
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0], "t": ["x", "y", "x"]})
    with pytest.raises(SchemaError, match="mews cannot mask 't'"):
        sm.propose_widths(frame, ["a", "t"])


def test_a_schema_of_another_type_is_refused():
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0]})
    with pytest.raises(
        sm.SwapmeetError, match="propose_widths: `schema` must be a Schema; got a dict"
    ):
        sm.propose_widths(frame, ["a"], schema={"a": "key"})
