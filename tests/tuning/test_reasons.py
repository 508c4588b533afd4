from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from swapmeet.tuning.candidate import Candidate
from swapmeet.tuning.checks import Promise
from swapmeet.tuning.goal import Goal
from swapmeet.tuning.reasons import (
    explain_no_candidates,
    list_cautions,
    recommend,
)


@pytest.fixture
def sorting():
    """A goal by worst-case sorting."""
    return Goal(risk={"dbrl-sorted": 1.0}, loss={"margins": 1.0})


@pytest.fixture
def by_sorting(bins, sorting):
    def make(number, value, *, owned=True):
        figures = {
            "dbrl-sorted": np.array([value]), "sdid-sorted": np.array([value]),
            "margins": np.array([0.1]),
        }  # fmt: skip
        return Candidate(number, bins(number), {**figures, **sorting.of(figures)}, owned=owned)

    return make


def test_how_often_each_limit_is_met_is_told(candidate):
    one, limits = candidate(1, [0.1, 0.2, 0.3, 0.4], 0.5), {"pscr": 0.3, "margins": 0.6}
    _, standing = recommend(one, Promise([one], limits), limits)
    assert standing == (
        "It keeps all limits: pscr 0.25 (at most 0.3, met in 3 of 4 repeats), margins 0.5 (at most "
        "0.6, met in all 4 repeats)."
    )


def test_measures_by_sorting_are_cautioned_against_where_owners_are_known(by_sorting, sorting):
    best = by_sorting(1, 0.2)
    (told,) = list_cautions(best, [best], {"sdid-sorted": 0.5}, sorting)
    assert told == (
        "Measured by worst-case sorting: dbrl-sorted, sdid-sorted. Sorting pairs records without "
        "knowing their owners, and may understate the risk. The owners are known here: use "
        "dbrl, sdid instead."
    )


def test_of_synthetic_rows_nothing_else_could_be_asked(by_sorting, sorting):
    best = by_sorting(1, 0.2, owned=False)
    told = list(list_cautions(best, [best], {}, sorting))
    assert told[0].endswith("may understate the risk.")
    assert told[1:] == [
        "Its rows are synthetic and belong to no person; it was judged by no limit."
    ]


def test_synthetic_rows_without_a_score_are_told_with_what_they_lack(candidate, cheap):
    best, scored = candidate(1, 0.3, 0.3), candidate(3, 0.5, 0.3, owned=False)
    assert list(list_cautions(best, [best, scored], {}, cheap)) == []
    (told,) = list_cautions(best, [best, candidate(2, np.nan, 0.4, owned=False)], {}, cheap)
    assert told.startswith("sjppds: left out of the comparison, because the rows are synthetic")
    assert "so that pscr has no value" in told


def test_measures_that_are_not_defined_are_named_with_those_that_are(candidate, cheap):
    assert explain_no_candidates([candidate(1, np.nan, 0.1)], cheap) == (
        "No setting can be compared with another one for this table, because pscr is not defined. "
        "Name other measures of risk and loss; these are defined: margins."
    )


def test_what_is_judged_milder_than_its_value_is_told_as_such(candidate):
    """Copies that are nobody's own data do not count against a release."""
    one = replace(candidate(1, 0.1, 0.1, copies=0.15), ends={"copies": np.array([0.004])})
    _, standing = recommend(one, Promise([one], {}), {"copies": 0.01})
    assert "copies 0.15, of which 0.004 counts (at most 0.01)" in standing
