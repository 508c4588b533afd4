from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.errors import UsageError
from swapmeet.methods import Method
from swapmeet.release.donors import MADE
from swapmeet.release.outcome import Outcome

FRAME = pd.DataFrame({"x": [1.5, 2.5, np.nan, 4.5], "n": [1, 2, 3, 4]})
SCHEMA = sm.Schema((sm.Column("x", "numeric"), sm.Column("n", "numeric")))


@dataclass(frozen=True, kw_only=True)
class Fixed(Method):
    """Does what it is told."""

    name: ClassVar[str] = "fixed"
    summary: ClassVar[str] = "does what it is told"
    makes_values: ClassVar[bool] = True
    result: ClassVar[Outcome]

    def outcome(self, data, streams, workers):
        return self.result


def masked(donors, **facts):
    method = type("Given", (Fixed,), {"result": Outcome(sm.DonorMap(np.array(donors)), **facts)})()
    return sm.mask(FRAME, method, schema=SCHEMA, seed=1)


def test_values_made_stand_where_the_donor_is_minus_two():
    made = {"x": np.array([0.25, 9, 9, 0.75]), "n": np.array([9, 7.0, 9, 9])}
    release = masked([[MADE, 1], [0, MADE], [2, -1], [MADE, 0]], made=made)
    assert release.data["x"].tolist()[:2] + release.data["x"].tolist()[3:] == [0.25, 1.5, 0.75]
    assert release.data["x"].isna().tolist() == [False, False, True, False]
    assert release.data["n"].fillna(-1).tolist() == [2, 7, -1, 1]
    assert release.audit.map.made.sum() == 3
    x, n = release.changes
    assert (x.moved, x.changed, x.suppressed, x.made) == (0.25, 0.75, 0.0, 0.5)
    assert (n.moved, n.changed, n.suppressed, n.made) == (0.5, 1.0, 0.25, 0.25)


def test_rounding_of_whole_numbers_is_told_and_counts_in_what_changed():
    """0.9 becomes 1, which the row had."""
    made = {"n": np.array([0.9, 2.6, 3.0, 4.0])}
    with pytest.warns(sm.SwapmeetWarning, match="column n: the values made were rounded"):
        release = masked([[0, MADE], [1, MADE], [2, MADE], [3, MADE]], made=made)
    assert release.data["n"].tolist() == [1, 3, 3, 4]
    assert release.changes[1].changed == 0.25


def test_stuck_rows_and_notes_reach_release_and_audit_record(tmp_path):
    with pytest.warns(sm.SwapmeetWarning) as told:
        release = masked(
            [[0, 1], [1, 0], [2, 2], [3, 3]],
            stuck={"n": np.array([2, 3])},
            facts=("so it is",),
            notes=("look here",),
        )
    assert [str(warning.message) for warning in told] == list(release.notes[1:])
    assert release.notes[:2] == ("so it is", "look here")
    assert "among 4 rows: n 2." in release.notes[2]
    release.audit.save(tmp_path / "a")
    assert sm.AuditRecord.load(tmp_path / "a").stuck["n"].tolist() == [2, 3]


@pytest.mark.parametrize(
    ("donors", "message"),
    [
        ([[0], [1], [2], [3]], "one donor for each cell"),
        ([[MADE, 0], [1, 1], [2, 2], [3, 3]], "must return the values it made for"),
    ],
)
def test_an_outcome_with_holes_is_refused(donors, message):
    with pytest.raises(UsageError, match=message):
        masked(donors)


def test_repr_shows_no_donor():
    assert repr(Outcome(sm.DonorMap(np.array([[1], [0]])))) == (
        "<Outcome: <DonorMap of 2 rows and 1 columns>>"
    )
